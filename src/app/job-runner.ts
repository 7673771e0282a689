// Runs the jobs of all tenants in short steps. Tenants take turns. Each step is an operation in the tenant's queue, so
// that other requests can run between steps.

import { randomUUID } from 'node:crypto'
import { listDueTenants, markTenantDue, postponeTenant } from '../catalog/tables/due-tenants.ts'
import { type JobTurnResult, jobOperations } from '../domain/jobs/operations.ts'
import type { JobScheduler } from '../domain/jobs/scheduler.ts'
import { TooSlow, Unavailable } from '../engine/database/database.ts'
import type { TenantLocation } from '../engine/tenant-databases.ts'
import { repeat } from '../lib/concurrency.ts'
import type { PreparedContext } from './open-engine.ts'

/** If a process dies, other processes can take over its jobs after this time. */
const leaseTtlMs = 5000

/** The planned duration of a step. Other tenants on the same thread wait for the step and its commit. */
const stepBudgetMs = 10

/** The number of tenants whose steps may run at the same time. */
const maxConcurrent = 2

/** The interval at which the catalog is queried for tenants whose jobs need work. */
const pollIntervalMs = 1000

/** How long a tenant's jobs pause after a failed step. Each consecutive failure doubles the pause, up to `longest`. */
const pauseRangeMs = { first: 1000, longest: 30_000 }

/** A job fails after this many consecutive unexpected errors. Outages and timeouts are not counted. */
const maxErrors = 3

/** The consecutive failures of a tenant. `errors`: how many of them were unexpected. `pausedUntil`: when the pause
 *  ends, as a value of performance.now(). */
type FailureState = { failures: number; errors: number; pausedUntil: number }

export class JobRunner implements JobScheduler {
  readonly #context: PreparedContext
  readonly #token = randomUUID()
  readonly #waiting = new Map<string, TenantLocation>() // in turn order
  readonly #running = new Map<string, Promise<void>>()
  readonly #failureStates = new Map<string, FailureState>()
  readonly #polling: ReturnType<typeof repeat>
  #isClosing = false

  constructor(context: PreparedContext) {
    this.#context = context
    this.#polling = repeat(
      context.overrides.jobPollIntervalMs ?? pollIntervalMs,
      () => this.#poll(),
      (error) =>
        context.log.warn({ reason: error.message }, 'due jobs are delayed, because the catalog cannot be queried'),
    )
  }

  async schedule<T>(tenant: TenantLocation, createJob: () => Promise<T>): Promise<T> {
    const { catalog, now } = this.#context
    await markTenantDue(catalog, tenant.id, now())
    const result = await createJob()
    this.#enqueue(tenant)
    return result
  }

  /** Returns the number of tenants whose jobs are running. */
  running(): number {
    return this.#running.size
  }

  /** Waits for running steps to finish, and does not start new ones. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#polling.stop()
    await Promise.all(this.#running.values())
  }

  async #poll(): Promise<void> {
    const { catalog, now } = this.#context
    for (const tenant of await listDueTenants(catalog, now())) {
      const failureState = this.#failureStates.get(tenant.id)
      if (!failureState || failureState.pausedUntil <= performance.now()) this.#enqueue(tenant)
    }
  }

  #enqueue(tenant: TenantLocation): void {
    if (!this.#running.has(tenant.id)) this.#waiting.set(tenant.id, tenant)
    this.#startTurns()
  }

  #startTurns(): void {
    while (!this.#isClosing && this.#running.size < maxConcurrent && this.#waiting.size > 0) {
      const [id, tenant] = this.#waiting.entries().next().value!
      this.#waiting.delete(id)
      this.#running.set(
        id,
        this.#takeTurn(tenant).then((isDue) => this.#endTurn(tenant, isDue)),
      )
    }
  }

  #endTurn(tenant: TenantLocation, isDue: boolean): void {
    this.#running.delete(tenant.id)
    if (isDue) this.#waiting.set(tenant.id, tenant)
    this.#startTurns()
  }

  /** Runs one step, and returns whether the next step is due. */
  async #takeTurn(tenant: TenantLocation): Promise<boolean> {
    try {
      const result = await this.#context.engine.run(tenant, jobOperations.runDueJob, this.#turn())
      this.#failureStates.delete(tenant.id)
      return await this.#settle(tenant, result)
    } catch (error) {
      await this.#recover(tenant, error).catch((failure: unknown) => this.#report(tenant, failure))
      return false
    }
  }

  #turn() {
    return { now: this.#context.now().toISOString(), token: this.#token, leaseTtlMs, budgetMs: stepBudgetMs }
  }

  async #settle(tenant: TenantLocation, { nextDueAt, leasedUntil }: JobTurnResult): Promise<boolean> {
    if (leasedUntil !== null) return false // the next poll tries again
    const time = this.#context.now()
    if (nextDueAt !== null && nextDueAt <= time.toISOString()) return true
    await postponeTenant(this.#context.catalog, tenant.id, nextDueAt, time)
    return false
  }

  /** Pauses the tenant. Errors other than outages and timeouts are bugs: they are logged, and the job fails if they
   *  recur. */
  async #recover(tenant: TenantLocation, error: unknown): Promise<void> {
    const previous = this.#failureStates.get(tenant.id)
    const isOutage = error instanceof Unavailable || error instanceof TooSlow
    const failures = (previous?.failures ?? 0) + 1
    const errors = (previous?.errors ?? 0) + (isOutage ? 0 : 1)
    const pauseMs = Math.min(pauseRangeMs.first * 2 ** (failures - 1), pauseRangeMs.longest)
    this.#failureStates.set(tenant.id, { failures, errors, pausedUntil: performance.now() + pauseMs })
    if (isOutage) return
    this.#report(tenant, error)
    if (errors >= maxErrors) await this.#context.engine.run(tenant, jobOperations.failDueJob, this.#turn())
  }

  #report({ id }: TenantLocation, error: unknown): void {
    this.#context.log.error({ tenant: id, err: error }, 'a step of a job failed')
  }
}
