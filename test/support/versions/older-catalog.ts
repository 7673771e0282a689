// Converts a catalog to an older version. Keeps the rows, but only in the tables and columns of that version.

import { catalogMigrations } from '../../../src/catalog/schema.ts'
import { catalogDatabaseOf } from '../databases/tenant-database.ts'
import { type Environment, engine, type Json } from '../service.ts'

type Catalog = Awaited<ReturnType<typeof catalogDatabaseOf>>

/** Stop the service before you call this function. Values of columns that the older version lacks are lost. */
export async function returnToCatalogVersion(environment: Environment, version: number): Promise<void> {
  const catalog = await catalogDatabaseOf(environment)
  const rows = new Map<string, Json[]>()
  for (const table of await tablesOf(catalog)) rows.set(table, await catalog.all(`select * from ${table}`))
  const [prefix, suffix] = engine === 'sqlite' ? ['pragma foreign_keys = off;', ''] : ['', 'cascade']
  await catalog.run(prefix + [...rows.keys()].map((table) => `drop table ${table} ${suffix};`).join(''))
  const migrations = catalogMigrations(engine).filter((migration) => migration.version <= version)
  await catalog.run(migrations.flatMap(({ up }) => up).join(';'))
  for (const table of await tablesOf(catalog)) {
    await catalog.run(`delete from ${table}`)
    const columns = await columnsOf(catalog, table)
    for (const row of rows.get(table) ?? []) await insert(catalog, table, columns, row)
  }
  const setVersion = {
    sqlite: `pragma user_version = ${version}`,
    postgres: `update catalog_version set schema_version = ${version}`,
  }
  await catalog.run(setVersion[engine])
}

/** The tables that migrations create. On PostgreSQL, catalog_version and rate_limit are created separately. */
async function tablesOf(catalog: Catalog): Promise<string[]> {
  const sql = {
    sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid`,
    postgres: `select tablename as name from pg_tables where schemaname = current_schema()
      and tablename not in ('catalog_version', 'rate_limit')`,
  }[engine]
  return (await catalog.all(sql)).map(({ name }: Json) => name)
}

async function columnsOf(catalog: Catalog, table: string): Promise<string[]> {
  const sql = {
    sqlite: `select name from pragma_table_info('${table}')`,
    postgres: `select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = '${table}'`,
  }[engine]
  return (await catalog.all(sql)).map(({ name }: Json) => name)
}

async function insert(catalog: Catalog, table: string, columns: readonly string[], row: Json): Promise<void> {
  const names = columns.filter((name) => row[name] !== undefined && row[name] !== null)
  const values = names.map((name) =>
    typeof row[name] === 'number' ? row[name] : `'${String(row[name]).replaceAll("'", "''")}'`,
  )
  await catalog.run(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`)
}
