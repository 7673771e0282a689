// Decides which reads a reader thread runs next. There is one fair queue for short reads, one for scans, and one for
// work on whole files, such as migrations. Threads alternate between the queues (docs/decisions/0015).

import { createFairQueue } from '../../../lib/concurrency.ts'
import type { PendingTask } from './thread.ts'

/** The tasks that a thread runs before it needs new ones. `tenant`: set for scans and work on a file. Several tenants
 *  share a turn of short reads, since each read takes microseconds. */
export type Turn = { kind: Kind; tenant?: string; tasks: PendingTask[]; startedAt: number }

const kinds = ['short', 'scan', 'fileWork'] as const
type Kind = (typeof kinds)[number]

/** Maximum number of tasks per turn. With fewer short reads per turn, the message to the thread would cost as much as
 *  the reads. At most a quarter of a turn's short reads belong to one tenant, so that several tenants share a turn. */
const maxPerTurn = { short: 64, scan: 32, fileWork: 1 }
const maxShortPerTenant = 16

/** A turn ends after 5 ms plus the read in progress. If a turn of scans takes longer than `heavyTurnMs`, the tenant is
 *  treated as heavy for `heavyForMs`, because the tenant's scans block others. This time is longer than any read stays
 *  in the queue. */
const heavyTurnMs = 50
const heavyForMs = 10_000

export class ReadQueue {
  readonly #queues = {
    short: createFairQueue<PendingTask>(),
    scan: createFairQueue<PendingTask>(),
    fileWork: createFairQueue<PendingTask>(),
  }
  readonly #running = new Set<Turn>()
  readonly #heavyUntil = new Map<string, number>()
  readonly #threads: number
  #turns = 0

  /** One of the threads is kept free of heavy tenants' scans. Two threads are kept free of work on whole files, because
   *  such work takes seconds for a large tenant. A tenant's scans use at most half of the threads available to heavy
   *  tenants. */
  constructor(threads: number) {
    this.#threads = threads
  }

  add(pending: PendingTask): void {
    this.#queues[kindOf(pending)].add(pending.task.tenant, pending)
  }

  /** Starts the next turn; undefined if nothing may start now. */
  startTurn(): Turn | undefined {
    for (const _ of kinds) {
      const kind = kinds[this.#turns++ % kinds.length]!
      const turn = kind === 'short' ? this.#takeShort() : this.#takeFromOneTenant(kind)
      if (!turn) continue
      this.#running.add(turn)
      return turn
    }
    return undefined
  }

  /** Ends a turn. Tasks that have not started come first in their tenants' next turns. */
  endTurn(turn: Turn, notStarted: PendingTask[]): void {
    this.#running.delete(turn)
    const now = performance.now()
    if (turn.kind === 'scan' && now - turn.startedAt > heavyTurnMs) this.#heavyUntil.set(turn.tenant!, now + heavyForMs)
    for (const [tenant, tasks] of Map.groupBy(notStarted, ({ task }) => task.tenant))
      this.#queues[turn.kind].requeue(tenant, tasks)
  }

  /** Removes and returns the tasks queued before this time. */
  removeLate(queuedBefore: number): PendingTask[] {
    return Object.values(this.#queues).flatMap((queue) => queue.remove(({ queuedAt }) => queuedAt < queuedBefore))
  }

  isEmpty(): boolean {
    return Object.values(this.#queues).every((queue) => queue.isEmpty())
  }

  clear(): PendingTask[] {
    return Object.values(this.#queues).flatMap((queue) => queue.clear())
  }

  #takeShort(): Turn | undefined {
    const tasks: PendingTask[] = []
    while (tasks.length < maxPerTurn.short) {
      const next = this.#queues.short.take(Math.min(maxPerTurn.short - tasks.length, maxShortPerTenant))
      if (!next) break
      tasks.push(...next.items)
    }
    return tasks.length === 0 ? undefined : { kind: 'short', tasks, startedAt: performance.now() }
  }

  #takeFromOneTenant(kind: 'scan' | 'fileWork'): Turn | undefined {
    const mayTake = kind === 'scan' ? (tenant: string) => this.#mayScan(tenant) : () => this.#mayDoFileWork()
    const next = this.#queues[kind].take(maxPerTurn[kind], mayTake)
    return next && { kind, tenant: next.tenant, tasks: next.items, startedAt: performance.now() }
  }

  #mayScan(tenant: string): boolean {
    const maxHeavy = Math.max(1, this.#threads - 1)
    if (this.#isHeavy(tenant) && this.#countRunning((turn) => this.#isLong(turn)) >= maxHeavy) return false
    return this.#countRunning((turn) => turn.kind === 'scan' && turn.tenant === tenant) < Math.ceil(maxHeavy / 2)
  }

  /** Quick scans do not count: otherwise, tenants whose quick scans occupy all threads would keep heavy tenants out. */
  #isLong({ kind, tenant }: Turn): boolean {
    return kind === 'fileWork' || (kind === 'scan' && this.#isHeavy(tenant!))
  }

  #mayDoFileWork(): boolean {
    return this.#countRunning(({ kind }) => kind === 'fileWork') < Math.max(1, this.#threads - 2)
  }

  #countRunning(isCounted: (turn: Turn) => boolean): number {
    return [...this.#running].filter(isCounted).length
  }

  #isHeavy(tenant: string): boolean {
    const until = this.#heavyUntil.get(tenant)
    if (until === undefined) return false
    if (until <= performance.now()) this.#heavyUntil.delete(tenant)
    return this.#heavyUntil.has(tenant)
  }
}

export function kindOf({ operation }: PendingTask): Kind {
  if (!operation) return 'fileWork'
  return operation.isScan ? 'scan' : 'short'
}
