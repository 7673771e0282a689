// Direct access to a service's databases on either engine, for tests that cannot use the API.

import { closeSync, globSync, openSync, renameSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { resources } from '../../../src/domain/declarations/all.ts'
import { resourceNamed } from '../../../src/domain/declarations/resource.ts'
import { searchText } from '../../../src/domain/search/fold.ts'
import { filesIn, readIfExists } from '../faults/files.ts'
import { type Environment, engine, type Json, withEngineUrl } from '../service.ts'

/** A tenant's database. It is identified by the tenant's id, so that tests can look for it after the tenant has been
 *  deleted. */
export type TenantDatabase = {
  id: string
  /** A query's rows, as plain objects. */
  all(sql: string): Promise<Json[]>
  /** Runs statements that return nothing. */
  run(sql: string): Promise<void>
  /** Hides the database from the service. */
  hide(): Promise<void>
  show(): Promise<void>
  /** Whether any part of the database still exists. */
  exists(): Promise<boolean>
  /** The whole content as bytes, in which tests can search. */
  dump(): Promise<Buffer>
}

export async function tenantDatabaseOf(environment: Environment, slug: string): Promise<TenantDatabase> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  const exists = async (id: string) => (await storedNames(environment)).some((name) => name.includes(id))
  const tenant = `select id from tenants where slug = '${slug}' and state not in ('creating', 'deleting')`
  if (DATABASE_URL) {
    const id = (await query(DATABASE_URL, 'tenantdesk', tenant))[0].id
    return { ...openSchema(DATABASE_URL, `t_${id}`), id, exists: () => exists(id) }
  }
  const id = readFile(join(DATA_DIR, 'catalog.sqlite'), tenant)[0].id
  return { ...openFile(join(DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite`)), id, exists: () => exists(id) }
}

/** The catalog's database. */
export async function catalogDatabaseOf(environment: Environment): Promise<Pick<TenantDatabase, 'all' | 'run'>> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  return DATABASE_URL ? openSchema(DATABASE_URL, 'tenantdesk') : openFile(join(DATA_DIR, 'catalog.sqlite'))
}

/** The catalog's version. When it increases, every node reloads tenants and keys. */
export async function catalogVersion(environment: Environment): Promise<number> {
  return (await (await catalogDatabaseOf(environment)).all('select changes from catalog_version'))[0].changes
}

type RecordValues = Record<string, string | number>

/** Inserts records directly and updates the counters. `recordOf` returns the values of the n-th record, from 1. The
 *  statements contain only literals, because Citus refuses most others when it inserts. */
export async function insertRecords(
  tenantDatabase: Pick<TenantDatabase, 'all' | 'run'>,
  table: string,
  count: number,
  recordOf: (n: number) => RecordValues,
): Promise<void> {
  const [{ last }] = await tenantDatabase.all(`select last from counters where name = '${table}'`)
  const valuesOf = (n: number): RecordValues => ({
    id: last + n,
    created_at: creationTime,
    updated_at: creationTime,
    ...searchTextOf(table, recordOf(n)),
    ...recordOf(n),
  })
  for (let inserted = 0; inserted < count; inserted += maxPerTransaction) {
    const size = Math.min(maxPerTransaction, count - inserted)
    const records = Array.from({ length: size }, (_, index) => valuesOf(inserted + index + 1))
    await tenantDatabase.run(`begin; ${insertsOf(table, records)}
      update counters set last = last + ${size} where name = '${table}'; commit`)
  }
}

/** Only the name is in the search text, because lists are sorted by it. */
function searchTextOf(table: string, { name }: RecordValues): { search_text?: string } {
  return name === undefined ? {} : { search_text: searchText(resourceNamed(resources, table), { name }) }
}

const creationTime = '2026-01-01T00:00:00.000Z'

/** The text of a transaction must fit into a string. */
const maxPerTransaction = 100_000
const maxPerStatement = 1000

function insertsOf(table: string, records: RecordValues[]): string {
  const columns = Object.keys(records[0]!).join(', ')
  let statements = ''
  for (let start = 0; start < records.length; start += maxPerStatement) {
    const rows = records.slice(start, start + maxPerStatement).map((each) => `(${Object.values(each).map(literal)})`)
    statements += `insert into ${table} (${columns}) values ${rows};\n`
  }
  return statements
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

/** The columns and indexes, and on SQLite the triggers, in a comparable form. Leaves out sqlite_sequence, which
 *  exists in files of older versions and cannot be dropped. */
export async function schemaOf(tenantDatabase: TenantDatabase): Promise<Json[]> {
  if (engine === 'postgres') {
    return tenantDatabase.all(`
      select table_name as name, column_name as part, data_type || coalesce(column_default, '') || is_nullable ||
        coalesce(collation_name, '') as form from information_schema.columns where table_schema = current_schema()
      union all
      select tablename, indexname, replace(indexdef, current_schema() || '.', '') from pg_indexes
        where schemaname = current_schema() order by 1, 2`)
  }
  return tenantDatabase.all(`
    select m.type, m.name, c.name as part, c.type as form, c."notnull", c.dflt_value, c.cid from sqlite_master m
      join pragma_table_xinfo(m.name) c where m.type in ('table', 'index') and m.name <> 'sqlite_sequence'
    union all
    select type, name, tbl_name, sql, null, null, null from sqlite_master where type in ('index', 'trigger')
    order by 1, 2, 7`)
}

/** The names of the tenants' files, including their WALs and shared-memory files, or of their schemas. */
export async function storedNames(environment: Environment): Promise<string[]> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  if (!DATABASE_URL) return filesIn(join(DATA_DIR, 'tenants')).map((path) => basename(path))
  const rows = await query(
    DATABASE_URL,
    'public',
    `select nspname from pg_namespace where nspname not in ('public', 'tenantdesk', 'information_schema')
       and not starts_with(nspname, 'pg_')`,
  )
  return rows.map((row) => row.nspname)
}

/** All data that the service stores, as bytes by location. Tests search in these bytes. */
export async function dumpAll(environment: Environment): Promise<Map<string, Buffer>> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  const dumps = new Map(filesIn(DATA_DIR).map((path) => [path, readIfExists(path) ?? Buffer.alloc(0)]))
  if (DATABASE_URL) {
    const [row] = await query(DATABASE_URL, 'public', `select database_to_xml(true, false, '')::text as dump`)
    dumps.set('the database', Buffer.from(row.dump))
  }
  return dumps
}

/** Makes the catalog unusable permanently. */
export async function corruptCatalog(environment: Environment): Promise<void> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  if (DATABASE_URL) await query(DATABASE_URL, 'public', 'alter schema tenantdesk rename to spoiled')
  else for (const path of globSync(`${DATA_DIR}/catalog.sqlite*`)) overwrite(path)
}

function openFile(path: string): Omit<TenantDatabase, 'id' | 'exists'> {
  return {
    all: async (sql) => readFile(path, sql),
    async run(sql) {
      const database = new DatabaseSync(path, { defensive: false, timeout: 5000 }) // without `defensive: false`, the schema could not be downgraded
      database.exec(sql)
      database.close()
    },
    hide: async () => renameSync(path, `${path}.away`),
    show: async () => renameSync(`${path}.away`, path),
    dump: async () => Buffer.concat(globSync(`${path}*`).flatMap((file) => readIfExists(file) ?? [])),
  }
}

function openSchema(url: string, schema: string): Omit<TenantDatabase, 'id' | 'exists'> {
  return {
    all: (sql) => query(url, schema, sql),
    run: async (sql) => void (await query(url, schema, sql)),
    hide: async () => void (await query(url, schema, `alter schema "${schema}" rename to "${schema}_away"`)),
    show: async () => void (await query(url, schema, `alter schema "${schema}_away" rename to "${schema}"`)),
    async dump() {
      const [row] = await query(url, schema, `select schema_to_xml('${schema}', true, false, '')::text as dump`)
      return Buffer.from(row.dump)
    },
  }
}

function readFile(path: string, sql: string): Json[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

const bigint = 20

/** Runs one statement on a separate connection, with `schema` as the search path. */
export async function query(url: string, schema: string, sql: string): Promise<Json[]> {
  const getTypeParser = (oid: number) => (oid === bigint ? Number : pg.types.getTypeParser(oid))
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: getTypeParser as never } })
  await client.connect()
  try {
    await client.query(`set search_path to "${schema}"`)
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Overwrites the beginning of a file with garbage. */
function overwrite(path: string): void {
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, Buffer.alloc(200, 'x'), 0, 200, 0)
  closeSync(descriptor)
}
