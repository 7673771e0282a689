// Opens the catalog in a PostgreSQL schema, which any number of nodes can share.

import type { Database } from '../engine/database/database.ts'
import { encodingProblem, readEncoding, utf8Advice } from '../engine/database/postgres/encoding.ts'
import type { Pool } from '../engine/database/postgres/pool.ts'
import { UserError } from '../lib/user-error.ts'
import { builtInServers, type Catalog, coalescePerTick } from './catalog.ts'
import { catalogMigrations, latestVersion, pendingSteps } from './schema.ts'
import type { OpenKind } from './sqlite.ts'

/** The table in which nodes share rate-limit counts; its columns are key, points and expire. */
export type SharedStore = { pool: Pool; schema: string; table: string }

export const catalogSchema = 'tenantdesk'

export const rateLimitTable = 'rate_limit'

/** An arbitrary number for an advisory lock. Nodes that start at the same time take the lock to migrate one after
 *  another. */
const migrationLock = 7_236_401

/** Opens the catalog in a database. Throws UserError, Unavailable. */
export async function openPostgresCatalog(pool: Pool, kind: OpenKind): Promise<Catalog> {
  if (kind === 'migrate') {
    const problem = encodingProblem(await readEncoding(pool))
    if (problem) throw new UserError(`The database of DATABASE_URL ${problem} ${utf8Advice}`)
    // A migration transaction waits long enough for another node to finish its migration.
    await pool.transaction(catalogSchema, migrateCatalog, 'migration')
  }
  const read = <T>(callback: (database: Database) => Promise<T>) => pool.transaction(catalogSchema, callback, 'read')
  return {
    defaultServer: builtInServers.catalog,
    database: {
      get: (sql, values) => read(async (database) => database.get(sql, values)),
      all: (sql, values) => read(async (database) => database.all(sql, values)),
    },
    transaction: (callback, effect) =>
      pool.transaction(catalogSchema, async (database) => {
        // Both statements lock the row, so that transactions run one at a time.
        if (effect?.keepsCachedKeys) await database.get('select changes from catalog_version for update')
        else await database.run('update catalog_version set changes = changes + 1')
        return callback(database)
      }),
    snapshot: (callback) => pool.transaction(catalogSchema, callback, 'snapshot'),
    version: coalescePerTick(async () => {
      const row = await pool.get(`select changes from ${catalogSchema}.catalog_version`)
      return Number(row!.changes)
    }),
    compact: async () => {},
    close: async () => {},
  }
}

export async function migrateCatalog(database: Database): Promise<'created' | 'existing'> {
  await database.get('select pg_advisory_xact_lock(?)', [migrationLock])
  await database.run(`create schema if not exists ${catalogSchema}`)
  await database.run(
    'create table if not exists catalog_version (schema_version bigint not null, changes bigint not null)',
  )
  // Unlogged, so that PostgreSQL does not write WAL for the counts: a crash may lose them, because each is needed for
  // only a minute.
  await database.run(
    `create unlogged table if not exists ${rateLimitTable} (key varchar(255) primary key, points integer, expire bigint)`,
  )
  const row = await database.get<{ schema_version: number }>('select schema_version from catalog_version')
  const migrations = catalogMigrations('postgres')
  const statements = pendingSteps(migrations, row?.schema_version ?? 0).flatMap(({ up }) => up)
  for (const statement of statements) await database.run(statement)
  if (!row) await database.run('insert into catalog_version (schema_version, changes) values (?, 0)', [0])
  await database.run('update catalog_version set schema_version = ?', [latestVersion(migrations)])
  return row ? 'existing' : 'created'
}
