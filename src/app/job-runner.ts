// Runs the jobs of all tenants. Tenants take turns, and a turn is one short operation in the tenant's queue, so requests of the
// same tenant and of others pass between two steps.

import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.ts'
import { listDueTenants, markTenantDue, postponeTenant } from '../catalog/due-tenants.ts'
import { TooSlow, Unavailable } from '../database/database.ts'
import { repeat } from '../lib/repeat.ts'
import type { JobScheduler } from '../storage/jobs/scheduler.ts'
import type { JobTurnResult } from '../storage/operations/jobs.ts'
import type { Storage, TenantLocation } from '../storage/storage.ts'

export type JobRunnerDependencies = {
  catalog: Catalog
  storage: Pick<Storage, 'run'>
  log: Logger
  now: () => Date
  /** How often the catalog is asked for tenants whose jobs need work. */
  pollIntervalMs?: number | undefined
}

export type JobRunner = JobScheduler & {
  /** The number of tenants whose jobs run now. */
  running(): number
  /** Lets running steps end. */
  close(): Promise<void>
}

/** Another process takes over the jobs of a process that died after at most this time. */
const leaseTtlMs = 5000

/** How long a step works. Other tenants of the same thread wait for it, and for its commit. */
const stepBudgetMs = 10

/** Tenants whose steps run at the same time. */
const maxConcurrent = 2

const defaultPollIntervalMs = 1000

/** Pauses of a tenant whose database is unavailable. */
const pauseMs = { first: 1000, longest: 30_000 }

/** After this many failures in a row a job is given up. */
const maxFailures = 3

/** `failures`: in a row. `pausedUntil`: from performance.now(). */
type Trouble = { failures: number; pausedUntil: number }

export function startJobRunner(deps: JobRunnerDependencies): JobRunner {
  const { catalog, storage, log, now } = deps
  const token = randomUUID()
  const waiting = new Map<string, TenantLocation>() // in the order of their turns
  const running = new Map<string, Promise<void>>()
  const troubles = new Map<string, Trouble>()
  let isClosing = false

  async function poll(): Promise<void> {
    for (const tenant of await listDueTenants(catalog, now())) {
      const trouble = troubles.get(tenant.id)
      if (!trouble || trouble.pausedUntil <= performance.now()) enqueue(tenant)
    }
  }

  function enqueue(tenant: TenantLocation): void {
    if (!running.has(tenant.id)) waiting.set(tenant.id, tenant)
    startTurns()
  }

  function startTurns(): void {
    while (!isClosing && running.size < maxConcurrent && waiting.size > 0) {
      const [id, tenant] = waiting.entries().next().value!
      waiting.delete(id)
      running.set(
        id,
        takeTurn(tenant).then((isDue) => endTurn(tenant, isDue)),
      )
    }
  }

  function endTurn(tenant: TenantLocation, isDue: boolean): void {
    running.delete(tenant.id)
    if (isDue) waiting.set(tenant.id, tenant)
    startTurns()
  }

  /** Runs one step, and returns whether the next one is due. */
  async function takeTurn(tenant: TenantLocation): Promise<boolean> {
    try {
      const result = await storage.run(tenant, 'runDueJob', turn())
      troubles.delete(tenant.id)
      return await settle(tenant, result)
    } catch (error) {
      await recover(tenant, error as Error).catch((failure: Error) => report(tenant, failure))
      return false
    }
  }

  function turn() {
    return { now: now().toISOString(), token, leaseTtlMs, budgetMs: stepBudgetMs }
  }

  async function settle(tenant: TenantLocation, { nextDueAt, leasedUntil }: JobTurnResult): Promise<boolean> {
    if (leasedUntil !== null) return false // the next poll tries again
    const time = now()
    if (nextDueAt !== null && nextDueAt <= time.toISOString()) return true
    await postponeTenant(catalog, tenant.id, nextDueAt, time)
    return false
  }

  /** An unavailable database is tried again later. Anything else is a bug. */
  async function recover(tenant: TenantLocation, error: Error): Promise<void> {
    const failures = (troubles.get(tenant.id)?.failures ?? 0) + 1
    const pause = Math.min(pauseMs.first * 2 ** (failures - 1), pauseMs.longest)
    troubles.set(tenant.id, { failures, pausedUntil: performance.now() + pause })
    if (error instanceof Unavailable || error instanceof TooSlow) return
    report(tenant, error)
    if (failures >= maxFailures) await storage.run(tenant, 'failDueJob', turn())
  }

  function report({ id }: TenantLocation, error: Error): void {
    log.error({ tenant: id, err: error }, 'a step of a job failed')
  }

  const polling = repeat(deps.pollIntervalMs ?? defaultPollIntervalMs, poll, (error) =>
    log.warn({ reason: error.message }, 'jobs cannot be looked up and wait'),
  )

  return {
    async schedule(tenant, work) {
      await markTenantDue(catalog, tenant.id, now())
      const result = await work()
      enqueue(tenant)
      return result
    },
    running: () => running.size,
    async close() {
      isClosing = true
      polling.stop()
      await Promise.all(running.values())
    },
  }
}
