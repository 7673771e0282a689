// Plans a bulk edit: what the edit does to each record. Previews show the plan, and the edit itself applies it.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/value-list.ts'
import { employees } from '../declarations/employees.ts'
import { type Resource, type Resources, resourceNamed } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { referencesTo } from '../records/dependents.ts'
import { findRecordsByIds } from '../records/find-by-ids.ts'
import type { StoredRecord } from '../records/target.ts'
import type { BulkEdit, PlannedEdit, RefusalReason } from './bulk-edit.ts'
import { planVerb } from './plan-verb.ts'

/** The change to a record, or the reason why the change is refused. */
type Step = { values: Values; stockOf?: number } | RefusalReason

/** `ids`: at most a few hundred ids. `seq`: the number of the newest change that the user has seen; records that have
 *  changed since are refused. */
export async function planEdits(
  database: Database,
  resources: Resources,
  edit: BulkEdit,
  { ids, seq }: { ids: readonly number[]; seq: number },
): Promise<PlannedEdit[]> {
  if (ids.length === 0) return []
  const resource = resourceNamed(resources, edit.resource)
  const [records, changed] = await Promise.all([
    findRecordsByIds(database, resource, ids),
    changedSince(database, resource, ids, seq),
  ])
  const stepOf = await planSteps(database, resources, edit, [...records.values()])
  return ids.map((id): PlannedEdit => {
    const record = records.get(id)
    if (!record) return { id, outcome: 'refused', record: null, reason: 'gone' }
    if (changed.has(id)) return { id, outcome: 'refused', record, reason: 'changed_since' }
    const step = stepOf(record)
    if (typeof step === 'string') return { id, outcome: 'refused', record, reason: step }
    const values = Object.fromEntries(Object.entries(step.values).filter(([name, value]) => record[name] !== value))
    if (edit.action === 'delete') return { id, outcome: 'changed', record, values: {} }
    if (Object.keys(values).length === 0) return { id, outcome: 'unchanged', record }
    return { id, outcome: 'changed', record, ...step, values }
  })
}

async function changedSince(
  database: Database,
  { name }: Resource,
  ids: readonly number[],
  seq: number,
): Promise<Set<number>> {
  const sql = `select distinct record_id from changes where resource = ? and record_id in (${placeholders(ids)}) and seq > ?`
  const rows = await database.all<{ record_id: number }>(sql, [name, ...padValues(ids), seq])
  return new Set(rows.map((row) => row.record_id))
}

async function planSteps(
  database: Database,
  resources: Resources,
  edit: BulkEdit,
  records: readonly StoredRecord[],
): Promise<(record: StoredRecord) => Step> {
  const resource = resourceNamed(resources, edit.resource)
  switch (edit.action) {
    case 'verb':
      return planVerb(database, edit, records)
    case 'delete': {
      const used = await findReferredTo(database, resources, resource, records)
      return ({ id }) => (used.has(id) ? 'in_use' : { values: {} })
    }
    case 'update': {
      const { values } = edit
      const isDeactivation = resource.name === employees.name && values.is_active === false
      const leaving = isDeactivation ? records.filter(({ is_active, kind }) => is_active && kind === 'person') : []
      const holding = await findReferredTo(database, resources, resource, leaving)
      return ({ id }) => (holding.has(id) ? 'holds_items' : { values })
    }
  }
}

/** Returns the ids of those records that other records refer to. */
async function findReferredTo(
  database: Database,
  resources: Resources,
  resource: Resource,
  records: readonly StoredRecord[],
): Promise<Set<number>> {
  if (records.length === 0) return new Set()
  const ids = records.map(({ id }) => id)
  const references = referencesTo(resource, resources).flatMap(({ from, fields }) =>
    fields.map((field) => ({ from, field })),
  )
  const rows = await Promise.all(
    references.map(({ from, field }) =>
      database.all<{ id: number }>(
        `select distinct ${field} as id from ${from.name} where ${field} in (${placeholders(ids)})`,
        padValues(ids),
      ),
    ),
  )
  return new Set(rows.flat().map(({ id }) => id))
}
