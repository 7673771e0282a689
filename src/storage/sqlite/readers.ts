// The threads that read. Each has tenants of its own, and takes those of another that is at a long read or has not started: the
// first starts with the first read, another whenever reads have to wait. A thread is given one turn's work at a time; what comes
// meanwhile waits here, where whichever is free first can take it. Only a tenant that is alone has its next lists there before the
// last are done.

import { operations } from '../operations.ts'
import type { Reply } from './group-commit.ts'
import { answered, ask, type Ears, end, type Lane, laneOf, openPause, send, settle, type Waiting } from './lanes.ts'
import type { ReadTask } from './reader.ts'
import { type Line, openLine } from './turns.ts'
import type { Voucher } from './vouched-files.ts'

/** A thread, once it has been called for, with those who wait for it. `longOf`: the tenant whose long reads it is at. `unbegun`: what
 *  it has given back of its turn. */
type Seat = {
  isCalled: boolean
  lane?: Lane
  quick: Line<Waiting>
  long: Line<Waiting>
  unbegun: Waiting[]
  isLongNext: boolean
  longOf?: string
}

export type Readers = {
  /** Gives a read to a thread, now or later; to the writer when no thread will do. */
  read(waiting: Waiting): void
  close(): Promise<void>
}

export type ReadersSettings = {
  count: number
  startThread(ears: Omit<Ears, 'crashed'>): Lane
  /** What the writer says of the tenant's file at this moment. */
  voucherOf(tenant: string): Voucher | undefined
  /** For what no reader can answer. */
  toWriter(waiting: Waiting, isSuspect: boolean): void
}

/** A thread that has not answered for so long is at a long read: others take what waits for it, and another is called for where
 *  there is one left. Milliseconds. */
const stuckAfter = 15

/** Operations in a turn at most; the quick ones are of as many tenants as have some, but no more than this of each. */
const quickAtOnce = 64
const quickOfOne = 16
const longAtOnce = 32

/** A thread that has no more of its long reads left, and has just answered as many, may be given others: else it would have nothing
 *  to do until the main thread has heard that it is done, a fifth of its time. */
const fewLeft = longAtOnce / 2

export function openReaders(settings: ReadersSettings): Readers {
  const seats = Array.from({ length: settings.count }, (): Seat => {
    return { isCalled: false, quick: openLine(), long: openLine(), unbegun: [], isLongNext: false }
  })
  /** Where there are several, one is kept from long reads, and no tenant's are on more than half of the others. */
  const mostLong = Math.max(1, seats.length - 1)
  const mostLongOfOne = Math.ceil(mostLong / 2)
  const pause = openPause()
  let isPlanned = false
  let isClosing = false
  let later: NodeJS.Timeout | undefined

  function read(waiting: Waiting): void {
    const { tenant, name } = waiting.task
    const seat = seatOf(tenant)
    const isLong = 'isLong' in operations[name]
    if (!isClosing && !seats.some(({ isCalled }) => isCalled)) call(seat)
    if (isClosing || !seats.some(({ lane }) => lane) || !(isLong || canBeQuick())) {
      settings.toWriter(waiting, false)
      return
    }
    seat[isLong ? 'long' : 'quick'].add(tenant, waiting)
    plan()
  }

  function seatOf(tenant: string): Seat {
    return seats[laneOf(tenant, seats.length)]!
  }

  /** Not while the first thread starts, nor while all of them are at long reads: a writer is quicker then. */
  function canBeQuick(): boolean {
    return seats.some(({ lane, longOf }) => lane?.isReady && !longOf)
  }

  /** One after another: the last that was called for may be enough. */
  function callAnother(): void {
    if (seats.some(({ lane }) => lane && !lane.isReady)) return
    const left = seats.filter(({ isCalled }) => !isCalled)
    const next = left.find(hasWaiting) ?? left[0]
    if (next) call(next)
  }

  function call(seat: Seat): void {
    seat.isCalled = true
    seat.lane = start(seat)
  }

  function start(seat: Seat): Lane {
    return settings.startThread({
      hear: (lane, { replies }) => hear(seat, lane, replies),
      ended() {
        seat.lane = seat.longOf = undefined
        for (const waiting of allOf(seat)) settings.toWriter(waiting, false)
        if (isClosing) return
        const again = () => {
          if (!isClosing) seat.lane = start(seat)
        }
        setTimeout(again, pause.next()).unref()
      },
    })
  }

  function hear(seat: Seat, lane: Lane, replies: Reply[]): void {
    pause.reset()
    const settled: [Waiting, Reply][] = []
    for (const reply of replies) {
      const waiting = answered(lane, reply)
      if ('forWriter' in reply) settings.toWriter(waiting, reply.forWriter.isSuspect)
      else if ('forReader' in reply) seat.unbegun.push(waiting)
      else settled.push([waiting, reply])
    }
    if (lane.waiting.size === 0) goOn(seat, lane)
    else if (lane.waiting.size <= Math.min(fewLeft, settled.length)) giveMore(seat, lane)
    for (const [waiting, reply] of settled) settle(waiting, reply)
  }

  /** The next turn before the answers of the last are sent to clients: the thread works meanwhile. */
  function goOn(seat: Seat, lane: Lane): void {
    seat.longOf = undefined
    const unbegun = Map.groupBy(seat.unbegun.splice(0), ({ task }) => task.tenant)
    for (const [tenant, all] of unbegun) putBack(tenant, all)
    giveTurns()
    send(lane)
  }

  /** More of the same, where nobody else waits for this thread. */
  function giveMore(seat: Seat, lane: Lane): void {
    const isAlone = seat.quick.isEmpty() && seat.long.next() === seat.longOf
    if (seat.longOf === undefined || seat.unbegun.length > 0 || !isAlone) return
    const { tenant, items } = seat.long.take(longAtOnce)!
    give(seat, tenant, items)
    send(lane)
  }

  function putBack(tenant: string, all: Waiting[]): void {
    const { long, quick } = seatOf(tenant)
    const isLong = ({ task }: Waiting) => 'isLong' in operations[task.name]
    long.putBack(tenant, all.filter(isLong))
    quick.putBack(
      tenant,
      all.filter((each) => !isLong(each)),
    )
  }

  /** Once for all that happens in a turn of the event loop. */
  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(giveTurns)
  }

  function giveTurns(): void {
    isPlanned = false
    for (const seat of seats) if (isIdle(seat)) giveTurn(seat)
    if (seats.some(hasWaiting)) {
      later ??= setTimeout(lookAgain, stuckAfter)
    } else {
      clearTimeout(later)
      later = undefined
    }
  }

  /** Ever since it was planned there was something that had to wait. */
  function lookAgain(): void {
    later = undefined
    callAnother()
    giveTurns()
  }

  /** Of its own tenants, quick and long ones by turns; else of those of a thread that cannot take them. */
  function giveTurn(seat: Seat): void {
    const kinds = seat.isLongNext ? [giveLong, giveQuick] : [giveQuick, giveLong]
    seat.isLongNext = !seat.isLongNext
    for (const from of [seat, ...seats.filter(isStuck)]) {
      for (const give of kinds) if (isIdle(seat)) give(seat, from)
    }
  }

  function giveQuick(seat: Seat, from: Seat): void {
    for (let left = quickAtOnce; left > 0; ) {
      const next = from.quick.take(Math.min(left, quickOfOne))
      if (!next) return
      give(seat, next.tenant, next.items)
      left -= next.items.length
    }
  }

  function giveLong(seat: Seat, from: Seat): void {
    if (seats.filter(({ longOf }) => longOf).length >= mostLong) return
    const isEntitled = (tenant: string) => seats.filter(({ longOf }) => longOf === tenant).length < mostLongOfOne
    const next = from.long.take(longAtOnce, isEntitled)
    if (!next) return
    give(seat, next.tenant, next.items)
    if (!isIdle(seat)) seat.longOf = next.tenant
  }

  /** The voucher is that of the moment: it covers all that was answered before. */
  function give(seat: Seat, tenant: string, all: Waiting[]): void {
    const voucher = settings.voucherOf(tenant)
    for (const waiting of all) {
      if (voucher) ask(seat.lane!, { ...waiting, task: { ...waiting.task, voucher } as ReadTask })
      else settings.toWriter(waiting, false)
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    clearTimeout(later)
    for (const seat of seats) for (const waiting of allOf(seat)) settings.toWriter(waiting, false)
    await Promise.all(seats.map(({ lane }) => lane && end(lane)))
  }

  return { read, close }
}

/** Everyone who waits for it; nobody does afterwards. */
function allOf({ unbegun, quick, long }: Seat): Waiting[] {
  return [...unbegun.splice(0), ...quick.clear(), ...long.clear()]
}

function isIdle({ lane }: Seat): boolean {
  return lane?.isReady === true && lane.waiting.size === 0
}

function hasWaiting({ quick, long }: Seat): boolean {
  return !quick.isEmpty() || !long.isEmpty()
}

/** Also one that was not called for, or is still starting. */
function isStuck({ lane }: Seat): boolean {
  if (!lane?.isReady) return true
  return lane.waiting.size > 0 && performance.now() - lane.since > stuckAfter
}
