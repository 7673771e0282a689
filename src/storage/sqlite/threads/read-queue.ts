// Decides which reads a reader thread runs next. All tenants' reads wait in fair queues: short ones, long ones, and
// migrations. Threads alternate between the queues (docs/decisions/0021).

import { createFairQueue } from '../../../lib/fair-queue.ts'
import { isScan } from './run-task.ts'
import type { PendingTask } from './thread.ts'

/** What a thread runs before it asks for more. `tenant`: of long reads and of a migration; tenants share a turn of
 *  short reads, since each takes microseconds. */
export type Turn = { kind: Kind; tenant?: string; tasks: PendingTask[]; startedAt: number }

export type ReadQueue = {
  add(pending: PendingTask): void
  /** Starts the next turn; undefined if nothing may start now. */
  startTurn(): Turn | undefined
  /** Ends a turn. The tasks that did not start are first of their tenants' next turns. */
  endTurn(turn: Turn, notStarted: PendingTask[]): void
  /** Removes and returns the tasks queued before this time. */
  removeLate(queuedBefore: number): PendingTask[]
  isEmpty(): boolean
  clear(): PendingTask[]
}

const kinds = ['short', 'long', 'migration'] as const
type Kind = (typeof kinds)[number]

/** Maximum number of tasks per turn. */
const maxPerTurn = { short: 64, long: 32, migration: 1 }
const maxShortPerTenant = 16

/** A turn ends after 5 ms plus the read in progress. If a turn takes longer than `heavyTurnMs`, the tenant's long
 *  reads would block others: it counts as heavy for `heavyForMs`, which is longer than its next reads may wait in the
 *  queue. */
const heavyTurnMs = 50
const heavyForMs = 10_000

/** Of `threads`, one runs no long reads of heavy tenants, and two run no migrations, which take seconds in a large
 *  tenant. One tenant's long reads use at most half of the others. */
export function createReadQueue(threads: number): ReadQueue {
  const queues = Object.fromEntries(kinds.map((kind) => [kind, createFairQueue<PendingTask>()])) as Record<
    Kind,
    ReturnType<typeof createFairQueue<PendingTask>>
  >
  const all = Object.values(queues)
  const running = new Set<Turn>()
  const heavyUntil = new Map<string, number>()
  const maxMigrations = Math.max(1, threads - 2)
  const maxHeavy = Math.max(1, threads - 1)
  const maxLongPerTenant = Math.ceil(maxHeavy / 2)
  let turns = 0

  function startTurn(): Turn | undefined {
    for (const _ of kinds) {
      const kind = kinds[turns++ % kinds.length]!
      const turn = take(kind)
      if (!turn) continue
      running.add(turn)
      return turn
    }
    return undefined
  }

  function take(kind: Kind): Turn | undefined {
    if (kind === 'short') return takeShort()
    const next = queues[kind].take(maxPerTurn[kind], kind === 'long' ? mayRead : mayMigrate)
    return next && { kind, tenant: next.tenant, tasks: next.items, startedAt: performance.now() }
  }

  function takeShort(): Turn | undefined {
    const tasks: PendingTask[] = []
    while (tasks.length < maxPerTurn.short) {
      const next = queues.short.take(Math.min(maxPerTurn.short - tasks.length, maxShortPerTenant))
      if (!next) break
      tasks.push(...next.items)
    }
    return tasks.length === 0 ? undefined : { kind: 'short', tasks, startedAt: performance.now() }
  }

  function mayRead(tenant: string): boolean {
    if (countRunning((turn) => turn.kind !== 'short') >= maxHeavy && isHeavy(tenant)) return false
    return countRunning((turn) => turn.kind === 'long' && turn.tenant === tenant) < maxLongPerTenant
  }

  const mayMigrate = () => countRunning(({ kind }) => kind === 'migration') < maxMigrations

  function countRunning(isCounted: (turn: Turn) => boolean): number {
    return [...running].filter(isCounted).length
  }

  function isHeavy(tenant: string): boolean {
    const until = heavyUntil.get(tenant)
    if (until === undefined) return false
    if (until > performance.now()) return true
    heavyUntil.delete(tenant)
    return false
  }

  function endTurn(turn: Turn, notStarted: PendingTask[]): void {
    running.delete(turn)
    const now = performance.now()
    if (turn.kind === 'long' && now - turn.startedAt > heavyTurnMs) heavyUntil.set(turn.tenant!, now + heavyForMs)
    for (const [tenant, tasks] of Map.groupBy(notStarted, ({ task }) => task.tenant))
      queues[turn.kind].requeue(tenant, tasks)
  }

  return {
    add: (pending) => queues[kindOf(pending)].add(pending.task.tenant, pending),
    startTurn,
    endTurn,
    removeLate: (queuedBefore) => all.flatMap((queue) => queue.remove(({ queuedAt }) => queuedAt < queuedBefore)),
    isEmpty: () => all.every((queue) => queue.isEmpty()),
    clear: () => all.flatMap((queue) => queue.clear()),
  }
}

export function kindOf({ task }: PendingTask): Kind {
  if (task.name === 'migrate') return 'migration'
  return isScan(task) ? 'long' : 'short'
}
