// Tenants' schemas on a PostgreSQL server: creates, inspects, reads, writes and removes them.

import { type Database, Unavailable } from '../database/database.ts'
import { type Pool, postgresDialect } from '../database/postgres/pool.ts'
import { SchemaTooNew } from '../migration-queue.ts'
import type { Product } from '../product.ts'
import type {
  DatabaseOwner,
  TenantDatabaseState,
  TenantDatabases,
  TenantInspection,
  TenantLocation,
  TenantSnapshot,
  TenantWork,
} from '../tenant-databases.ts'

/** Returns a tenant's schema name, built from the id in the catalog and never from input. */
export function tenantSchema(id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not a tenant id')
  return `t_${id}`
}

export type TenantRow = DatabaseOwner & { schema_version: number }

export const tenantRow = 'select id, state, schema_version from tenant'

/** The same query with a row lock, for writers. The lock is held until the commit, so a tenant's writes run one after
 *  another. Writes therefore never deadlock or use the same number, and what a write has read stays current until its
 *  commit. */
export const lockedTenant = `${tenantRow} for update`

export class TenantSchemas implements TenantDatabases {
  readonly version: number
  readonly #pool: Pool
  readonly #product: Product

  constructor(pool: Pool, product: Product) {
    this.#pool = pool
    this.#product = product
    this.version = product.schema.version
  }

  async probe(): Promise<void> {
    await this.#pool.get('select 1 as reached')
  }

  /** Does not search for damage, because PostgreSQL verifies its pages' checksums itself. `isSearched` is always true. */
  async inspect({ id }: TenantLocation): Promise<TenantInspection> {
    const { latestChangeTime } = this.#product.schema
    const read = async (database: Database): Promise<TenantInspection> => {
      const row = await database.get<TenantRow>(tenantRow)
      const latest = await database.get<{ at: string | null }>(latestChangeTime)
      return {
        owner: row ? { id: row.id, state: row.state } : null,
        schemaVersion: row?.schema_version ?? 0,
        damage: null,
        isSearched: true,
        latestChangeAt: latest?.at ?? null,
      }
    }
    return this.#pool.transaction(tenantSchema(id), read, 'read')
  }

  async create(tenant: TenantLocation, state: TenantDatabaseState = 'open'): Promise<void> {
    const schema = tenantSchema(tenant.id)
    await this.#pool.transaction(schema, async (database) => {
      if (await exists(database, schema)) throw new Unavailable(`the schema ${schema} already exists`)
      await database.run(`create schema ${schema}`)
      await this.#product.schema.create(database, postgresDialect)
      const values = [tenant.id, state, this.version]
      await database.run('insert into tenant (id, state, schema_version) values (?, ?, ?)', values)
    })
  }

  async adopt(): Promise<boolean> {
    return false
  }

  async remove(tenant: TenantLocation, state?: TenantDatabaseState): Promise<void> {
    const schema = tenantSchema(tenant.id)
    await this.#pool.transaction(schema, async (database) => {
      if (state) {
        const owner = (await exists(database, schema)) ? await database.get<TenantRow>(tenantRow) : undefined
        if (owner?.id !== tenant.id || owner.state !== state) return
      }
      await database.run(`drop schema if exists ${schema} cascade`)
    })
  }

  transition(tenant: TenantLocation, from: TenantDatabaseState, to: TenantDatabaseState): Promise<boolean> {
    return this.#pool.transaction(tenantSchema(tenant.id), async (database) => {
      // Every write transaction starts by locking this row, so the update waits for running writes, and later writes
      // see the new state.
      const sql = 'update tenant set state = ? where id = ? and state in (?, ?)'
      return (await database.run(sql, [to, tenant.id, from, to])) === 1
    })
  }

  read<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T> {
    return this.#migrateAndRun(tenant, 'snapshot', work)
  }

  snapshot<T>(tenant: TenantLocation, _copyPath: string, work: TenantWork<T, TenantSnapshot>): Promise<T> {
    return this.#migrateAndRun(tenant, 'snapshot', (tenantDatabase) => work({ ...tenantDatabase, file: null }))
  }

  write<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T> {
    return this.#migrateAndRun(tenant, 'write', work)
  }

  /** Nothing to do: PostgreSQL has autovacuum. */
  async compact(): Promise<void> {}

  async #migrateAndRun<T>(tenant: TenantLocation, kind: 'write' | 'snapshot', work: TenantWork<T>): Promise<T> {
    const schema = tenantSchema(tenant.id)
    await this.#pool.transaction(schema, (database) => migrateTenant(database, this.#product), 'migration')
    return this.#pool.transaction(schema, (database) => work({ database, dialect: postgresDialect }), kind)
  }
}

async function exists(database: Database, schema: string): Promise<boolean> {
  return (await database.get('select 1 as found from pg_namespace where nspname = ?', [schema])) !== undefined
}

/** Migrates a tenant to the current schema version and returns its owner. One node migrates the tenant; other nodes
 *  wait for that node's lock. */
export async function migrateTenant(database: Database, { schema }: Product): Promise<DatabaseOwner> {
  const unlockedRow = await database.get<TenantRow>(tenantRow)
  if (unlockedRow?.schema_version === schema.version) return unlockedRow // does not wait for writers
  const row = await database.get<TenantRow>(lockedTenant)
  if (!row) throw new Unavailable('the schema does not name the tenant that owns it')
  const version = row.schema_version
  if (version > schema.version)
    throw new SchemaTooNew(`created by a newer version (schema ${version}, this is ${schema.version})`)
  if (version === schema.version) return row
  await schema.migrate(database, version, postgresDialect)
  await database.run('update tenant set schema_version = ?', [schema.version])
  return row
}
