// Tenants as schemas of a PostgreSQL server: each operation is one transaction on a pooled connection.

import { type Database, Unavailable } from '../../database/database.ts'
import { type Pool, postgresDialect } from '../../database/postgres/pool.ts'
import type { Resources } from '../../resources/resource.ts'
import { changeSchema, schemaVersion } from '../../resources/schema/schema.ts'
import { defaultQueueTimeoutMs } from '../in-flight-limit.ts'
import { MigrationFailed, type OnMigrated, openMigrations, SchemaTooNew } from '../migration-queue.ts'
import { type Input, type OperationName, type Output, operations } from '../operations.ts'
import {
  ownerTag,
  type Storage,
  type TenantDatabase,
  type TenantDatabaseState,
  type TenantDatabases,
  type TenantLocation,
} from '../storage.ts'
import { openConnectionShare } from './connection-share.ts'

/** The schema of a tenant. Built from the id of its row, never from input. */
export function tenantSchema(id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return `t_${id}`
}

/** Who the tenant is, at which version. */
const tenantRow = 'select id, schema_version from tenant'

/** The same, for whoever writes: the changes of a tenant are made one after another, each from here to its commit. So no two
 *  take the same number, what is looked up stays true, and no two wait for each other. */
const lockedTenant = `${tenantRow} for update`

/** Work that has failed later than this is not run again: its caller has waited long enough, and finds out by a retry.
 *  Milliseconds. */
const againWithin = 2500

export function postgresStorage(
  pool: Pool,
  resources: Resources,
  told?: OnMigrated,
  queueTimeoutMs = defaultQueueTimeoutMs,
): Storage {
  const version = schemaVersion(resources)
  const share = openConnectionShare(pool.connections, queueTimeoutMs)
  const ready = new Set<string>() // tenants this process has seen at the present schema version

  /** Of several nodes one does it, and the others wait here, each with one connection. */
  const migrations = openMigrations(async (id) => {
    const schema = tenantSchema(id)
    const work = (database: Database) => migrate(database, resources)
    requireOwner(id, await pool.transaction(schema, work, 'migration').catch(tellFailure))
  }, told)

  async function prepare(tenant: TenantLocation): Promise<void> {
    const find = async (database: Database) => database.get(tenantRow)
    const row = await pool.transaction(tenantSchema(tenant.id), find, 'read')
    if (row?.schema_version !== version) await migrations.await(tenant.id)
    else requireOwner(tenant.id, row.id as string)
    ready.add(tenant.id)
  }

  async function runOnce<Name extends OperationName>(
    tenant: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    if (!ready.has(tenant.id)) await prepare(tenant)
    const work = operations[name].run as (...parts: unknown[]) => Promise<never>
    const transact = async (database: Database): Promise<Output<Name>> => {
      // Goes ahead with the work, without a round trip of its own: is this still the schema that prepare has seen?
      const asked = database.get(operations[name].writes ? lockedTenant : tenantRow)
      const [owner, output] = await Promise.allSettled([asked, work(database, resources, input)])
      if (owner.status === 'rejected') throw owner.reason
      if (owner.value?.id !== tenant.id || owner.value.schema_version !== version) {
        ready.delete(tenant.id)
        throw new Unavailable('the schema is of another tenant, of another version, or moving')
      }
      if (output.status === 'rejected') throw output.reason
      return output.value
    }
    return pool.transaction(tenantSchema(tenant.id), transact, kindOf(name))
  }

  async function runSurely<Name extends OperationName>(
    tenant: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    const start = Date.now()
    try {
      return await runOnce(tenant, name, input)
    } catch (error) {
      if (!(error instanceof Unavailable && isKeyed(input)) || Date.now() - start > againWithin) throw error
      return runOnce(tenant, name, input)
    }
  }

  return {
    run: (tenant, name, input) =>
      share.run(tenant.id, 'isLong' in operations[name], () => runSurely(tenant, name, input)),
    migrate: (tenant) => migrations.migrate(tenant.id),
  }
}

function requireOwner(tenant: string, owner: string): void {
  if (owner !== tenant) throw new Unavailable(`the schema is not open to this tenant: its owner is "${owner}"`)
}

function tellFailure(error: unknown): never {
  throw error instanceof Unavailable ? error : new MigrationFailed((error as Error).message)
}

function kindOf(name: OperationName): 'write' | 'read' | 'snapshot' {
  const operation = operations[name]
  if ('needsSnapshot' in operation) return 'snapshot'
  return operation.writes ? 'write' : 'read'
}

/** A connection cut in the middle of a commit leaves its outcome open. With an Idempotency-Key the work can be run again:
 *  the kept answer tells whether it was done. */
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

    async create(tenant, standing = 'open') {
      const schema = tenantSchema(tenant.id)
      await pool.transaction(schema, async (database) => {
        if (await exists(database, schema)) throw new Unavailable(`there is a schema ${schema} already`)
        await database.run(`create schema ${schema}`)
        await changeSchema(database, resources, 0, postgresDialect)
        await database.run('alter table tenant add column schema_version bigint not null default 0')
        await database.run('insert into tenant (id, schema_version) values (?, ?)', [
          ownerTag(tenant.id, standing),
          schemaVersion(resources),
        ])
      })
    },

    async remove(tenant, standing) {
      const schema = tenantSchema(tenant.id)
      await pool.transaction(schema, async (database) => {
        if (standing && !(await isInState(database, tenant, standing))) return
        await database.run(`drop schema if exists ${schema} cascade`)
      })
    },

    transition: (tenant, from, to) =>
      pool.transaction(tenantSchema(tenant.id), async (database) => {
        // Every transaction that writes has begun by locking this row: those at work end first, later ones see the mark.
        const marks = [ownerTag(tenant.id, to), ownerTag(tenant.id, from), ownerTag(tenant.id, to)]
        return (await database.run('update tenant set id = ? where id in (?, ?)', marks)) === 1
      }),

    read: (tenant, work) => within(tenant, 'snapshot', work),
    write: (tenant, work) => within(tenant, 'write', work),
  }
}

async function exists(database: Database, schema: string): Promise<boolean> {
  return (await database.get('select 1 as found from pg_namespace where nspname = ?', [schema])) !== undefined
}

async function isInState(database: Database, tenant: TenantLocation, standing: TenantDatabaseState): Promise<boolean> {
  if (!(await exists(database, tenantSchema(tenant.id)))) return false
  return (await database.get('select id from tenant'))?.id === ownerTag(tenant.id, standing)
}

/** Brings a tenant to the present schema version; of several nodes one does it and the others wait. Gives its owner. */
async function migrate(database: Database, resources: Resources): Promise<string> {
  const present = schemaVersion(resources)
  const current = await database.get(tenantRow)
  if (current?.schema_version === present) return current.id as string // without waiting for those that write
  const row = await database.get(lockedTenant)
  if (!row) throw new Unavailable('the schema says of no tenant that it is its owner')
  const version = row.schema_version as number
  if (version > present) throw new SchemaTooNew(`made by a newer version (schema ${version}, this is ${present})`)
  if (version === present) return row.id as string
  await changeSchema(database, resources, version, postgresDialect)
  await database.run('update tenant set schema_version = ?', [present])
  return row.id as string
}
