// Creates many records with few statements: references and unique values are looked up for all records together, and
// the records are inserted together. If a record cannot be created here, callers pass it to createRecord, which throws
// the reason.

import type { Database, Value } from '../../engine/database/database.ts'
import { insertRows, padValues, placeholders, readCounter, setCounter } from '../../engine/database/statements.ts'
import { cleanText } from '../../lib/text.ts'
import { externalIdField, type Resource, referencesOf } from '../declarations/resource.ts'
import type { RecordInput, Values } from '../fields/validate.ts'
import { createDeferredIndexesOnInsert, derivedValues } from '../schema/derived.ts'
import { type ChangeContext, recordChanges, type StoredRecord } from './changes.ts'
import { formsOf } from './stored-forms.ts'

/** Records of a single resource that are about to be created in a single transaction. */
export type Creations = {
  /** Returns the new record, which `write` inserts; null if a unique value is taken or a referenced record does not
   *  exist. */
  create(input: RecordInput): Promise<StoredRecord | null>
  /** Inserts the new records. Call this before any other statement that involves records of the resource. */
  write(): Promise<void>
  /** Call this after a record with these values has been written without `create`, because that write may have assigned
   *  an id. */
  noteWritten(values: Values): void
}

/** `inputs`: every input that `create` may be called with. */
export async function prepareCreations(
  database: Database,
  { resource, context }: { resource: Resource; context: ChangeContext },
  inputs: readonly RecordInput[],
): Promise<Creations> {
  const targets = await findTargets(database, resource, inputs)
  const usedValues = await findUsedValues(database, resource, inputs)
  const uniqueFields = Object.keys(usedValues)
  let pending: StoredRecord[] = []
  let last: number | null = null

  return {
    async create(input) {
      const resolved = resolveReferences(targets, input)
      if (!resolved || uniqueFields.some((name) => usedValues[name]!.has(resolved[name] ?? null))) return null
      for (const name of uniqueFields) if (resolved[name] != null) usedValues[name]!.add(resolved[name])
      last ??= await readCounter(database, resource.name)
      const record = { id: ++last, ...resolved, created_at: context.now, updated_at: context.now }
      pending.push(record)
      return record
    },
    async write() {
      const records = pending
      pending = []
      await insertRecords(database, resource, context, records)
    },
    noteWritten(values) {
      last = null
      for (const name of uniqueFields) if (values[name] != null) usedValues[name]!.add(values[name])
    },
  }
}

/** The existing records that the inputs refer to. For each reference field, `byId` has their ids, and `byExternalId`
 *  maps their external ids to ids. */
type Targets = Record<string, { byId: Set<Value>; byExternalId: Map<Value, number> }>

/** Returns the values with the ids of all references, or null if a referenced record does not exist. */
function resolveReferences(targets: Targets, { values, references = {} }: RecordInput): Values | null {
  const resolved = { ...values }
  for (const [name, { byId, byExternalId }] of Object.entries(targets)) {
    const externalId = references[name]
    const id = externalId === undefined ? values[name]! : byExternalId.get(externalId)
    if (id === undefined || (externalId === undefined && id !== null && !byId.has(id))) return null
    resolved[name] = id
  }
  return resolved
}

async function findTargets(database: Database, resource: Resource, inputs: readonly RecordInput[]): Promise<Targets> {
  const targets: Targets = {}
  for (const { name, to } of referencesOf(resource)) {
    const ids = inputs.flatMap(({ values }) => values[name] ?? [])
    const externalIds = inputs.flatMap(({ references }) => references?.[name] ?? [])
    const byId = await select(database, `select id from ${to} where id`, ids)
    const byExternalId = await select(
      database,
      `select id, ${externalIdField} from ${to} where ${externalIdField}`,
      externalIds.flatMap(formsOf),
    )
    targets[name] = {
      byId: new Set(byId.map(({ id }) => id!)),
      byExternalId: new Map(byExternalId.map((row) => [cleanText(String(row[externalIdField])), row.id as number])),
    }
  }
  return targets
}

/** For each unique field, finds the inputs' values that existing records already have. */
async function findUsedValues(
  database: Database,
  resource: Resource,
  inputs: readonly RecordInput[],
): Promise<Record<string, Set<Value>>> {
  const usedValues: Record<string, Set<Value>> = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!field.unique) continue
    const values = inputs.flatMap(({ values }) => (values[name] === null ? [] : formsOf(values[name]!)))
    const rows = await select(database, `select ${name} from ${resource.name} where ${name}`, values)
    usedValues[name] = new Set(rows.map((row) => (typeof row[name] === 'string' ? cleanText(row[name]) : row[name]!)))
  }
  return usedValues
}

async function select(database: Database, sql: string, values: readonly Value[]) {
  const distinct = [...new Set(values)]
  return distinct.length === 0 ? [] : database.all(`${sql} in (${placeholders(distinct)})`, padValues(distinct))
}

async function insertRecords(
  database: Database,
  resource: Resource,
  context: ChangeContext,
  records: readonly StoredRecord[],
): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(({ id, ...members }) => ({
    id,
    ...members,
    ...derivedValues(database.engine, resource, members),
  }))
  insertRows(database, resource.name, rows)
  setCounter(database, resource.name, records.at(-1)!.id)
  await recordChanges(
    database,
    context,
    records.map(({ id, created_at, updated_at, ...after }) => ({
      resource: resource.name,
      recordId: id,
      action: 'create' as const,
      before: null,
      after,
    })),
  )
  for (const { id } of records) await createDeferredIndexesOnInsert(database, resource, id)
}
