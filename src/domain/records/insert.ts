// Inserts a record with its history row.

import type { Database, Value } from '../../engine/database/database.ts'
import { setCounter } from '../../engine/database/statements.ts'
import { noPrecondition, type WritePrecondition } from '../../engine/responses/idempotency.ts'
import { deriveOncePerEngine, type Resource, timestampColumns } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { createDeferredIndexesOnInsert, derivedColumns, derivedValues } from '../schema/derived.ts'
import { type ChangeContext, recordChange, type StoredRecord } from './changes.ts'
import { conditionsOf, requireReferences, requireUnique } from './constraints.ts'

/** `mayRead`: whether an error may identify another record. */
export type Insertion = {
  resource: Resource
  context: ChangeContext
  precondition?: WritePrecondition | undefined
  mayRead?: boolean
}

/** Throws `validation_failed` for a duplicate value, and the `missingCode` of a reference to a missing record. */
export async function insertWithHistory(
  database: Database,
  insertion: Insertion,
  values: Values,
): Promise<StoredRecord> {
  const { resource, context } = insertion
  const id = await insertRecord(database, insertion, values)
  recordChange(database, context, {
    resource: resource.name,
    recordId: id,
    action: 'create',
    before: null,
    after: values,
  })
  return { id, ...values, created_at: context.now, updated_at: context.now }
}

/** Inserts a record with the next id and returns the id. The conditions are checked together with taking the id. This
 *  saves a round trip, and a failed check does not use up an id. If nothing was inserted, further queries find the
 *  reason. */
async function insertRecord(database: Database, insertion: Insertion, values: Values): Promise<number> {
  const { resource, context, precondition = noPrecondition } = insertion
  const conditions = conditionsOf(resource, values)
  const tests = {
    sql: [precondition.sql, ...conditions.map(({ sql }) => sql)].join(' and '),
    values: [...precondition.values, ...conditions.map(({ value }) => value)],
  }
  const members = { ...values, created_at: context.now, updated_at: context.now }
  const stored = [...Object.values(members), ...Object.values(derivedValues(database.engine, resource, members))]
  let id = await insertIf(database, resource, stored, tests)
  if (id === undefined) {
    await precondition.require()
    await requireUnique(database, insertion, values, 0)
    await requireReferences(database, resource, values)
    id = await insertIf(database, resource, stored, tests) // an expired response for the key was replaced after the first attempt
  }
  if (id === undefined) throw new Error(`a ${resource.singular} was not inserted for an unknown reason`)
  setCounter(database, resource.name, id)
  await createDeferredIndexesOnInsert(database, resource, id)
  return id
}

/** Inserts a record if the tests hold, and returns its id. On SQLite two statements are faster than one: a statement
 *  that inserts the rows of a query, or returns its row, first copies every page that it changes, so that it can be
 *  undone alone. With the indexes of a large table, the copies take a third of the time of a create. */
async function insertIf(
  database: Database,
  resource: Resource,
  stored: readonly Value[],
  tests: { sql: string; values: readonly Value[] },
): Promise<number | undefined> {
  const { nextId, insert, insertNext } = insertSql(database.engine, resource)
  if (database.engine === 'postgres') {
    const sql = `${insertNext} and ${tests.sql} returning id`
    return (await database.get<{ id: number }>(sql, [...stored, ...tests.values]))?.id
  }
  const row = await database.get<{ id: number }>(`${nextId} and ${tests.sql}`, tests.values)
  if (row) database.runDeferred(insert, [row.id, ...stored])
  return row?.id
}

/** The statements of insertIf. Only declared names are interpolated. */
const insertSql = deriveOncePerEngine((engine, resource: Resource) => {
  const { name, fields } = resource
  const stored = [...Object.keys(fields), ...timestampColumns, ...Object.keys(derivedColumns(engine, resource))]
  const columns = `${name} (id, ${stored.join(', ')})`
  const values = stored.map(() => '?').join(', ')
  return {
    nextId: `select last + 1 as id from counters where name = '${name}'`,
    insert: `insert into ${columns} values (?, ${values})`,
    insertNext: `insert into ${columns} select last + 1, ${values} from counters where name = '${name}'`,
  }
})
