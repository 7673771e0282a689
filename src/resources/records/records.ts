// All SQL on resource tables. A record is an object with every column of its resource, in the order of the answers.

import { ConstraintViolation, type Database, type Row, type Value } from '../../database/database.ts'
import { Problem } from '../../problem.ts'
import { booleansOf, columns, type Resource, timestampColumns } from '../resource.ts'
import { setCounter } from '../schema/counters.ts'
import { createDeferredIndexesOnInsert } from '../schema/deferred-indexes.ts'
import { type FieldError, type Values, validationFailed } from '../validate.ts'
import { type ChangeContext, recordChange } from './changes.ts'
import { derivedColumns, derivedValues, recomputedColumns } from './derived-columns.ts'

export type StoredRecord = { id: number } & Values

/** Leave to change something, asked for but perhaps not answered yet: work may be sent along with the question. */
export type WritePrecondition = {
  /** SQL that is true once leave is given, with its values: for a statement that is sent before the answer. */
  condition: string
  values: Value[]
  /** Waits for the answer. Throws what the caller gets instead. */
  settle(): Promise<void>
}

/** Creates a record. Throws `validation_failed` for a duplicate, the code of a reference that leads nowhere (§4.6, §4.7). */
export async function createRecord(
  database: Database,
  resource: Resource,
  values: Values,
  occasion: ChangeContext,
  permit: WritePrecondition,
): Promise<StoredRecord> {
  const id = await insertRecord(database, resource, values, occasion, permit)
  recordChange(database, occasion, {
    resource: resource.name,
    recordId: id,
    action: 'create',
    before: null,
    after: values,
  })
  return { id, ...values, created_at: occasion.now, updated_at: occasion.now }
}

/** Changes just the fields in `values`. Throws `not_found`, then what createRecord throws. `check` may refuse first. */
export async function updateRecord(
  database: Database,
  resource: Resource,
  id: number,
  values: Values,
  occasion: ChangeContext,
  permit: WritePrecondition,
  check: (record: StoredRecord) => void,
): Promise<StoredRecord> {
  const record = await requireRecord(database, resource, id, permit)
  check(record)
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, record[name]!]))
  const changed = Object.fromEntries(Object.entries(values).filter(([name, value]) => before[name] !== value))
  await requireUnique(database, resource, changed, id)
  await requireReferences(database, resource, changed)
  const { id: _, ...members } = { ...record, ...changed, updated_at: occasion.now }
  const derived = recomputedColumns(database.engine, resource, members, Object.keys(changed))
  const sets = [...Object.keys(changed), 'updated_at', ...Object.keys(derived)].map((name) => `${name} = ?`).join(', ')
  const update = `update ${resource.name} set ${sets} where id = ? returning id`
  const stored = [...Object.values(changed), occasion.now, ...Object.values(derived), id]
  if (conditionsOf(resource, changed).length === 0) database.runDeferred(update, stored)
  else await attempt(database, resource, changed, id, update, stored)
  recordChange(database, occasion, {
    resource: resource.name,
    recordId: id,
    action: 'update',
    before: Object.fromEntries(Object.keys(changed).map((name) => [name, before[name]!])),
    after: changed,
  })
  return { id, ...members }
}

/** Deletes a record. Throws `not_found`, and `conflict` while others refer to it. `check` may refuse first. */
export async function deleteRecord(
  database: Database,
  resource: Resource,
  id: number,
  occasion: ChangeContext,
  permit: WritePrecondition,
  check: (record: StoredRecord) => void,
): Promise<void> {
  const record = await requireRecord(database, resource, id, permit)
  check(record)
  try {
    await database.attempt(`delete from ${resource.name} where id = ? returning id`, [id])
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw new Problem('conflict', { members: { details: error.message } })
  }
  const { id: _, created_at, updated_at, ...before } = record
  recordChange(database, occasion, {
    resource: resource.name,
    recordId: id,
    action: 'delete',
    before,
    after: null,
  })
}

/** Others may free a value, or make what is referred to, between a refusal and the look at its reason. */
const mostAttempts = 5

/** Inserts a record with the next id, which it returns. The statement itself looks up leave, references and unique values: that
 *  takes no round trip of its own, and a refusal uses up no id. What was missing is asked only when nothing was inserted. */
async function insertRecord(
  database: Database,
  resource: Resource,
  values: Values,
  occasion: ChangeContext,
  permit: WritePrecondition,
): Promise<number> {
  const conditions = conditionsOf(resource, values)
  const tests = [permit.condition, ...conditions.map(({ sql }) => sql)].join(' and ')
  const insert = statements(database.engine, resource).insertIf(tests)
  const members = { ...values, created_at: occasion.now, updated_at: occasion.now }
  const stored = [...Object.values(members), ...Object.values(derivedValues(database.engine, resource, members))]
  const parameters = [...stored, ...permit.values, ...conditions.map(({ value }) => value)]
  const isSafe = conditions.length === 0 // there is no constraint that it could break
  for (let attempts = 0; attempts < mostAttempts; attempts++) {
    const row = await (isSafe
      ? database.get(insert, parameters)
      : attempt(database, resource, values, 0, insert, parameters))
    if (row) {
      const id = row.id as number
      setCounter(database, resource.name, id)
      await createDeferredIndexesOnInsert(database, resource, id)
      return id
    }
    await permit.settle()
    await requireUnique(database, resource, values, 0)
    await requireReferences(database, resource, values)
  }
  throw new Error(`a ${resource.singular} was not inserted, and nothing says why`)
}

/** What the given values ask of other records: unique values must be free, references must lead somewhere. */
function conditionsOf(resource: Resource, values: Values): { sql: string; value: Value }[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    const value = values[name] ?? null
    if (value === null) return []
    const isFree = { sql: `not exists (select 1 from ${resource.name} where ${name} = ?)`, value }
    if (field.kind !== 'reference') return field.unique ? [isFree] : []
    const leadsSomewhere = { sql: `exists (select 1 from ${field.to} where id = ?)`, value }
    return field.unique ? [isFree, leadsSomewhere] : [leadsSomewhere]
  })
}

/** Reads the record while leave is asked for; without leave nothing is said of it. */
async function requireRecord(
  database: Database,
  resource: Resource,
  id: number,
  permit: WritePrecondition,
): Promise<StoredRecord> {
  const finding = Promise.resolve(database.get(statements(database.engine, resource).find, [id]))
  finding.catch(() => {}) // when leave is refused, nobody waits for it
  await permit.settle()
  const row = await finding
  const record = row && toRecord(resource, row)
  if (!record) throw new Problem('not_found', { message: `There is no ${resource.singular} with this id.` })
  return record
}

/** Looked up first, since an engine may not say which reference failed; the foreign key stays the backstop. */
async function requireReferences(database: Database, resource: Resource, values: Values): Promise<void> {
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind !== 'reference' || values[name] === undefined || values[name] === null) continue
    const row = await database.get(`select 1 as found from ${field.to} where id = ?`, [values[name]])
    if (!row) throw new Problem(field.missingCode)
  }
}

/** Runs a statement that may break a constraint. Throws the refusal where there is a reason for one; else it is run again. */
async function attempt(
  database: Database,
  resource: Resource,
  values: Values,
  id: number,
  sql: string,
  parameters: (string | number | boolean | null)[],
): Promise<Row | undefined> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await database.attempt(sql, parameters)
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      await requireUnique(database, resource, values, id)
      await requireReferences(database, resource, values)
      if (attempts === mostAttempts) throw error
    }
  }
}

/** Looked up first, since an engine may not say which value it was; the index decides. */
async function requireUnique(database: Database, resource: Resource, values: Values, id: number): Promise<void> {
  const errors: Record<string, FieldError> = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!field.unique || values[name] === undefined || values[name] === null) continue
    const sql = `select id from ${resource.name} where ${name} = ? and id <> ?`
    const row = await database.get(sql, [values[name], id])
    if (row) errors[name] = { code: 'duplicate', message: 'Another record already has this value.' }
  }
  if (Object.keys(errors).length > 0) throw validationFailed(errors)
}

function toRecord(resource: Resource, row: Row): StoredRecord {
  for (const name of booleansOf(resource)) if (row[name] !== null) row[name] = Boolean(row[name])
  return row as StoredRecord
}

/** `insertIf`: where the tests, of declared names, hold. */
type Statements = { insertIf(tests: string): string; find: string }

const written = { sqlite: new WeakMap<Resource, Statements>(), postgres: new WeakMap<Resource, Statements>() }

/** The statements of a resource, written once. Only declared names are spliced in. */
function statements(engine: Database['engine'], resource: Resource): Statements {
  const known = written[engine].get(resource)
  if (known) return known
  const names = Object.keys(resource.fields)
  const stored = [...names, ...timestampColumns, ...Object.keys(derivedColumns(engine, resource))]
  const all = columns(resource).join(', ')
  const insert = `
    insert into ${resource.name} (id, ${stored.join(', ')})
    select last + 1, ${stored.map(() => '?').join(', ')} from counters where name = '${resource.name}'`
  const inserts = new Map<string, string>() // one for each set of references and unique values that are given
  const made = {
    insertIf(tests: string) {
      const sql = inserts.get(tests) ?? `${insert} and ${tests} returning id`
      inserts.set(tests, sql)
      return sql
    },
    find: `select ${all} from ${resource.name} where id = ?`,
  }
  written[engine].set(resource, made)
  return made
}
