// Tenants as schemas of a PostgreSQL server: each operation is one transaction on a pooled connection.

import { type Database, Unavailable } from '../../database/database.ts'
import { type Pool, postgresDialect } from '../../database/postgres/pool.ts'
import type { Resources } from '../../resources/resource.ts'
import { migrateSchema, schemaVersion } from '../../resources/schema/migrations.ts'
import { createSchema } from '../../resources/schema/schema.ts'
import { defaultQueueTimeoutMs } from '../in-flight-limit.ts'
import { MigrationFailed, type OnMigrated, openMigrations, SchemaTooNew } from '../migration-queue.ts'
import type { Operation } from '../operations/operation.ts'
import { type Input, type OperationName, type Output, operations } from '../operations.ts'
import type { SlowOperationLog } from '../slow-operations.ts'
import type {
  DatabaseOwner,
  Storage,
  TenantDatabase,
  TenantDatabaseState,
  TenantDatabases,
  TenantLocation,
} from '../storage.ts'
import { openConnectionShare, type Waiting } from './connection-share.ts'
import { type QueuedWrite, runWrites } from './group-commit.ts'
import { type Measurement, openMeasurements } from './measure-operation.ts'

/** Name of a tenant's schema. Built from the id in the catalog, never from input. */
export function tenantSchema(id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return `t_${id}`
}

const tenantRow = 'select id, state, schema_version from tenant'

/** The same query with a row lock, for writers. The lock is held until the commit, so a tenant's writes run one after
 *  another: no two get the same number or deadlock, and what a write has read does not change. */
const lockedTenant = `${tenantRow} for update`

export function postgresStorage(
  pool: Pool,
  resources: Resources,
  onMigrated?: OnMigrated,
  queueTimeoutMs = defaultQueueTimeoutMs,
  slowOperations?: SlowOperationLog,
): Storage {
  const version = schemaVersion(resources)
  const share = openConnectionShare<QueuedWrite & Waiting>({
    connections: pool.connections,
    queueTimeoutMs,
    runWrites: (tenant, writes) => runWrites((work) => transact(tenant, 'write', work), writes),
  })
  const explain = (tenant: string, sql: string) =>
    pool.transaction(
      tenantSchema(tenant),
      async (database) => database.texts(`explain (generic_plan) ${sql}`), // without values (PostgreSQL 16)
      'read',
    )
  const startMeasuring = openMeasurements(slowOperations, explain)
  const ready = new Set<string>() // tenants seen at the current schema version

  /** One node runs the migration; the others wait here, each with one connection. */
  const migrations = openMigrations(async (id) => {
    const schema = tenantSchema(id)
    const work = (database: Database) => migrate(database, resources)
    requireOwner(id, await pool.transaction(schema, work, 'migration').catch(throwMigrationFailure))
  }, onMigrated)

  async function prepare(tenant: string): Promise<void> {
    const find = async (database: Database) => database.get(tenantRow)
    const row = await pool.transaction(tenantSchema(tenant), find, 'read')
    if (row?.schema_version !== version) await migrations.await(tenant)
    else requireOwner(tenant, row as DatabaseOwner)
    ready.add(tenant)
  }

  /** Runs work in a transaction that checks the schema's owner and version. */
  async function transact<T>(
    tenant: string,
    kind: 'write' | 'read' | 'snapshot',
    work: (database: Database) => Promise<T>,
  ): Promise<T> {
    if (!ready.has(tenant)) await prepare(tenant)
    const checkAndWork = async (database: Database): Promise<T> => {
      // Sent together with the work, so that the check costs no round trip.
      const asked = database.get(kind === 'write' ? lockedTenant : tenantRow)
      const [owner, output] = await Promise.allSettled([asked, work(database)])
      if (owner.status === 'rejected') throw owner.reason
      const { id, state, schema_version } = owner.value ?? {}
      if (id !== tenant || state !== 'open' || schema_version !== version) {
        ready.delete(tenant)
        throw new Unavailable('the schema belongs to another tenant, has another version, or is being moved')
      }
      if (output.status === 'rejected') throw output.reason
      return output.value
    }
    return pool.transaction(tenantSchema(tenant), checkAndWork, kind)
  }

  function run<Name extends OperationName>(
    { id: tenant }: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    const measurement = startMeasuring(tenant, name)
    const result = runOperation(tenant, name, input, measurement)
    if (measurement) result.then(measurement.end, measurement.end)
    return result
  }

  function runOperation<Name extends OperationName>(
    tenant: string,
    name: Name,
    input: Input<Name>,
    measurement: Measurement | undefined,
  ): Promise<Output<Name>> {
    const operation = operations[name] as Operation<Input<Name>, Output<Name>>
    const pause = () => share.stepDone(tenant) // connections work in parallel, so that nobody else waits for its end
    const plainWork = (database: Database) => operation.run(database, resources, input, pause)
    const work = measurement ? (database: Database) => measurement.run(database, () => plainWork(database)) : plainWork
    if (!operation.writes)
      return share.read(tenant, operation.isScan === true, () =>
        transact(tenant, operation.needsSnapshot ? 'snapshot' : 'read', work),
      )
    const { promise, resolve, reject: refuse } = Promise.withResolvers<Output<Name>>()
    const settings = { isRepeatable: isKeyed(input), isLong: operation.isLong === true }
    share.write({ tenant, queuedAt: performance.now(), run: work, ...settings, resolve, refuse })
    return promise
  }

  return { run, migrate: (tenant) => migrations.migrate(tenant.id), compact: async () => {} }
}

function requireOwner(tenant: string, { id, state }: DatabaseOwner): void {
  if (id !== tenant || state !== 'open')
    throw new Unavailable(`the schema is not open to this tenant: its owner is "${id}", and its state ${state}`)
}

function throwMigrationFailure(error: unknown): never {
  throw error instanceof Unavailable ? error : new MigrationFailed((error as Error).message)
}

/** If the connection is lost during a commit, its outcome is unknown. Work with an Idempotency-Key can run again: the
 *  stored response shows whether it was committed. */
function isKeyed(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'idempotency' in input && input.idempotency !== null
}

export function postgresDatabases(pool: Pool, resources: Resources): TenantDatabases {
  async function within<T>(
    tenant: TenantLocation,
    kind: 'write' | 'snapshot',
    work: (inside: TenantDatabase) => Promise<T>,
  ): Promise<T> {
    const schema = tenantSchema(tenant.id)
    await pool.transaction(schema, (database) => migrate(database, resources), 'migration')
    return pool.transaction(schema, (database) => work({ database, dialect: postgresDialect }), kind)
  }

  return {
    version: schemaVersion(resources),

    probe: async () => void (await pool.get('select 1 as reached')),

    /** The server checks its pages itself, with data checksums. */
    async inspect({ id }) {
      const read = async (database: Database) => database.get(tenantRow)
      const row = await pool.transaction(tenantSchema(id), read, 'read')
      const owner = row ? { id: row.id as string, state: row.state as TenantDatabaseState } : null
      return { owner, schemaVersion: (row?.schema_version ?? 0) as number, damage: null, isSearched: true }
    },

    async create(tenant, state = 'open') {
      const schema = tenantSchema(tenant.id)
      await pool.transaction(schema, async (database) => {
        if (await exists(database, schema)) throw new Unavailable(`there is a schema ${schema} already`)
        await database.run(`create schema ${schema}`)
        await createSchema(database, resources, postgresDialect)
        await database.run('insert into tenant (id, state, schema_version) values (?, ?, ?)', [
          tenant.id,
          state,
          schemaVersion(resources),
        ])
      })
    },

    adopt: async () => false,

    async remove(tenant, state) {
      const schema = tenantSchema(tenant.id)
      await pool.transaction(schema, async (database) => {
        if (state && !(await isInState(database, tenant, state))) return
        await database.run(`drop schema if exists ${schema} cascade`)
      })
    },

    transition: (tenant, from, to) =>
      pool.transaction(tenantSchema(tenant.id), async (database) => {
        // Every write transaction starts by locking this row: running ones end first, later ones see the new state.
        const sql = 'update tenant set state = ? where id = ? and state in (?, ?)'
        return (await database.run(sql, [to, tenant.id, from, to])) === 1
      }),

    read: (tenant, work) => within(tenant, 'snapshot', work),
    snapshot: (tenant, _copyPath, work) => within(tenant, 'snapshot', (inside) => work({ ...inside, file: null })),
    compact: async () => {}, // autovacuum
    write: (tenant, work) => within(tenant, 'write', work),
  }
}

async function exists(database: Database, schema: string): Promise<boolean> {
  return (await database.get('select 1 as found from pg_namespace where nspname = ?', [schema])) !== undefined
}

async function isInState(database: Database, tenant: TenantLocation, state: TenantDatabaseState): Promise<boolean> {
  if (!(await exists(database, tenantSchema(tenant.id)))) return false
  const owner = await database.get('select id, state from tenant')
  return owner?.id === tenant.id && owner.state === state
}

/** Migrates a tenant to the current schema version and returns its owner. One node does it; the others wait. */
async function migrate(database: Database, resources: Resources): Promise<DatabaseOwner> {
  const present = schemaVersion(resources)
  const current = await database.get(tenantRow)
  if (current?.schema_version === present) return current as DatabaseOwner // without waiting for writers
  const row = await database.get(lockedTenant)
  if (!row) throw new Unavailable('the schema does not name the tenant that owns it')
  const version = row.schema_version as number
  if (version > present) throw new SchemaTooNew(`made by a newer version (schema ${version}, this is ${present})`)
  if (version === present) return row as DatabaseOwner
  await migrateSchema(database, resources, version, postgresDialect)
  await database.run('update tenant set schema_version = ?', [present])
  return row as DatabaseOwner
}
