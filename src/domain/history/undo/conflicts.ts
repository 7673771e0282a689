// Finds the reasons why a change set cannot be undone: records that have changed since, and records whose previous
// state would break a rule. The rules are checked for the state after all steps of the plan.

import { type Database, limitClause, type Value } from '../../../engine/database/database.ts'
import { unpaddedPlaceholders } from '../../../engine/database/statements.ts'
import type { Pause } from '../../../engine/operation.ts'
import { employees } from '../../declarations/employees.ts'
import { type Resource, type Resources, referencesOf, resourceNamed } from '../../declarations/resource.ts'
import type { Values } from '../../fields/validate.ts'
import { findRecordsByIds } from '../../records/changes.ts'
import { referencesTo } from '../../records/dependents.ts'
import { isStockEmail } from '../../records/stock.ts'
import { batchesOf, previousValues, type UndoPlan, type UndoSteps, type ValueToClear } from './plan.ts'

/** The reasons, in the order in which they are reported for one record (contract §16). */
export const conflictReasons = ['changed_since', 'has_dependents', 'reference_gone', 'duplicate'] as const

export type Conflict = { resource: string; id: number; reason: (typeof conflictReasons)[number] }

type Check = {
  database: Database
  resources: Resources
  plan: UndoPlan
  conflicts: Map<Resource, Map<number, Set<Conflict['reason']>>>
  valuesToClear: ValueToClear[]
}

/** Returns every conflict. If there is none, `valuesToClear` lists the values to clear before all other steps. */
export async function findConflicts(
  database: Database,
  resources: Resources,
  plan: UndoPlan,
  pause: Pause,
): Promise<{ conflicts: Conflict[]; valuesToClear: ValueToClear[] }> {
  const check: Check = { database, resources, plan, conflicts: new Map(), valuesToClear: [] }
  await keepUsedStocks(check)
  for (const [resource, steps] of plan) {
    for (const ids of batchesOf(steps, 'recreate', 'update', 'delete', 'none')) {
      await findLaterChanges(check, resource, ids)
      await pause()
    }
  }
  for (const [resource, steps] of plan) {
    const idsByValue = new Map<string, number>()
    for (const ids of batchesOf(steps, 'recreate', 'update')) {
      const values = await previousValues(database, resource, steps, ids)
      await findMissingReferences(check, resource, values)
      await findDuplicates(check, resource, values, idsByValue)
      await pause()
    }
    for (const ids of batchesOf(steps, 'delete')) {
      await findDependents(check, resource, ids)
      await pause()
    }
  }
  return { conflicts: toList(check), valuesToClear: check.valuesToClear }
}

function addConflict({ conflicts }: Check, resource: Resource, id: number, reason: Conflict['reason']): void {
  const byId = conflicts.get(resource) ?? new Map<number, Set<Conflict['reason']>>()
  conflicts.set(resource, byId.set(id, (byId.get(id) ?? new Set()).add(reason)))
}

function toList({ plan, conflicts }: Check): Conflict[] {
  return [...plan.keys()].flatMap((resource) =>
    [...(conflicts.get(resource) ?? [])]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([id, reasons]) =>
        conflictReasons
          .filter((reason) => reasons.has(reason))
          .map((reason) => ({ resource: resource.name, id, reason })),
      ),
  )
}

/** If a record has been deleted or recreated since, its step becomes `none`, so that no other reason is reported for
 *  the record. */
async function findLaterChanges(check: Check, resource: Resource, ids: number[]): Promise<void> {
  const steps = check.plan.get(resource)!
  const newest = await check.database.all<{ record_id: number; seq: number; action: string }>(
    `select record_id, seq, action from changes where seq in (
       select max(seq) from changes where resource = ? and record_id in (${unpaddedPlaceholders(ids)}) group by record_id)`,
    [resource.name, ...ids],
  )
  for (const { record_id: id, seq, action } of newest) {
    const step = steps.get(id)!
    if (seq === step.seqs.at(-1)) continue
    addConflict(check, resource, id, 'changed_since')
    if ((action === 'delete') !== (step.kind === 'recreate')) step.kind = 'none'
  }
}

async function findMissingReferences(check: Check, resource: Resource, values: Map<number, Values>): Promise<void> {
  for (const { name, to } of referencesOf(resource)) {
    const target = resourceNamed(check.resources, to)
    const restored = entriesWithValue(values, name).map(([id, value]) => ({ id, referredId: Number(value) }))
    const existing = await findExistingAfter(check, target, [...new Set(restored.map(({ referredId }) => referredId))])
    for (const { id, referredId } of restored) {
      if (!existing.has(referredId)) addConflict(check, resource, id, 'reference_gone')
    }
  }
}

/** Returns those of the given ids whose records will exist after the undo. */
async function findExistingAfter({ database, plan }: Check, resource: Resource, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const sql = `select id from ${resource.name} where id in (${unpaddedPlaceholders(ids)})`
  const existing = new Set((await database.all<{ id: number }>(sql, ids)).map(({ id }) => id))
  const steps = plan.get(resource)
  for (const id of ids) {
    const kind = steps?.get(id)?.kind
    if (kind === 'delete') existing.delete(id)
    else if (kind === 'recreate') existing.add(id)
  }
  return existing
}

/** `idsByValue`: the ids of the records to which the undo restores a unique value, keyed by the field's name and the
 *  value. */
async function findDuplicates(
  check: Check,
  resource: Resource,
  values: Map<number, Values>,
  idsByValue: Map<string, number>,
): Promise<void> {
  const { database, plan } = check
  for (const [name, field] of Object.entries(resource.fields)) {
    const restored = field.unique ? entriesWithValue(values, name) : []
    if (restored.length === 0) continue
    const restoredTo = new Map(restored.map(([id, value]) => [value, id]))
    for (const [id, value] of restored) {
      const other = idsByValue.get(`${name} ${value}`)
      if (other !== undefined) for (const each of [id, other]) addConflict(check, resource, each, 'duplicate')
      idsByValue.set(`${name} ${value}`, id)
    }
    const sql = `select id, ${name} as value from ${resource.name} where ${name} in (${unpaddedPlaceholders(restored)})`
    const uniqueValues = restored.map(([, value]) => value)
    const holders = await database.all<{ id: number; value: NonNullable<Value> }>(sql, uniqueValues)
    const others = holders.filter(({ id, value }) => id !== restoredTo.get(value))
    const otherIds = others.map(({ id }) => id)
    const changing = await findChangedByUndo(check, resource, otherIds, name)
    for (const { id, value } of others) {
      if (plan.get(resource)!.get(id)?.kind === 'delete' || changing.has(id))
        check.valuesToClear.push({ resource, id, field: name })
      else addConflict(check, resource, restoredTo.get(value)!, 'duplicate')
    }
  }
}

/** Returns the ids of those records in which the undo changes the field. */
async function findChangedByUndo(
  { database, plan }: Check,
  resource: Resource,
  ids: readonly number[],
  field: string,
): Promise<Set<number>> {
  const steps: UndoSteps = plan.get(resource) ?? new Map()
  const updated = ids.filter((id) => steps.get(id)?.kind === 'update')
  if (updated.length === 0) return new Set()
  const values = await previousValues(database, resource, steps, [...new Set(updated)])
  return new Set(updated.filter((id) => values.get(id)![field] !== undefined))
}

/** How many dependents one query reads. */
const dependentsPerPage = 500

/** Leaves branches' stocks in place that hold anything else, and takes them out of the plan (contract §17, Stock). */
async function keepUsedStocks(check: Check): Promise<void> {
  const steps = [...check.plan].find(([{ name }]) => name === employees.name)?.[1] ?? new Map()
  for (const ids of batchesOf(steps, 'delete')) {
    const records = await findRecordsByIds(check.database, employees, ids)
    const stocks = [...records.values()].filter(({ email }) => isStockEmail(email)).map(({ id }) => id)
    if (stocks.length > 0) for (const id of await findReferredTo(check, employees, stocks)) steps.delete(id)
  }
}

/** Reports records that the undo would delete even though other records would still refer to them. */
async function findDependents(check: Check, resource: Resource, ids: number[]): Promise<void> {
  for (const id of await findReferredTo(check, resource, ids)) addConflict(check, resource, id, 'has_dependents')
}

/** Returns the ids of those records to which other records would still refer after the undo. */
async function findReferredTo(check: Check, resource: Resource, ids: number[]): Promise<Set<number>> {
  const referredIds = new Set<number>()
  for (const { from, fields } of referencesTo(resource, check.resources)) {
    for (const field of fields)
      for (const id of await findReferredToBy(check, ids, { from, field })) referredIds.add(id)
  }
  return referredIds
}

async function findReferredToBy(
  check: Check,
  ids: number[],
  { from, field }: { from: Resource; field: string },
): Promise<Set<number>> {
  const steps: UndoSteps = check.plan.get(from) ?? new Map()
  const referredIds = new Set<number>()
  const sql = `select id, ${field} as target from ${from.name}
    where ${field} in (${unpaddedPlaceholders(ids)}) and (${field}, id) > (?, ?) order by ${field}, id ${limitClause}`
  for (let after = [0, 0]; ; ) {
    const rows = await check.database.all<{ id: number; target: number }>(sql, [...ids, ...after, dependentsPerPage])
    const rowIds = rows.map(({ id }) => id)
    const changing = await findChangedByUndo(check, from, rowIds, field)
    for (const { id, target } of rows)
      if (steps.get(id)?.kind !== 'delete' && !changing.has(id)) referredIds.add(target)
    const last = rows.at(-1)
    if (rows.length < dependentsPerPage || !last) break
    // One dependent is enough: the other dependents of the same record are skipped.
    after = [last.target, referredIds.has(last.target) ? Number.MAX_SAFE_INTEGER : last.id]
  }
  return referredIds
}

function entriesWithValue(
  values: Map<number, Values>,
  field: string,
): [id: number, value: NonNullable<Values[string]>][] {
  return [...values].flatMap(([id, { [field]: value }]) => (value === undefined || value === null ? [] : [[id, value]]))
}
