// The path of an operation, from its caller to the tenant's database server (README.md):
//
//   run → admit: refused at once if too many operations are in flight
//       → route: to the server that stores the tenant, by the server name in the tenant's catalog row
//       → SQLite (sqlite/sqlite-engine.ts) or PostgreSQL (postgres/postgres-engine.ts)

import { Busy, Unavailable } from './database/database.ts'
import type { EngineMetrics } from './measurements.ts'
import type { OnMigrated } from './migration-queue.ts'
import type { Operation } from './operation.ts'
import type { TenantDatabases, TenantLocation } from './tenant-databases.ts'

/** Runs operations, each of which can reach only its own tenant's database. */
export type Engine = {
  /** Runs one operation on the tenant's database. Throws Unavailable when the database cannot be reached. */
  run<Input, Output>(tenant: TenantLocation, operation: Operation<Input, Output>, input: Input): Promise<Output>
  /** Migrates the tenant's database to the current schema if necessary, without affecting other tenants. Throws
   *  MigrationFailed, or Unavailable if the migration could not be attempted. */
  migrate(tenant: TenantLocation): Promise<void>
  /** Like TenantDatabases.compact. The tenant's writes wait for the compaction, but are rejected after 3 s. */
  compact(tenant: TenantLocation): Promise<void>
}

/** `queueTimeoutMs`: an operation that has waited this long in a queue is rejected with Busy. `migrationTimeoutMs`: how
 *  long a request waits for its tenant's migration. */
export type EngineOptions = {
  onMigrated?: OnMigrated | undefined
  queueTimeoutMs?: number | undefined
  migrationTimeoutMs?: number | undefined
}

/** Maximum number of operations queued or running, per tenant and per process. */
export type Limits = { maxPerTenant: number; maxPerProcess: number }

/** A request may take 30 s, but clients give up earlier. Even on a disk that takes 10 ms per commit, or with PostgreSQL
 *  on another machine, a tenant's 1000 operations finish within a few seconds. 5000 operations take 20 to 100 MB of
 *  memory. */
export const defaultLimits: Limits = { maxPerTenant: 1000, maxPerProcess: 5000 }

/** On either engine, an operation that has waited this long in a queue is rejected. */
export const defaultQueueTimeoutMs = 5000

export type LimitedEngine = Engine & { inFlight(): number }

/** Records whether tenants' operations succeed. */
type OperationRecord = {
  recordSuccess(tenant: string): void
  recordFailure(tenant: string, error: unknown): void
}

/** Wraps an engine: `run` throws Busy above these limits, and records whether each tenant's operations succeed. */
export function limitInFlight(
  engine: Engine,
  limits: Limits,
  metrics: EngineMetrics,
  health: OperationRecord,
): LimitedEngine {
  const byTenant = new Map<string, number>() // only tenants with operations in flight
  let total = 0

  function enter(tenant: string): Busy | undefined {
    const count = byTenant.get(tenant) ?? 0
    if (count >= limits.maxPerTenant) return countRejection('tenant')
    if (total >= limits.maxPerProcess) return countRejection('process')
    byTenant.set(tenant, count + 1)
    total++
    return undefined
  }

  function countRejection(limit: 'tenant' | 'process'): Busy {
    metrics.rejected(limit)
    return new Busy(`too many operations of this ${limit} are in flight`)
  }

  function leave(tenant: string): void {
    const count = byTenant.get(tenant)! - 1
    if (count === 0) byTenant.delete(tenant)
    else byTenant.set(tenant, count)
    total--
  }

  return {
    inFlight: () => total,
    migrate: (tenant) => engine.migrate(tenant),
    compact: (tenant) => engine.compact(tenant),
    run(tenant, operation, input) {
      const busy = enter(tenant.id)
      if (busy) return Promise.reject(busy)
      const result = engine.run(tenant, operation, input)
      const onSuccess = () => {
        health.recordSuccess(tenant.id)
        leave(tenant.id)
      }
      const onFailure = (error: unknown) => {
        health.recordFailure(tenant.id, error)
        if (error instanceof Busy) metrics.rejected('queue')
        leave(tenant.id)
      }
      result.then(onSuccess, onFailure)
      return result
    },
  }
}

/** A database server: this machine's SQLite files, or one PostgreSQL server. */
export type Server = {
  databases: TenantDatabases
  /** Returns the engine that runs operations on this server. Throws Unavailable, for example after `close`. */
  engine(): Engine
  /** Closes the server once its pending work is done. */
  close(): Promise<void>
}

/** The reason of Unavailable for work that begins after `close`. */
export const closedMessage = 'the server is shutting down'

/** The server with this name is unavailable. */
export class ServerUnavailable extends Unavailable {
  readonly server: string

  constructor(server: string, { message, mayBeCorrupt, outage }: Unavailable) {
    super(message, outage, mayBeCorrupt)
    this.server = server
  }
}

/** A server in use. `checkedAt`: the generation in which its address was last looked up. */
type OpenServer = { address: string; server: Server; checkedAt: number }

/** Finds each tenant's server by the server name in the tenant's catalog row. */
export class EngineRouter implements Engine {
  /** Each function calls the same function on the tenant's server. Throws ServerUnavailable. */
  readonly databases: TenantDatabases
  readonly #addressOf: (name: string) => Promise<string>
  readonly #open: (name: string, address: string) => Server
  readonly #opened = new Map<string, OpenServer>()
  /** Incremented when addresses may have changed: cached addresses are then looked up again. */
  #generation = 0
  #isClosed = false

  /** `addressOf` resolves a name, and throws Unavailable if there is no such server; `open` must not block. `version`:
   *  the schema version of tenants' databases. */
  constructor(
    addressOf: (name: string) => Promise<string>,
    open: (name: string, address: string) => Server,
    version: number,
  ) {
    this.#addressOf = addressOf
    this.#open = open
    this.databases = {
      version,
      probe: (tenant) => this.#on(tenant, (databases) => databases.probe(tenant)),
      inspect: (tenant, deadline) => this.#on(tenant, (databases) => databases.inspect(tenant, deadline)),
      create: (tenant, state) => this.#on(tenant, (databases) => databases.create(tenant, state)),
      adopt: (tenant, path) => this.#on(tenant, (databases) => databases.adopt(tenant, path)),
      remove: (tenant, state) => this.#on(tenant, (databases) => databases.remove(tenant, state)),
      transition: (tenant, from, to) => this.#on(tenant, (databases) => databases.transition(tenant, from, to)),
      read: (tenant, work) => this.#on(tenant, (databases) => databases.read(tenant, work)),
      snapshot: (tenant, path, work) => this.#on(tenant, (databases) => databases.snapshot(tenant, path, work)),
      compact: (tenant) => this.#on(tenant, (databases) => databases.compact(tenant)),
      write: (tenant, work) => this.#on(tenant, (databases) => databases.write(tenant, work)),
    }
  }

  /** Uses the cached address, because a lookup would cost a round trip. Looks the address up again if the catalog has
   *  changed or the tenant is unavailable. If the address has changed, a read is retried. A write is not retried,
   *  because it may have been committed before the connection was lost. The client must retry the write. */
  async run<Input, Output>(tenant: TenantLocation, operation: Operation<Input, Output>, input: Input): Promise<Output> {
    const entry = this.#opened.get(tenant.server)
    const cached = entry?.checkedAt === this.#generation ? entry.server : await this.#find(tenant)
    try {
      return await cached.engine().run(tenant, operation, input)
    } catch (error) {
      const current = error instanceof Unavailable ? await this.#find(tenant) : cached
      if (current === cached || operation.writes) throw error
      return current.engine().run(tenant, operation, input)
    }
  }

  async migrate(tenant: TenantLocation): Promise<void> {
    return (await this.#find(tenant)).engine().migrate(tenant)
  }

  async compact(tenant: TenantLocation): Promise<void> {
    return (await this.#find(tenant)).engine().compact(tenant)
  }

  /** Call this when addresses may have changed: the next use of each server looks its address up again. */
  forgetAddresses(): void {
    this.#generation++
  }

  /** Work that begins afterwards is refused with Unavailable, so that it does not open a server again. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#opened.values()].map(({ server }) => server.close()))
  }

  async #find({ server: name }: TenantLocation): Promise<Server> {
    const checkedAt = this.#generation
    const address = await this.#addressOf(name)
    if (this.#isClosed) throw new Unavailable(closedMessage)
    const current = this.#opened.get(name)
    if (current?.address === address) {
      current.checkedAt = Math.max(current.checkedAt, checkedAt)
      return current.server
    }
    current?.server.close().catch(() => {}) // after its pending work; no new work goes there
    const server = this.#open(name, address)
    this.#opened.set(name, { address, server, checkedAt })
    return server
  }

  async #on<T>(tenant: TenantLocation, call: (databases: TenantDatabases) => Promise<T>): Promise<T> {
    try {
      return await call((await this.#find(tenant)).databases)
    } catch (error) {
      const isUnnamed = error instanceof Unavailable && error.constructor === Unavailable
      throw isUnnamed ? new ServerUnavailable(tenant.server, error) : error
    }
  }
}
