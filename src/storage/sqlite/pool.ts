// The main thread's side of the embedded engine: workers, and one message per worker and turn of the event loop.

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { TooSlow, Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import { type Input, type OperationName, type Output, operations } from '../operations.ts'
import type { Place, Storage } from '../storage.ts'
import type { Reply, Task } from './group-commit.ts'
import type { ReadTask, Voucher } from './reader.ts'
import type { Message, WorkerSettings } from './worker.ts'

/** A worker that keeps dying is started again after a pause that doubles up to this. Milliseconds. */
const longestPause = 5000
const shortestPause = 5

type Waiting = { task: Task; resolve: (output: unknown) => void; reject: (error: Error) => void }

/** A thread and what it was asked. `since`: when it last answered, or had nothing to do. */
type Lane = {
  worker: Worker
  outbox: Task[]
  waiting: Map<number, Waiting>
  isReady: boolean
  hasEnded: boolean
  since: number
}

export type PoolSettings = {
  directory: string
  resources: Resources
  /** Threads that write, and as many that read. Default: more writers than there are cores, since they spend much of their time
   *  waiting for the disk. */
  workers?: number
  /** Told when a worker died of a bug; its tenants are served again by its successor. */
  onCrash?: (error: Error) => void
}

/** A reader that has not answered for so long is at a long list: others take its reads. Milliseconds. */
const stuckAfter = 50

/** Starts the embedded engine on the tenant files of a data directory. */
export function sqliteStorage(settings: PoolSettings): Storage & { close(): Promise<void> } {
  const counts = {
    writers: settings.workers ?? Math.max(4, availableParallelism()),
    readers: settings.workers ?? Math.max(2, availableParallelism()),
  }
  const { directory, resources } = settings
  const openFiles = openFilesPerThread(counts.writers + counts.readers)
  const workerData = { directory, resources, openFiles } satisfies WorkerSettings
  const vouchers = new Map<string, Voucher>()
  const writers = Array.from({ length: counts.writers }, (_, at) => startWriter(at))
  const readers: (Lane | undefined)[] = Array.from({ length: counts.readers })
  let lastTicket = 0
  let isClosing = false
  let pause = shortestPause

  function startWriter(at: number): Lane {
    return startLane('worker.ts', () => {
      for (const id of [...vouchers.keys()]) if (laneOf(id, counts.writers) === at) vouchers.delete(id)
      pause = Math.min(pause * 2, longestPause)
      const succeed = () => isClosing || writers.splice(at, 1, startWriter(at))
      setTimeout(succeed, pause).unref()
    })
  }

  function startReader(at: number): Lane {
    return startLane('reader.ts', () => {
      pause = Math.min(pause * 2, longestPause)
      const forget = () => readers.splice(at, 1, undefined)
      setTimeout(forget, pause).unref()
    })
  }

  function startLane(script: 'worker.ts' | 'reader.ts', whenEnded: () => void): Lane {
    const worker = new Worker(new URL(`./${script}`, import.meta.url), { workerData })
    const state = { isReady: script === 'worker.ts', hasEnded: false, since: performance.now() }
    const lane: Lane = { worker, outbox: [], waiting: new Map(), ...state }
    worker.on('message', (message: Message) => hear(lane, message))
    worker.on('error', (error) => settings.onCrash?.(error as Error))
    worker.on('exit', () => {
      lane.hasEnded = true
      for (const { reject } of lane.waiting.values()) reject(new Unavailable('the worker ended'))
      whenEnded()
    })
    return lane
  }

  function hear(lane: Lane, { replies, vouchers: changes = [] }: Message): void {
    pause = shortestPause
    lane.isReady = true
    lane.since = performance.now()
    for (const [tenant, voucher] of changes) {
      if (voucher) vouchers.set(tenant, voucher)
      else vouchers.delete(tenant)
    }
    for (const reply of replies) {
      const waiting = lane.waiting.get(reply.ticket)!
      lane.waiting.delete(reply.ticket)
      if ('forWriter' in reply)
        ask(writerOf(waiting.task.tenant), { ...waiting, task: { ...waiting.task, ...reply.forWriter } })
      else settle(waiting, reply)
    }
  }

  function run<Name extends OperationName>(tenant: Place, name: Name, input: Input<Name>): Promise<Output<Name>> {
    const task = { ticket: ++lastTicket, tenant: tenant.id, name, input }
    if (isClosing) return Promise.reject(new Unavailable('the workers end'))
    return new Promise((resolve, reject) => {
      const waiting = { task, resolve: resolve as (output: unknown) => void, reject }
      const voucher = operations[name].writes ? undefined : vouchers.get(tenant.id)
      const reader = voucher && readerOf(tenant.id)
      if (reader) ask(reader, { ...waiting, task: { ...task, voucher } as ReadTask })
      else ask(writerOf(tenant.id), waiting)
    })
  }

  function ask(lane: Lane, waiting: Waiting): void {
    if (lane.hasEnded) {
      waiting.reject(new Unavailable('the worker ended'))
      return
    }
    if (lane.waiting.size === 0) lane.since = performance.now()
    lane.waiting.set(waiting.task.ticket, waiting)
    if (lane.outbox.push(waiting.task) === 1) setImmediate(send, lane)
  }

  function writerOf(id: string): Lane {
    return writers[laneOf(id, counts.writers)]!
  }

  /** The tenant's own reader, or any that is free while that one is at a long list; undefined while there is none yet. */
  function readerOf(id: string): Lane | undefined {
    const at = laneOf(id, counts.readers)
    if (!readers[at]) readers[at] = startReader(at)
    if (isFree(readers[at])) return readers[at]
    return readers.find((each) => each && isFree(each))
  }

  async function close(): Promise<void> {
    isClosing = true
    await Promise.all(readers.map((lane) => lane && end(lane)))
    await Promise.all(writers.map(end)) // last, so that they move the logs into the files
  }

  return { run, close }
}

function isFree(lane: Lane): boolean {
  const isStuck = lane.waiting.size > 0 && performance.now() - lane.since > stuckAfter
  return lane.isReady && !lane.hasEnded && !isStuck
}

/** Ends a thread after the work in hand. */
async function end(lane: Lane): Promise<void> {
  if (lane.hasEnded) return
  const ended = new Promise((resolve) => lane.worker.once('exit', resolve))
  send(lane)
  lane.worker.postMessage('close')
  await ended
}

/** Everything asked for in this turn of the event loop goes as one message. */
function send(lane: Lane): void {
  if (lane.outbox.length === 0) return
  const tasks = lane.outbox
  lane.outbox = []
  lane.worker.postMessage(tasks)
}

function settle(waiting: Waiting, reply: Exclude<Reply, { forWriter: unknown }>): void {
  if ('output' in reply) waiting.resolve(reply.output)
  else if ('tooSlow' in reply) waiting.reject(new TooSlow(reply.tooSlow))
  else if ('unavailable' in reply) waiting.reject(new Unavailable(reply.unavailable))
  else waiting.reject(Object.assign(new Error('an operation failed'), { stack: reply.bug })) // where it failed, not here
}

/** A tenant has the same worker for the life of the pool: one writer per file. */
function laneOf(id: string, count: number): number {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) >>> 0
  return hash % count
}

/** An open tenant holds three descriptors (file, log, index); connections of clients need the other half. */
function openFilesPerThread(threads: number): number {
  return Math.max(8, Math.floor(Math.min(descriptorLimit(), 8192) / 2 / 3 / threads))
}

function descriptorLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)
  } catch {
    return 1024 // not Linux: what most systems allow at least
  }
}
