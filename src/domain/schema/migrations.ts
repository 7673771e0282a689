// The steps that bring an existing tenant's database to the current schema, numbered in release order. A new database
// is created directly from the declarations (tables.ts) and runs no steps.

import type { Awaitable, Database, Dialect } from '../../engine/database/database.ts'
import { withConfiguration } from '../declarations/configuration.ts'
import type { Resource, Resources } from '../declarations/resource.ts'
import { jsonColumn } from '../records/json.ts'
import { createDeferredIndexesIfLarge, derivedColumns } from './derived.ts'
import { boundImports, renewSearchTexts } from './renewed-values.ts'
import {
  changeSetIndex,
  createTable,
  fieldColumn,
  fieldIndexes,
  formerHolderIndex,
  historyStartTable,
  importValuesTable,
  jobRowTables,
  jobsTable,
  recordsTable,
  type TenantTable,
  undosTable,
} from './tables.ts'

/** `version`: the schema version after this step. `up` runs in the transaction that migrates the tenant. `existing`: the
 *  resources whose tables older versions already had, with the fields of this version. */
export type Migration = {
  version: number
  name: string
  up(database: Database, dialect: Dialect, existing: Resources): Awaitable<void>
}

const firstVersion = 1

/** The steps that declarations cannot express. A new field or resource does not need an entry here: its declaration
 *  sets `since` to the next number. Entries are added, never edited, because released versions have run them. */
const otherMigrations: readonly Migration[] = [
  { version: 3, name: 'add change sets', up: addChangeSets },
  { version: 4, name: 'create jobs and imports', up: createTables(importTables) },
  { version: 5, name: 'create history_start', up: createTables((dialect) => [historyStartTable(dialect)]) },
  { version: 7, name: 'find texts without their accents, and codes without their punctuation', up: renewTexts },
  { version: 10, name: 'sort lists by the titles of other records', up: createMissingIndexes },
  { version: 11, name: 'find the assets that people gave back', up: indexFormerHolders },
  { version: 12, name: 'rename the tables that bulk edits share with imports', up: renameJobRowTables },
  { version: 13, name: 'record which change set undid which', up: createTables(() => [undosTable()]) },
  { version: 14, name: 'find umlauts that are spelled as two letters', up: renewTexts },
  { version: 15, name: 'bound what is stored of imports', up: boundImports },
  { version: 16, name: 'sort names without case and accents', up: createMissingIndexes },
  { version: 17, name: 'find email addresses in any case', up: createMissingIndexes },
  { version: 18, name: 'insert records without a trigger', up: dropInsertTriggers },
]

/** All steps in order: the steps derived from the declarations, and all other steps. */
export function migrationsOf(resources: Resources): Migration[] {
  return [...withConfiguration(resources).flatMap(declaredMigrations), ...otherMigrations].toSorted(
    (one, other) => one.version - other.version,
  )
}

/** The version of the schema that these declarations describe. */
export function schemaVersion(resources: Resources): number {
  return migrationsOf(resources).at(-1)?.version ?? firstVersion
}

/** Throws if a version number is missing between two others. */
export function requireConsecutive(migrations: readonly Migration[]): void {
  let last = firstVersion
  for (const { version, name } of migrations) {
    if (version !== last && version !== last + 1)
      throw new Error(`migration "${name}" has schema version ${version}, but the next version is ${last + 1}`)
    last = version
  }
}

/** Runs the steps that a database at schema version `from` has not run. If a step fails, the error message names the
 *  step. */
export async function migrateSchema(
  database: Database,
  resources: Resources,
  from: number,
  dialect: Dialect,
): Promise<void> {
  for (const { version, name, up } of migrationsOf(resources)) {
    if (version <= from) continue
    const older = withConfiguration(resources).filter((resource) => sinceOf(resource) < version)
    const existing = older.map((resource) => asOfVersion(resource, version))
    try {
      await up(database, dialect, existing)
    } catch (error) {
      // The step is appended, because callers recognize errors by class, code and the start of the message.
      if (error instanceof Error) error.message += ` (migration ${version}: ${name})`
      throw error
    }
  }
}

/** Returns one step for each version, except the first, that added the resource or some of its fields. */
function declaredMigrations(resource: Resource): Migration[] {
  const versions = [...new Set([resource, ...Object.values(resource.fields)].map(sinceOf))].filter(
    (version) => version > firstVersion && version >= sinceOf(resource),
  )
  return versions.map((version) => {
    const after = asOfVersion(resource, version)
    if (version === sinceOf(resource)) {
      return {
        version,
        name: `create ${resource.name}`,
        up: (database, dialect) => createTable(database, recordsTable(after, dialect), dialect),
      }
    }
    const names = Object.keys(after.fields).filter((name) => sinceOf(after.fields[name]!) === version)
    return {
      version,
      name: `add ${names.map((name) => `${resource.name}.${name}`).join(', ')}`,
      up: (database, dialect) => addFields(database, after, names, dialect),
    }
  })
}

/** The declaration as it was at this schema version. */
function asOfVersion(resource: Resource, version: number): Resource {
  const fields = Object.entries(resource.fields).filter(([, field]) => sinceOf(field) <= version)
  return { ...resource, fields: Object.fromEntries(fields) }
}

/** Adds the fields' columns and removes all cached JSON. A record's JSON is cached again when the record next changes.
 *  The search text of existing records stays valid, because a new field is empty in them. */
async function addFields(database: Database, resource: Resource, names: string[], dialect: Dialect): Promise<void> {
  const { name: table } = resource
  for (const name of names) {
    await database.run(`alter table ${table} add column ${name} ${fieldColumn(resource.fields[name]!, dialect)}`)
    for (const sql of fieldIndexes(resource, name, dialect)) await database.run(sql)
  }
  await database.run(`alter table ${table} drop column ${jsonColumn}`)
  for (const [column, type] of Object.entries(newDerivedColumns(database, resource, names))) {
    await database.run(`alter table ${table} add column ${column} ${type}`)
  }
  await createDeferredIndexesIfLarge(database, resource)
}

async function addChangeSets(database: Database, dialect: Dialect): Promise<void> {
  for (const table of ['changes', 'stored_responses'])
    await database.run(`alter table ${table} add column change_set text`)
  await database.run(changeSetIndex(dialect))
}

/** The column for cached JSON, and the columns for search if the table had no searched field before. */
function newDerivedColumns({ engine }: Database, resource: Resource, names: string[]): Record<string, string> {
  const older = Object.fromEntries(Object.entries(resource.fields).filter(([name]) => !names.includes(name)))
  const { [jsonColumn]: _, ...olderColumns } = derivedColumns(engine, { ...resource, fields: older })
  return Object.fromEntries(
    Object.entries(derivedColumns(engine, resource)).filter(([name]) => !(name in olderColumns)),
  )
}

function createTables(tablesIn: (dialect: Dialect) => readonly TenantTable[]): Migration['up'] {
  return async (database, dialect) => {
    for (const table of tablesIn(dialect)) await createTable(database, table, dialect)
  }
}

function importTables(dialect: Dialect): TenantTable[] {
  return [jobsTable(dialect), ...jobRowTables(dialect, 'import'), importValuesTable(dialect)]
}

function renewTexts(database: Database, _dialect: Dialect, existing: Resources): Promise<void> {
  return renewSearchTexts(database, existing)
}

async function createMissingIndexes(database: Database, _dialect: Dialect, existing: Resources): Promise<void> {
  for (const resource of existing) await createDeferredIndexesIfLarge(database, resource)
}

/** SQLite's search index finds new records by their ids (domain/search/index.ts). */
async function dropInsertTriggers(database: Database, { engine }: Dialect, existing: Resources): Promise<void> {
  if (engine === 'postgres') return
  for (const { name } of existing) await database.run(`drop trigger if exists ${name}_insert`)
}

async function indexFormerHolders(database: Database, dialect: Dialect): Promise<void> {
  await database.run(formerHolderIndex(dialect))
}

/** Renames import_parts and import_failures to job_parts and job_failures. The indexes are created again, because
 *  SQLite cannot rename an index. */
async function renameJobRowTables(database: Database, dialect: Dialect): Promise<void> {
  const formerIndexes = { job_parts: 'import_parts_part', job_failures: 'import_failures_row' }
  for (const { name, indexes } of jobRowTables(dialect)) {
    const formerName = name.replace('job_', 'import_')
    await database.run(`alter table ${formerName} rename to ${name}`)
    await database.run(`drop index ${formerIndexes[name as keyof typeof formerIndexes]}`)
    for (const sql of indexes) await database.run(sql)
    if (dialect.engine === 'postgres') await database.run(`alter index ${formerName}_pkey rename to ${name}_pkey`)
    await database.run('update counters set name = ? where name = ?', [name, formerName])
  }
}

export function sinceOf(declared: { since?: number }): number {
  return declared.since ?? firstVersion
}
