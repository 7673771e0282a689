// The schema of a tenant's database and its migrations: one table per resource, one column per field, and the tables that
// every tenant has.

import type { Awaitable, Database } from '../../database/database.ts'
import type { Dialect } from '../../database/dialect.ts'
import { searchedFields } from '../lists/options.ts'
import { orderIndex } from '../lists/sort-keys.ts'
import { derivedColumns, fillAllDerived } from '../records/derived-columns.ts'
import { jsonColumn } from '../records/json.ts'
import { emptyValue, type Field, type Resource, type Resources, timestampColumns } from '../resource.ts'
import { mostSearchedFields } from '../search/fold.ts'
import { isSearched, mergesByLots, searchColumns } from '../search/index.ts'
import { continueCounter, countersTable, newCounter } from './counters.ts'
import { createDeferredIndexesIfLarge, dropDeferredIndexes, withoutGrowth } from './deferred-indexes.ts'

/** A statement, or a function for changes that need more than SQL. */
export type SchemaChange = string | ((database: Database) => Awaitable<void>)

/** The schema version that added the sort indexes and the search text of lists. */
const listsSince = 2

/** The schema version that added the indexes of the history. */
const historySince = 3

/** The schema version since which the search index is merged in small steps. */
const mergesSince = 4

/** The schema version that deferred the sort indexes until a table is large. */
const growthSince = 5

/** The schema version that added the cached JSON of records. */
const jsonSince = 6

/** The schema version since which the trigram hashes on PostgreSQL also serve searches for two letters. */
const gramsSince = 6

/** The schema version since which a stored response includes the scopes of its request. */
const answerScopesSince = 7

/** The schema version since which record ids and the sequence of stored responses come from the tenant's counters. */
const countersSince = 8

/** The other tables of a tenant hold its id, the history of all changes, and the stored responses of idempotency keys. */
const companions = (dialect: Dialect) => [
  `create table tenant (id text not null)${dialect.tableEnd}`,
  `create table changes (
    seq ${dialect.integer} primary key, at text not null, resource text not null, record_id ${dialect.integer} not null,
    action text not null, before text, after text, api_key_id text, user_id text, request_id text not null
  )${dialect.tableEnd}`,
  `create table answers (
    seq ${dialect.integer} primary key, key text not null unique, at text not null, fingerprint text not null,
    status ${dialect.integer} not null, body text not null, location text, scopes text
  )${dialect.tableEnd}`,
  newCounter('answers'),
]

/** Indexes for the changes of one record, and of one resource and action, each in sequence order. Finding a point in time
 *  needs no index: it is a binary search over the sequence. */
const historyIndexes = (dialect: Dialect) => {
  const end = dialect.engine === 'sqlite' ? '' : ', seq' // in SQLite every index ends with the key
  return [
    `create index changes_record on changes (resource, record_id${end})`,
    `create index changes_action on changes (resource, action${end})`,
  ]
}

/** Throws if the declarations contradict each other: failing at startup is better than tenants that cannot be opened. */
export function requireSound(resources: Resources): void {
  resources.forEach((resource, at) => {
    if (searchedFields(resource).length > mostSearchedFields)
      throw new Error(`${resource.name} has too many text fields`)
    for (const [name, field] of Object.entries(resource.fields)) {
      const path = `${resource.name}.${name}`
      if (field.required && since(field) > since(resource)) throw new Error(`${path} is new, so it cannot be required`)
      if (field.kind !== 'reference') continue
      const earlier = resources.slice(0, at + 1).map((each) => each.name)
      if (!earlier.includes(field.to)) throw new Error(`${path} refers to ${field.to}, which is not declared before it`)
    }
  })
}

/** The version of the schema that these declarations describe: the highest `since` among them. */
export function schemaVersion(resources: Resources): number {
  const declared = resources.flatMap((each) => [since(each), ...Object.values(each.fields).map(since)])
  return Math.max(
    listsSince,
    historySince,
    mergesSince,
    growthSince,
    jsonSince,
    gramsSince,
    answerScopesSince,
    countersSince,
    ...declared,
  )
}

/** Migrates a tenant from schema version `from` (0: an empty database) to the current one. */
export async function changeSchema(
  database: Database,
  resources: Resources,
  from: number,
  dialect: Dialect,
): Promise<void> {
  for (const change of schemaChanges(resources, from, dialect)) {
    if (typeof change === 'string') await database.run(change)
    else await change(database)
  }
}

function schemaChanges(resources: Resources, from: number, dialect: Dialect): SchemaChange[] {
  return [
    ...(from < countersSince ? [countersTable(dialect)] : []),
    ...(from === 0 ? companions(dialect) : []),
    ...(from < historySince ? historyIndexes(dialect) : []),
    ...(from > 0 && from < answerScopesSince ? ['alter table answers add column scopes text'] : []),
    ...(from > 0 && from < countersSince ? continueCounter('answers', 'seq', dialect) : []),
    ...resources.flatMap((each) => (since(each) > from ? newTable(each, dialect) : changedTable(each, from, dialect))),
  ]
}

function newTable(resource: Resource, dialect: Dialect): string[] {
  const fields = Object.entries(resource.fields)
  const all = [
    `id ${dialect.integer} primary key`,
    ...fields.map(([name, field]) => column(name, field, dialect)),
    ...timestampColumns.map((name) => `${name} ${dialect.text} not null`),
    ...lines(derivedColumns(dialect.engine, resource)),
  ]
  return [
    `create table ${resource.name} (\n  ${all.join(',\n  ')}\n)${dialect.tableEnd}`,
    newCounter(resource.name),
    ...fields.flatMap(([name, field]) => indexes(resource, name, field, dialect)),
  ]
}

function lines(columns: Record<string, string>): string[] {
  return Object.entries(columns).map(([name, type]) => `${name} ${type}`)
}

function changedTable(resource: Resource, from: number, dialect: Dialect): SchemaChange[] {
  const added = Object.entries(resource.fields).filter(([, field]) => since(field) > from)
  const hasOtherText = from < listsSince || added.some(([name]) => searchedFields(resource).includes(name))
  const hasOtherGrams = dialect.engine === 'postgres' && from >= listsSince && from < gramsSince
  const fill: SchemaChange = (database) => fillAllDerived(database, resource)
  return [
    ...(from < countersSince ? continueCounter(resource.name, 'id', dialect) : []),
    ...added.flatMap(([name, field]) => newColumn(resource, name, field, dialect)),
    ...(from < listsSince ? listsOf(resource, from, dialect) : []),
    ...newJson(resource, from, added.length > 0),
    ...(hasOtherGrams ? otherGrams(resource, dialect) : []),
    ...((hasOtherText || hasOtherGrams) && isSearched(resource) ? [fill] : []),
    ...(from >= listsSince && from < mergesSince ? mergesByLots(dialect.engine, resource) : []),
    ...(from < growthSince ? [(database: Database) => dropDeferredIndexes(database, resource)] : []),
    (database) => createDeferredIndexesIfLarge(database, resource),
  ]
}

function newColumn(resource: Resource, name: string, field: Field, dialect: Dialect): string[] {
  return [
    `alter table ${resource.name} add column ${column(name, field, dialect)}`,
    ...indexes(resource, name, field, dialect),
  ]
}

/** Adds the column for cached JSON, initially null: filling it for every record may take minutes, and each record gets its
 *  JSON with its next change. New fields invalidate the cached JSON. */
function newJson({ name }: Resource, from: number, hasMoreFields: boolean): string[] {
  const [drop, add] = [
    `alter table ${name} drop column ${jsonColumn}`,
    `alter table ${name} add column ${jsonColumn} text`,
  ]
  if (from < jsonSince) return [add]
  return hasMoreFields ? [drop, add] : []
}

/** Replaces the column of trigram hashes. Drops the indexes first: recreating them afterwards is faster than updating them. */
function otherGrams(resource: Resource, dialect: Dialect): string[] {
  if (!isSearched(resource)) return []
  const { search_grams: type } = searchColumns(dialect.engine, resource)
  const change = `drop column search_grams, add column search_grams ${type}`
  return [...withoutGrowth(dialect.engine, resource), `alter table ${resource.name} ${change}`]
}

/** Adds what lists need to a table that is older than lists. */
function listsOf(resource: Resource, from: number, dialect: Dialect): SchemaChange[] {
  const older = Object.entries(resource.fields).filter(([, field]) => since(field) <= from)
  return [
    ...(dialect.engine === 'postgres' ? orderAsSqlite(resource, older) : []),
    ...older.flatMap(([name, field]) => {
      const known = indexesBeforeLists(resource, name, field)
      return indexes(resource, name, field, dialect).filter((index) => !known.includes(index))
    }),
    ...lines(searchColumns(dialect.engine, resource)).map((line) => `alter table ${resource.name} add column ${line}`),
  ]
}

/** Sorts text by bytes, whatever the server's locale. Drops the indexes of references: sort indexes replace them. */
function orderAsSqlite(resource: Resource, fields: [string, Field][]): string[] {
  const isText = ([, { kind }]: [string, Field]) => ['text', 'email', 'date', 'choice'].includes(kind)
  const texts = [...fields.filter(isText).map(([name]) => name), ...timestampColumns]
  const changes = texts.map((name) => `alter column ${name} type text collate "C"`)
  const replaced = fields.filter(([, field]) => field.kind === 'reference' && !field.unique)
  return [
    `alter table ${resource.name} ${changes.join(', ')}`,
    ...replaced.map(([name]) => `drop index ${resource.name}_${name}`),
  ]
}

function column(name: string, field: Field, dialect: Dialect): string {
  const fallback = emptyValue(field)
  return [
    `${name} ${columnType(field, dialect)}`,
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
    case 'choice':
      return dialect.text
    case 'integer':
    case 'reference':
      return dialect.integer
    case 'boolean':
      return dialect.boolean
  }
}

function literal(value: boolean | string, dialect: Dialect): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return dialect.boolean === 'boolean' ? String(value) : String(Number(value))
}

/** A reference is looked up whenever the referenced record is deleted; the index of a unique field enforces uniqueness. */
function indexesBeforeLists(resource: Resource, name: string, field: Field): string[] {
  if (!field.unique && field.kind !== 'reference') return []
  return [`create ${field.unique ? 'unique ' : ''}index ${resource.name}_${name} on ${resource.name} (${name})`]
}

/** The indexes that a table has from the start. */
function indexes(resource: Resource, name: string, field: Field, dialect: Dialect): string[] {
  if (field.unique) return indexesBeforeLists(resource, name, field)
  return field.kind === 'reference' ? [orderIndex(dialect.engine, resource, name).sql] : []
}

function since(declared: { since?: number }): number {
  return declared.since ?? 1
}
