// Every table in a tenant's database except the search index's tables, declared once. The schema and the copy of a
// tenant both use this list, so that a copy cannot miss a table.

import type { Database, Dialect } from '../../engine/database/database.ts'
import { newCounter } from '../../engine/database/statements.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import { emptyValue, type Field, type Resource, type Resources, timestampColumns } from '../declarations/resource.ts'
import { formerHolder } from '../history/assignments.ts'
import { orderIndex } from '../lists/order.ts'
import { derivedColumns } from './derived.ts'

/** `columns`: names and types, in order. `indexes`: the statements that create them. `hasCounter`: whether the rows are
 *  numbered by one of the tenant's counters. `content`: what a copy does with the rows:
 *  - `records`: copies the rows by id, then replays the history; recomputes the derived columns
 *  - `history`: copies and replays the rows by sequence number
 *  - `log`: copies the rows by number, then adds newer rows, which replace rows with the same `uniqueKey`
 *  - `settings`: replaces all rows at the end; for small tables
 *  - `identity`: copies nothing, because each database has its own row
 *
 *  The first column is the primary key, except in `identity` tables. */
export type TenantTable = {
  name: string
  columns: Record<string, string>
  indexes: readonly string[]
  hasCounter?: true
} & (
  | { content: 'records'; resource: Resource }
  | { content: 'log'; uniqueKey: string }
  | { content: 'history' | 'settings' | 'identity' }
)

/** The tables in creation order: a table follows the tables it refers to. */
export function tenantTables(resources: Resources, dialect: Dialect): TenantTable[] {
  return [
    tenantTable(dialect),
    countersTable(dialect),
    ...withConfiguration(resources).map((resource) => recordsTable(resource, dialect)),
    changesTable(dialect),
    historyStartTable(dialect),
    undosTable(),
    storedResponsesTable(dialect),
    jobsTable(dialect),
    ...jobRowTables(dialect),
    importValuesTable(dialect),
  ]
}

/** The tenant's id, and its database's state, which changes during a move between servers. SQLite stores the schema
 *  version in the file's header. */
function tenantTable({ engine }: Dialect): TenantTable {
  const version = engine === 'postgres' && { schema_version: 'bigint not null' }
  return {
    name: 'tenant',
    content: 'identity',
    columns: { id: 'text not null', state: 'text not null', ...version },
    indexes: [],
  }
}

/** The last id that each table has assigned. */
function countersTable({ integer }: Dialect): TenantTable {
  const columns = { name: 'text primary key', last: `${integer} not null` }
  return { name: 'counters', content: 'settings', columns, indexes: [] }
}

/** The history. Its indexes find four kinds of changes in sequence order: changes to a record, changes by resource and
 *  action, changes in a change set, and changes that took an asset from a holder. A point in time is found by a binary
 *  search over the sequence. `change_set` is null in rows older than the column. */
function changesTable(dialect: Dialect): TenantTable {
  const { engine, integer } = dialect
  const end = engine === 'sqlite' ? '' : ', seq' // in SQLite every index ends with the key
  return {
    name: 'changes',
    content: 'history',
    columns: {
      seq: `${integer} primary key`,
      at: 'text not null',
      resource: 'text not null',
      record_id: `${integer} not null`,
      action: 'text not null',
      before: 'text',
      after: 'text',
      api_key_id: 'text',
      user_id: 'text',
      request_id: 'text not null',
      change_set: 'text',
    },
    indexes: [
      `create index changes_record on changes (resource, record_id${end})`,
      `create index changes_action on changes (resource, action${end})`,
      changeSetIndex(dialect),
      formerHolderIndex(dialect),
    ],
  }
}

/** Indexes the changes that took an asset from its holder. */
export function formerHolderIndex({ engine }: Dialect): string {
  const [column, end] = engine === 'sqlite' ? [formerHolder(engine), ''] : [`(${formerHolder(engine)})`, ', seq']
  return `create index changes_former_holder on changes (${column}${end}) where ${formerHolder(engine)} is not null`
}

/** The last change that was removed after its retention period. The table is empty if no change was removed
 *  (domain/history/positions.ts). */
export function historyStartTable({ integer }: Dialect): TenantTable {
  const columns = { seq: `${integer} primary key`, at: 'text not null' }
  return { name: 'history_start', content: 'settings', columns, indexes: [] }
}

/** Which change set undid which other change set. */
export function undosTable(): TenantTable {
  const columns = { change_set: 'text primary key', undone: 'text not null' }
  const indexes = ['create index undos_undone on undos (undone)']
  return { name: 'undos', content: 'settings', columns, indexes }
}

/** The index leaves out rows without a change set, so that the migration of a long history does not have to fill the
 *  index. */
export function changeSetIndex({ engine }: Dialect): string {
  const end = engine === 'sqlite' ? '' : ', seq'
  return `create index changes_change_set on changes (change_set${end}) where change_set is not null`
}

/** The first response to each Idempotency-Key. */
function storedResponsesTable({ integer }: Dialect): TenantTable {
  return {
    name: 'stored_responses',
    content: 'log',
    uniqueKey: 'key',
    hasCounter: true,
    columns: {
      seq: `${integer} primary key`,
      key: 'text not null unique',
      at: 'text not null',
      fingerprint: 'text not null',
      status: `${integer} not null`,
      body: 'text not null',
      location: 'text',
      scopes: 'text',
      change_set: 'text',
    },
    indexes: [],
  }
}

/** Jobs of all kinds (domain/jobs/job.ts). `lease_token`: identifies the lease of the process that runs the job. The
 *  lease ends at `lease_until`. */
export function jobsTable({ integer }: Dialect): TenantTable {
  return {
    name: 'jobs',
    content: 'settings',
    hasCounter: true,
    columns: {
      id: `${integer} primary key`,
      kind: 'text not null',
      state: 'text not null',
      input: 'text not null',
      cursor: 'text not null',
      progress: 'text not null',
      due_at: 'text',
      created_at: 'text not null',
      finished_at: 'text',
      lease_token: 'text',
      lease_until: 'text',
    },
    indexes: ['create index jobs_due on jobs (due_at) where due_at is not null'],
  }
}

/** The rows of imports and bulk edits: the rows to process, in parts, and the rows that failed, with their errors.
 *  `prefix`: the start of the tables' names. */
export function jobRowTables(dialect: Dialect, prefix = 'job'): TenantTable[] {
  const number = `${dialect.integer} not null`
  const [parts, failures] = [`${prefix}_parts`, `${prefix}_failures`]
  const partColumns = { part: number, content: 'text not null' }
  const failureColumns = { pass: number, row: number, cells: 'text not null', errors: 'text not null' }
  return [
    jobRowTable(dialect, parts, partColumns, `create unique index ${parts}_part on ${parts} (job_id, part)`),
    jobRowTable(dialect, failures, failureColumns, `create index ${failures}_row on ${failures} (job_id, pass, row)`),
  ]
}

/** The values that must be unique in an imported file, each with the row in which it first occurs. */
export function importValuesTable(dialect: Dialect): TenantTable {
  const columns = { field: 'text not null', value: 'text not null', row: `${dialect.integer} not null` }
  const index = 'create unique index import_values_value on import_values (job_id, field, value)'
  return jobRowTable(dialect, 'import_values', columns, index)
}

function jobRowTable({ integer }: Dialect, name: string, columns: Record<string, string>, index: string): TenantTable {
  return {
    name,
    content: 'log',
    uniqueKey: 'seq',
    hasCounter: true,
    columns: { seq: `${integer} primary key`, job_id: `${integer} not null`, ...columns },
    indexes: [index],
  }
}

/** A resource's records: a column per field, and the derived columns. */
export function recordsTable(resource: Resource, dialect: Dialect): TenantTable & { content: 'records' } {
  const fields = Object.entries(resource.fields)
  return {
    name: resource.name,
    content: 'records',
    resource,
    hasCounter: true,
    columns: {
      id: `${dialect.integer} primary key`,
      ...Object.fromEntries(fields.map(([name, field]) => [name, fieldColumn(field, dialect)])),
      ...Object.fromEntries(timestampColumns.map((name) => [name, `${dialect.text} not null`])),
      ...derivedColumns(dialect.engine, resource),
    },
    indexes: fields.flatMap(([name]) => fieldIndexes(resource, name, dialect)),
  }
}

export async function createTable(database: Database, table: TenantTable, { tableEnd }: Dialect): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, type]) => `${name} ${type}`)
  await database.run(`create table ${table.name} (\n  ${columns.join(',\n  ')}\n)${tableEnd}`)
  if (table.hasCounter) await database.run(newCounter(table.name))
  for (const sql of table.indexes) await database.run(sql)
}

export function fieldColumn(field: Field, dialect: Dialect): string {
  const fallback = emptyValue(field)
  return [
    columnType(field, dialect),
    field.required || fallback !== null ? 'not null' : '',
    fallback === null ? '' : `default ${literal(fallback, dialect)}`,
    field.kind === 'reference' ? `references ${field.to} (id)` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function columnType(field: Field, dialect: Dialect): string {
  switch (field.kind) {
    case 'text':
    case 'email':
    case 'date':
    case 'timestamp':
    case 'choice':
      return dialect.text
    case 'integer':
    case 'reference':
      return dialect.integer
    case 'boolean':
      return dialect.boolean
  }
}

function literal(value: boolean | number | string, dialect: Dialect): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'number' || dialect.boolean === 'boolean' ? String(value) : String(Number(value))
}

/** A field's indexes that are not deferred: the unique index, or the index of a reference. */
export function fieldIndexes(resource: Resource, name: string, { engine }: Dialect): string[] {
  const field = resource.fields[name]!
  if (field.unique) return [`create unique index ${resource.name}_${name} on ${resource.name} (${name})`]
  return field.kind === 'reference' ? [orderIndex(engine, resource, name).sql] : []
}
