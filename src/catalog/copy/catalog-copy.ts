// Copies a data directory's catalog to PostgreSQL, and closes the SQLite catalog so that no process can continue to use
// it. The tenants' files are not moved.

import { randomUUID } from 'node:crypto'
import type { Database } from '../../engine/database/database.ts'
import { openPool, type Pool } from '../../engine/database/postgres/pool.ts'
import type { Connection } from '../../engine/database/sqlite/connection.ts'
import { errorMessageOf } from '../../lib/errors.ts'
import { UserError } from '../../lib/user-error.ts'
import { type AuditActor, writeEvent } from '../audit/audit-log.ts'
import { catalogSchema, migrateCatalog } from '../postgres.ts'
import { connectCatalog, findCopy } from '../sqlite.ts'
import { copyTable, tablesOf } from './copy-rows.ts'

/** `rows`: each table's row count. `closedMs`: the duration of the copy. */
export type CopiedCatalog = { target: string; rows: Record<string, number>; closedMs: number }

/** Tables that are not copied: leases and moves, which belong to running processes, and the change counter. */
const excludedTables = ['leases', 'tenant_moves', 'catalog_version']

/** Closes the catalog and then copies it in one transaction on the target, so that two catalogs are never in use at the
 *  same time. After a crash during the copy, the catalog stays closed, and another call completes the copy. If the copy
 *  fails, the catalog is reopened, unless it is unknown whether the target has committed. Throws UserError. */
export async function copyCatalog(directory: string, url: string, actor: AuditActor): Promise<CopiedCatalog> {
  return withCatalogs(directory, url, async (source, pool, target) => {
    const earlierCopy = findCopy(source)
    if (earlierCopy) requireTarget(earlierCopy, target)
    else if (await hasTable(pool, 'catalog_version')) throw new UserError(occupiedMessage(target))
    const startedAt = performance.now()
    const id = earlierCopy?.id ?? (await closeCatalog(source, target, actor))
    const rows = await copyClosed(source, pool, { id, target }, actor)
    return { target, rows, closedMs: Math.round(performance.now() - startedAt) }
  })
}

/** Whether the SQLite catalog was closed by a copy. */
export async function isCatalogCopied(directory: string): Promise<boolean> {
  const source = connectCatalog(directory)
  try {
    return findCopy(source) !== undefined
  } finally {
    source.close()
  }
}

/** Reopens the SQLite catalog and removes its copy. Throws UserError if the copy has changed. */
export async function cancelCopy(directory: string, url: string): Promise<{ target: string }> {
  return withCatalogs(directory, url, async (source, pool, target) => {
    await source.transaction(async () => {
      const copy = findCopy(source)
      if (!copy) throw new UserError('The catalog in DATA_DIR has not been copied.')
      requireTarget(copy, target)
      if (await isCopied(pool, copy.id)) await pool.transaction(catalogSchema, dropUnchanged, 'migration')
      source.run('delete from catalog_copies')
    })
    return { target }
  })
}

async function withCatalogs<T>(
  directory: string,
  url: string,
  callback: (source: Connection, pool: Pool, target: string) => Promise<T>,
): Promise<T> {
  const { host, pathname } = new URL(url)
  const source = connectCatalog(directory)
  const pool = openPool(url, 1)
  try {
    return await callback(source, pool, host + pathname)
  } finally {
    source.close()
    await pool.close()
  }
}

type CatalogCopy = { id: string; target: string }

function requireTarget(copy: CatalogCopy, target: string): void {
  if (copy.target !== target) throw new UserError(`The catalog was copied to ${copy.target}, not to ${target}.`)
}

function occupiedMessage(target: string): string {
  return `There is already an installation in ${target}; the catalog can only be copied to a database without one.`
}

async function hasTable(pool: Pool, name: 'catalog_version' | 'catalog_copies'): Promise<boolean> {
  const row = await pool.get(`select to_regclass('${catalogSchema}.${name}') is not null as found`)
  return row!.found === true
}

/** Whether the target contains this copy. */
async function isCopied(pool: Pool, id: string): Promise<boolean> {
  if (!(await hasTable(pool, 'catalog_copies'))) return false
  const { rows } = await pool.query({
    text: `select 1 from ${catalogSchema}.catalog_copies where id = $1`,
    values: [id],
  })
  return rows.length > 0
}

/** Closes the SQLite catalog: once this transaction has committed, no process uses that catalog. Returns the copy's
 *  id. */
function closeCatalog(source: Connection, target: string, { now }: AuditActor): Promise<string> {
  return source.transaction(async () => {
    const move = source.get('select t.slug from tenant_moves m join tenants t on t.id = m.tenant_id limit 1')
    if (move) throw new UserError(`Tenant ${move.slug} is being moved; copy the catalog after the move.`)
    const id = randomUUID()
    source.run('insert into catalog_copies (id, target, copied_at) values (?, ?, ?)', [id, target, now.toISOString()])
    return id
  })
}

/** Holds the source's write lock, so that no other command can reopen the source during the copy. */
async function copyClosed(
  source: Connection,
  pool: Pool,
  copy: CatalogCopy,
  actor: AuditActor,
): Promise<CopiedCatalog['rows']> {
  const { rows, failure } = await source.transaction(async () => {
    if (findCopy(source)?.id !== copy.id) throw new UserError('Another command has cancelled this copy.')
    try {
      const copyAll = (database: Database) => copyRows(source, database, copy, actor)
      return { rows: await pool.transaction(catalogSchema, copyAll, 'migration') }
    } catch (failure) {
      if (await isCopied(pool, copy.id).catch(() => throwCommitUnknown(copy, failure)))
        return { rows: await countRows(source) }
      source.run('delete from catalog_copies')
      return { failure: errorMessageOf(failure) }
    }
  })
  if (failure) throw new UserError(`The catalog was not copied, and DATA_DIR is in use as before: ${failure}`)
  return rows!
}

/** Called if the connection was lost, possibly during the commit. */
function throwCommitUnknown({ target }: CatalogCopy, failure: unknown): never {
  throw new UserError(
    `It is not known whether the copy is complete (${errorMessageOf(failure)}); the catalog stays closed. When ${target} can be reached, repeat the command.`,
  )
}

async function copyRows(
  source: Connection,
  database: Database,
  { target }: CatalogCopy,
  actor: AuditActor,
): Promise<CopiedCatalog['rows']> {
  if ((await migrateCatalog(database)) === 'existing') throw new UserError(occupiedMessage(target))
  const rowCounts: CopiedCatalog['rows'] = {}
  for (const table of await tablesOf(source, excludedTables))
    rowCounts[table.name] = await copyTable(source, database, table)
  await writeEvent(database, 'catalog_copied', actor, { detail: { server: target } })
  return rowCounts
}

async function countRows(source: Connection): Promise<CopiedCatalog['rows']> {
  const count = (table: string) => source.get<{ count: number }>(`select count(*) as count from ${table}`)!.count
  return Object.fromEntries((await tablesOf(source, excludedTables)).map(({ name }) => [name, count(name)]))
}

/** Drops the copy. Throws UserError if tenants, keys, servers or users have changed since they were copied. */
async function dropUnchanged(database: Database): Promise<void> {
  const { changes } = (await database.get('select changes from catalog_version for update'))!
  const copiedAt = `(select max(seq) from audit_events where event = 'catalog_copied')`
  const laterEvent = await database.get(
    `select 1 as found from audit_events where seq > ${copiedAt} and event not like 'sign%' limit 1`,
  )
  if (changes !== 0 || laterEvent)
    throw new UserError(
      'The copy has changed since it was created, and cancelling it would lose these changes, so the copy stays in use.',
    )
  await database.run(`drop schema ${catalogSchema} cascade`)
}
