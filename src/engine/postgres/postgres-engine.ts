// Runs operations on tenants that are schemas on a PostgreSQL server. Each operation is one transaction on a pooled
// connection, except that a tenant's queued writes share a transaction.

import { type Database, Unavailable } from '../database/database.ts'
import type { Pool } from '../database/postgres/pool.ts'
import { defaultQueueTimeoutMs, type Engine, type EngineOptions } from '../engine.ts'
import { measureOperation } from '../measurements.ts'
import { type Migrations, openMigrations } from '../migration-queue.ts'
import { type AnyOperation, type Operation, runOperation } from '../operation.ts'
import type { Product } from '../product.ts'
import type { DatabaseOwner, TenantLocation } from '../tenant-databases.ts'
import { ConnectionShare, type WaitingOperation } from './connection-share.ts'
import { type QueuedWrite, runWrites } from './group-commit.ts'
import { lockedTenant, migrateTenant, type TenantRow, tenantRow, tenantSchema } from './tenant-schemas.ts'

export class PostgresEngine implements Engine {
  readonly #pool: Pool
  readonly #product: Product
  readonly #version: number
  readonly #share: ConnectionShare<QueuedWrite & WaitingOperation>
  readonly #migrations: Migrations
  readonly #ready = new Set<string>() // tenants seen at the current schema version

  constructor(pool: Pool, product: Product, options: EngineOptions = {}) {
    const { onMigrated, queueTimeoutMs = defaultQueueTimeoutMs, migrationTimeoutMs } = options
    this.#pool = pool
    this.#product = product
    this.#version = product.schema.version
    this.#share = new ConnectionShare({
      connections: pool.connections,
      queueTimeoutMs,
      runWrites: (tenant, writes) => runWrites((work) => this.#transact(tenant, 'write', work), writes),
    })
    this.#migrations = openMigrations((id) => this.#migrate(id), { onMigrated, timeoutMs: migrationTimeoutMs })
  }

  run<Input, Output>(
    { id: tenant }: TenantLocation,
    operation: Operation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    const endMeasurement = measureOperation()
    let startedAt = Number.POSITIVE_INFINITY
    const pause = () => this.#share.noteStep(tenant) // no pause is needed: other tenants use other connections
    const context = { resources: this.#product.resources, pause }
    const work = (database: Database) => {
      startedAt = Math.min(startedAt, performance.now()) // the first start: the operation may run again
      return runOperation(operation, database, input, context)
    }
    const result = operation.writes ? this.#write(tenant, operation, input, work) : this.#read(tenant, operation, work)
    if (endMeasurement) {
      const end = () => endMeasurement(Math.max(0, performance.now() - startedAt))
      result.then(end, end)
    }
    return result
  }

  migrate(tenant: TenantLocation): Promise<void> {
    return this.#migrations.migrate(tenant.id)
  }

  /** Nothing to do: PostgreSQL has autovacuum. */
  async compact(): Promise<void> {}

  #read<Output>(tenant: string, { isScan, needsSnapshot }: AnyOperation, work: Work<Output>): Promise<Output> {
    const kind = needsSnapshot ? 'snapshot' : 'read'
    return this.#share.read(tenant, isScan === true, () => this.#transact(tenant, kind, work))
  }

  #write<Output>(tenant: string, { isLong }: AnyOperation, input: unknown, run: Work<Output>): Promise<Output> {
    const { promise, resolve, reject: refuse } = Promise.withResolvers<Output>()
    const settings = { isRepeatable: isKeyed(input), isLong: isLong === true }
    this.#share.write({ tenant, queuedAt: performance.now(), run, ...settings, resolve, refuse })
    return promise
  }

  /** Runs `work` in a transaction that checks the schema's owner and version. */
  async #transact<T>(tenant: string, kind: 'write' | 'read' | 'snapshot', work: Work<T>): Promise<T> {
    if (!this.#ready.has(tenant)) await this.#prepare(tenant)
    const checkAndRun = async (database: Database): Promise<T> => {
      // Sent together with the work, so that the check does not cost a round trip.
      const ownerQuery = database.get(kind === 'write' ? lockedTenant : tenantRow)
      const [owner, output] = await Promise.allSettled([ownerQuery, work(database)])
      if (owner.status === 'rejected') throw owner.reason
      const { id, state, schema_version } = owner.value ?? {}
      if (id !== tenant || state !== 'open' || schema_version !== this.#version) {
        this.#ready.delete(tenant)
        throw new Unavailable('the schema belongs to another tenant, has another version, or is being moved')
      }
      if (output.status === 'rejected') throw output.reason
      return output.value
    }
    return this.#pool.transaction(tenantSchema(tenant), checkAndRun, kind)
  }

  async #prepare(tenant: string): Promise<void> {
    const find = async (database: Database) => database.get<TenantRow>(tenantRow)
    const row = await this.#pool.transaction(tenantSchema(tenant), find, 'read')
    if (row?.schema_version !== this.#version) await this.#migrations.await(tenant)
    else requireOwner(tenant, row)
    this.#ready.add(tenant)
  }

  /** One node runs the migration. The other nodes wait here, each using one connection. */
  async #migrate(tenant: string): Promise<void> {
    const work = (database: Database) => migrateTenant(database, this.#product)
    requireOwner(tenant, await this.#pool.transaction(tenantSchema(tenant), work, 'migration'))
  }
}

type Work<Output> = (database: Database) => Promise<Output>

function requireOwner(tenant: string, { id, state }: DatabaseOwner): void {
  if (id !== tenant || state !== 'open')
    throw new Unavailable(`the schema is not open to this tenant: its owner is "${id}", and its state is ${state}`)
}

/** If the connection is lost during a commit, the outcome is unknown. A write with an Idempotency-Key can nevertheless
 *  run again, because the stored response shows whether the write was committed. */
function isKeyed(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'idempotency' in input && input.idempotency !== null
}
