// The declarations of a tenant's tables (domain/schema/tables.ts). They define the schema and what a copy contains.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../src/domain/declarations/all.ts'
import { tenantTables } from '../../src/domain/schema/tables.ts'
import { postgresDialect } from '../../src/engine/database/postgres/pool.ts'
import { sqliteDialect } from '../../src/engine/database/sqlite/connection.ts'
import { createAllDeferredIndexes } from '../support/databases/deferred-indexes.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { engine, type Json, startService } from '../support/service.ts'

const { environment, tenant } = await startService()
await tenant('acme')
await createAllDeferredIndexes(environment, 'acme')
const database = await tenantDatabaseOf(environment, 'acme')
const tables = tenantTables(resources, engine === 'sqlite' ? sqliteDialect : postgresDialect)

/** Whether a table belongs to the search index on SQLite. The service builds this index from the records. */
const isOfSearchIndex = (name: string) => /^(\w+)_(search(_\w+)?|unsearched|terms)$/.test(name)

const columnsSql = {
  sqlite: `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_xinfo(m.name) c
    where m.type = 'table'`,
  postgres: `select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema()`,
}

test('every table and column of a tenant’s database is declared, except the SQLite search index', async () => {
  const found = (await database.all(columnsSql[engine])).filter(({ table }: Json) => !isOfSearchIndex(table))
  const listed = tables.flatMap(({ name, columns }) => Object.keys(columns).map((column) => `${name}.${column}`))
  assert.deepEqual(found.map(({ table, column }: Json) => `${table}.${column}`).sort(), listed.sort())
})

test('the first column of every declared table is its primary key, except in the table with the tenant’s identity', () => {
  for (const { name, columns, content } of tables) {
    const [first, type] = Object.entries(columns)[0]!
    if (content !== 'identity') assert.match(type, /primary key/, `${name}.${first}`)
  }
})
