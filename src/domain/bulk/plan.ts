// Plans a bulk edit: what the edit does to each record. Previews show the plan, and the edit itself applies it.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { employees } from '../declarations/employees.ts'
import { type Resource, type Resources, resourceNamed, stockFieldOf } from '../declarations/resource.ts'
import { isWithoutEffect } from '../equipment/apply-verb.ts'
import { findLoanOrigins, type LoanOrigin } from '../equipment/stock.ts'
import {
  canReceive,
  fieldsSetBy,
  type HolderKind,
  holderKindOf,
  isOffered,
  stateOf,
  type Verb,
  verbs,
} from '../equipment/verbs.ts'
import type { Values } from '../fields/validate.ts'
import { findRecordsByIds, type StoredRecord } from '../records/changes.ts'
import { referencesTo } from '../records/dependents.ts'
import { changedValues } from '../records/records.ts'
import { findStocks } from '../records/stock.ts'
import type { BulkEdit, PlannedEdit, RefusalReason } from './bulk-edit.ts'

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
    const values = changedValues(record, step.values)
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
      const stock = edit.stockOf === undefined ? undefined : await planStock(database, resource, edit.stockOf)
      const values = { ...edit.values, ...stock?.values }
      const isDeactivation = resource.name === employees.name && values.is_active === false
      const leaving = isDeactivation ? records.filter(({ is_active, kind }) => is_active && kind === 'person') : []
      const holding = await findReferredTo(database, resources, resource, leaving)
      return ({ id }) => (holding.has(id) ? 'holds_items' : { ...stock, values })
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

type VerbEdit = BulkEdit & { action: 'verb' }

/** Stands for the id of a stock location that does not exist yet. */
const noStockYet = 0

async function planStock(database: Database, resource: Resource, branch: number): Promise<Exclude<Step, string>> {
  const stock = (await findStocks(database, [branch])).get(branch)
  const values = { [stockFieldOf(resource)!.name]: stock ?? noStockYet }
  return stock === undefined ? { values, stockOf: branch } : { values }
}

async function planVerb(
  database: Database,
  { verb: name, answers }: VerbEdit,
  items: readonly StoredRecord[],
): Promise<(item: StoredRecord) => Step> {
  const holders = await findRecordsByIds(database, employees, [
    ...new Set([...items.map((item) => Number(item.employee_id)), ...(answers.person ? [answers.person] : [])]),
  ])
  const { sets }: Verb = verbs[name]
  const choosesOwnStock = sets.holder === 'stock' && answers.branch === undefined
  const origins = choosesOwnStock ? await findLoanOrigins(database, items) : new Map<number, LoanOrigin>()
  const holderOf = (item: StoredRecord) => holders.get(Number(item.employee_id))!
  const branchOf = (item: StoredRecord) =>
    answers.branch ?? origins.get(item.id)?.branch ?? Number(holderOf(item).customer_id)
  const stocks = sets.holder === 'stock' ? await findStocks(database, items.map(branchOf)) : new Map()
  const recipient = answers.person === undefined ? undefined : holders.get(answers.person)

  function nextHolder(item: StoredRecord): { id: number; kind: HolderKind } {
    if (sets.holder === 'stock') {
      return { id: origins.get(item.id)?.stock ?? stocks.get(branchOf(item)) ?? noStockYet, kind: 'storage' }
    }
    const holder = sets.holder === 'person' ? recipient! : holderOf(item)
    return { id: holder.id, kind: holderKindOf(holder) }
  }

  if (sets.holder === 'person' && !(recipient && canReceive(recipient))) return () => 'left'
  return (item) => {
    const state = stateOf(item, holderOf(item))
    const verb = name === 'assign' && state.holder === 'person' ? 'hand_over' : name
    const holder = nextHolder(item)
    const values = fieldsSetBy(verb, state, holder, answers.dueBack ?? null)
    if (!isOffered(verb, state) && !isWithoutEffect(item, values)) return 'unfit'
    return holder.id === noStockYet ? { values, stockOf: branchOf(item) } : { values }
  }
}
