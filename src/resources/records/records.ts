// The SQL that reads and writes single records. A record has every column of its resource, in the order of responses.

import { ConstraintViolation, type Database, type Row, type Value } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import { deriveOncePerEngine } from '../derive.ts'
import { booleansOf, columns, type Resource, type Resources, timestampColumns } from '../resource.ts'
import { setCounter } from '../schema/counters.ts'
import { createDeferredIndexesOnInsert } from '../schema/deferred-indexes.ts'
import { type FieldError, type Values, validationFailed } from '../validate.ts'
import { type ChangeContext, recordChange } from './changes.ts'
import { countDependents } from './dependents.ts'
import { derivedColumns, derivedValues, recomputedColumns } from './derived-columns.ts'

export type StoredRecord = { id: number } & Values

/** A precondition of a write whose result is not known yet, such as the claim of an Idempotency-Key. Statements can be sent
 *  before it is known. */
export type WritePrecondition = {
  /** SQL that is true if the precondition holds, with its values. */
  sql: string
  values: Value[]
  /** Waits for the result. Throws WritePreconditionUnmet if the precondition does not hold. */
  require(): Promise<void>
}

/** Nothing was written, because the precondition of the write does not hold. */
export class WritePreconditionUnmet extends Error {}

/** What every change of a record needs. */
type RecordChange = { resource: Resource; context: ChangeContext; precondition: WritePrecondition }

/** The values for a new record: every field. */
export type RecordCreation = RecordChange & { values: Values }

/** The fields to change. `check` throws if the record may not be changed. */
export type RecordUpdate = RecordChange & { id: number; values: Values; check?: (record: StoredRecord) => void }

/** `resources`: all of them, to name the records that prevent the deletion. */
export type RecordDeletion = Omit<RecordUpdate, 'values'> & { resources: Resources }

/** Throws `validation_failed` for a duplicate value, and the `missingCode` of a reference to no record (§4.6, §4.7). */
export async function createRecord(database: Database, creation: RecordCreation): Promise<StoredRecord> {
  const { resource, values, context } = creation
  const id = await insertRecord(database, creation)
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'create',
    before: null,
    after: values,
  })
  return { id, ...values, created_at: context.now, updated_at: context.now }
}

/** Throws `not_found`, what `check` throws, and the errors of createRecord. */
export async function updateRecord(database: Database, update: RecordUpdate): Promise<StoredRecord> {
  const { resource, id, values, context } = update
  const record = await requireRecord(database, update)
  update.check?.(record)
  const changed = changedValues(record, values)
  await requireUnique(database, resource, changed, id)
  await requireReferences(database, resource, changed)
  const updated = { ...record, ...changed, updated_at: context.now }
  await writeUpdate(database, resource, updated, changed)
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'update',
    before: Object.fromEntries(Object.keys(changed).map((name) => [name, record[name]!])),
    after: changed,
  })
  return updated
}

function changedValues(record: StoredRecord, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => record[name] !== value))
}

/** Writes the changed columns, the time of the change, and the derived columns. */
async function writeUpdate(
  database: Database,
  resource: Resource,
  updated: StoredRecord,
  changed: Values,
): Promise<void> {
  const { id, ...members } = updated
  const derived = recomputedColumns(database.engine, resource, members, Object.keys(changed))
  const written = { ...changed, updated_at: members.updated_at!, ...derived }
  const columns = Object.keys(written).map((name) => `${name} = ?`)
  const sql = `update ${resource.name} set ${columns.join(', ')} where id = ? returning id`
  const parameters = [...Object.values(written), id]
  if (conditionsOf(resource, changed).length === 0) database.runDeferred(sql, parameters)
  else await attempt(database, resource, changed, id, sql, parameters)
}

/** Throws `not_found`, what `check` throws, and `conflict` with the `dependents` while other records refer to the record. */
export async function deleteRecord(database: Database, deletion: RecordDeletion): Promise<void> {
  const { resource, id, context } = deletion
  const record = await requireRecord(database, deletion)
  deletion.check?.(record)
  await writeDeletion(database, deletion)
  const { id: _, created_at, updated_at, ...before } = record
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'delete',
    before,
    after: null,
  })
}

async function writeDeletion(database: Database, { resource, resources, id }: RecordDeletion): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await database.attempt(`delete from ${resource.name} where id = ? returning id`, [id])
      return
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      const dependents = await countDependents(database, resources, { resource, id })
      if (dependents.length === 0 && attempts < maxAttempts) continue
      throw new Problem('conflict', { members: { details: error.message, dependents } })
    }
  }
}

/** A statement is retried because another writer may free a value, create the referenced record or delete the dependents
 *  between the failure and the query for its reason. */
const maxAttempts = 5

/** Inserts a record with the next id and returns the id. The statement itself checks the precondition, references and unique
 *  values, which saves a round trip, and a failure uses up no id. The reason is queried only if nothing was inserted. */
async function insertRecord(database: Database, creation: RecordCreation): Promise<number> {
  const { resource, values, context, precondition } = creation
  const conditions = conditionsOf(resource, values)
  const tests = [precondition.sql, ...conditions.map(({ sql }) => sql)].join(' and ')
  const insert = statements(database.engine, resource).insertIf(tests)
  const members = { ...values, created_at: context.now, updated_at: context.now }
  const stored = [...Object.values(members), ...Object.values(derivedValues(database.engine, resource, members))]
  const parameters = [...stored, ...precondition.values, ...conditions.map(({ value }) => value)]
  const isSafe = conditions.length === 0 // no constraint can be violated
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const row = await (isSafe
      ? database.get(insert, parameters)
      : attempt(database, resource, values, 0, insert, parameters))
    if (row) {
      const id = row.id as number
      setCounter(database, resource.name, id)
      await createDeferredIndexesOnInsert(database, resource, id)
      return id
    }
    await precondition.require()
    await requireUnique(database, resource, values, 0)
    await requireReferences(database, resource, values)
  }
  throw new Error(`a ${resource.singular} was not inserted, and nothing says why`)
}

/** The conditions that the values impose on other records: unique values are free, referenced records exist. */
function conditionsOf(resource: Resource, values: Values): { sql: string; value: Value }[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    const value = values[name] ?? null
    if (value === null) return []
    const isFree = { sql: `not exists (select 1 from ${resource.name} where ${name} = ?)`, value }
    if (field.kind !== 'reference') return field.unique ? [isFree] : []
    const targetExists = { sql: `exists (select 1 from ${field.to} where id = ?)`, value }
    return field.unique ? [isFree, targetExists] : [targetExists]
  })
}

/** Reads the record while the precondition is checked. If the precondition fails, nothing about the record is revealed. */
async function requireRecord(
  database: Database,
  { resource, id, precondition }: Omit<RecordUpdate, 'values'>,
): Promise<StoredRecord> {
  const finding = Promise.resolve(database.get(statements(database.engine, resource).find, [id]))
  finding.catch(() => {}) // nothing awaits it if the precondition fails
  await precondition.require()
  const row = await finding
  const record = row && toRecord(resource, row)
  if (!record) throw new Problem('not_found', { message: `There is no ${resource.singular} with this id.` })
  return record
}

/** Queried explicitly because an engine may not report which reference failed. The foreign key remains the safeguard. */
async function requireReferences(database: Database, resource: Resource, values: Values): Promise<void> {
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || values[name] === undefined || values[name] === null) continue
    const row = await database.get(`select 1 as found from ${field.to} where id = ?`, [values[name]])
    if (!row) throw new Problem(field.missingCode)
  }
}

/** Runs a statement that may violate a constraint. Throws the matching problem, or retries if the reason is gone. */
async function attempt(
  database: Database,
  resource: Resource,
  values: Values,
  id: number,
  sql: string,
  parameters: Value[],
): Promise<Row | undefined> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await database.attempt(sql, parameters)
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      await requireUnique(database, resource, values, id)
      await requireReferences(database, resource, values)
      if (attempts === maxAttempts) throw error
    }
  }
}

/** Queried explicitly because an engine may not report which value is a duplicate. The unique index remains the safeguard. */
async function requireUnique(database: Database, resource: Resource, values: Values, id: number): Promise<void> {
  const errors: [name: string, error: FieldError][] = []
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!field.unique || values[name] === undefined || values[name] === null) continue
    const sql = `select id from ${resource.name} where ${name} = ? and id <> ?`
    const row = await database.get(sql, [values[name], id])
    if (row) errors.push([name, { code: 'duplicate', message: 'Another record already has this value.' }])
  }
  if (errors.length > 0) throw validationFailed(errors)
}

function toRecord(resource: Resource, row: Row): StoredRecord {
  for (const name of booleansOf(resource)) if (row[name] !== null) row[name] = Boolean(row[name])
  return row as StoredRecord
}

/** The statements of a resource. `insertIf`: inserts only if the conditions hold. Only declared names are interpolated. */
const statements = deriveOncePerEngine((engine, resource: Resource) => {
  const names = Object.keys(resource.fields)
  const stored = [...names, ...timestampColumns, ...Object.keys(derivedColumns(engine, resource))]
  const all = columns(resource).join(', ')
  const insert = `
    insert into ${resource.name} (id, ${stored.join(', ')})
    select last + 1, ${stored.map(() => '?').join(', ')} from counters where name = '${resource.name}'`
  const inserts = new Map<string, string>() // one for each combination of given references and unique values
  return {
    insertIf(tests: string) {
      const sql = inserts.get(tests) ?? `${insert} and ${tests} returning id`
      inserts.set(tests, sql)
      return sql
    },
    find: `select ${all} from ${resource.name} where id = ?`,
  }
})
