// Applies a verb to one item, within the caller's transaction.

import type { Database } from '../../engine/database/database.ts'
import { cleanText } from '../../lib/text.ts'
import { Problem } from '../../problem.ts'
import { employees } from '../declarations/employees.ts'
import { hardware } from '../declarations/hardware.ts'
import { byId, noSuchRecord } from '../declarations/resource.ts'
import { type Values, validateChanges } from '../fields/validate.ts'
import { type ChangeContext, findTarget, type StoredRecord } from '../records/changes.ts'
import { changeRecord } from '../records/records.ts'
import { findLoanOrigins, findOrCreateStock } from './stock.ts'
import {
  canReceive,
  fieldsSetBy,
  type HolderKind,
  holderKindOf,
  isOffered,
  stateOf,
  type Verb,
  type VerbName,
  verbs,
} from './verbs.ts'

/** The answers to a verb's questions. `person`: an employee's id. `branch`: the id of a branch (a record in
 *  `customers`). `dueBack`: a date. `note`: a line of text. */
export type VerbAnswers = { person?: number; branch?: number; dueBack?: string; note?: string }

/** `check` throws if the item must not be changed. */
export type VerbUse = {
  verb: VerbName
  id: number
  answers: VerbAnswers
  context: ChangeContext
  check?: (item: StoredRecord) => void
}

/** Returns the changed item. Throws `not_found`, the errors of `check`, `conflict` if the verb does not fit the item's
 *  state or would change nothing, `invalid_employee`, `invalid_customer`, and `validation_failed`. An error leaves the
 *  item unchanged, but a stock location may already have been created for a branch that had none. */
export async function applyVerb(database: Database, use: VerbUse): Promise<StoredRecord> {
  const { verb, id, answers, context } = use
  const { record: item } = await findTarget(database, { resource: hardware, key: byId(id) })
  if (!item) throw noSuchRecord(hardware, byId(id))
  use.check?.(item)
  const currentHolder = await findHolder(database, Number(item.employee_id))
  const state = stateOf(item, currentHolder)
  if (!isOffered(verb, state)) throw verbConflict(verb, state.status)
  requireAnswers(verb, answers)
  const newNotes = notesAfter(item, answers.note)
  const validated = validateChanges(hardware, { due_back: answers.dueBack ?? null, ...newNotes }).values
  const holder = await nextHolder(database, use, { item, currentHolder })
  const setValues = fieldsSetBy(verb, state, holder, validated.due_back ?? null)
  if (isWithoutEffect(item, setValues)) throw verbConflict(verb, state.status)
  const values = { ...setValues, ...(newNotes.notes !== undefined && { notes: validated.notes! }) }
  return changeRecord(database, { resource: hardware, context }, item, values)
}

function verbConflict(verb: VerbName, status: string): Problem {
  const details = `${verb} does not apply to an item with the status ${status} and this kind of holder.`
  return new Problem('conflict', { message: "The item's state does not permit this.", members: { details } })
}

function requireAnswers(verb: VerbName, answers: VerbAnswers): void {
  const { asks }: Verb = verbs[verb]
  if (asks.person === 'required' && answers.person === undefined) throw new Problem('invalid_employee')
  if (asks.branch === 'required' && answers.branch === undefined) throw new Problem('invalid_customer')
  if (asks.due_back === 'required') validateChanges(dueBackOnly, { due_back: answers.dueBack ?? null })
}

/** A resource with a single required field: the end of a loan. */
const dueBackOnly = { ...hardware, fields: { due_back: { kind: 'date', required: true } } } as const

function notesAfter({ notes }: StoredRecord, note = ''): { notes?: string } {
  const line = cleanText(note)
  if (line === '') return {}
  return { notes: notes === null ? line : `${notes}\n${line}` }
}

async function nextHolder(
  database: Database,
  { verb, answers, context }: VerbUse,
  { item, currentHolder }: { item: StoredRecord; currentHolder: StoredRecord },
): Promise<{ id: number; kind: HolderKind }> {
  const { sets }: Verb = verbs[verb]
  if (sets.holder === 'stock') {
    const origin = answers.branch === undefined ? (await findLoanOrigins(database, [item])).get(item.id) : undefined
    const branch = answers.branch ?? origin?.branch ?? Number(currentHolder.customer_id)
    return { id: origin?.stock ?? (await findOrCreateStock(database, branch, context)), kind: 'storage' }
  }
  if (sets.holder === undefined) return { id: currentHolder.id, kind: holderKindOf(currentHolder) }
  return { id: await requireRecipient(database, answers.person!), kind: 'person' }
}

/** Returns the id if it belongs to a person who has not left and can therefore receive equipment. Throws
 *  `invalid_employee`. */
export async function requireRecipient(database: Database, id: number): Promise<number> {
  if (!canReceive(await findHolder(database, id))) throw new Problem('invalid_employee')
  return id
}

/** Throws `invalid_employee`. */
async function findHolder(database: Database, id: number): Promise<StoredRecord> {
  const { record } = await findTarget(database, { resource: employees, key: byId(id) })
  if (!record) throw new Problem('invalid_employee')
  return record
}

/** Whether the verb would change nothing, for example because the item has already been returned or retired. */
export function isWithoutEffect(item: StoredRecord, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => item[name] === value)
}
