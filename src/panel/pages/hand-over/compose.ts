// Composes two kinds of printed forms: those that a change set requires, and those about everything that a person
// holds.

import { type FormKind, handOverFormOperations } from '../../../domain/equipment/hand-over-forms.ts'
import { type Entry, readChanges } from '../../components/activity/change-list.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { readMatching, readRecords } from '../../read-records.ts'
import type { TenantRequest } from '../../requests/request.ts'

/** `number`: the sequence number of the newest change that the form is about. `at`: the time of that change. `by`: the
 *  user who made that change. `place`: the storage location that the equipment came from or went to. If the form is
 *  about everything that a person holds, `at` is now and `by` is the user who opens the form. */
export type HandOverForm = {
  kind: FormKind
  number: number
  at: string
  person: PanelRecord
  place: PanelRecord | null
  by: string | null
  changeSet: string | null
  dueBack: string | null
  items: PanelRecord[]
}

/** More items or forms would make the page too slow, and nobody would sign that many. */
const [maxItems, maxForms] = [500, 20]

export type ComposedForms = { forms: HandOverForm[] } | 'too many'

/** Returns the forms for a change set: one for each person, kind and due date. `personId`: returns only the forms
 *  for this person; null for all people. */
export async function formsOfChangeSet(
  request: TenantRequest,
  changeSet: string,
  personId: number | null,
): Promise<ComposedForms> {
  const { entries, before } = await readChanges(request, { changeSet, resource: 'hardware', limit: maxItems })
  if (before !== null) return 'too many'
  const moved = entries.toReversed().filter(({ action }) => action !== 'delete')
  const holderIds = moved.flatMap(({ before, after }) => [before?.employee_id, after?.employee_id])
  const itemIds = moved.map(({ id }) => id)
  const items = await readRecords(request, 'hardware', itemIds)
  const holders = await readRecords(request, 'employees', [
    ...holderIds.filter((id) => typeof id === 'number'),
    ...[...items.values()].map((item) => Number(item.employee_id)),
  ])
  const required = moved.flatMap((entry) => requiredForms(entry, items.get(entry.id), holders))
  const wanted = required.filter((each) => personId === null || each.personId === personId)
  const groups = [...Map.groupBy(wanted, ({ kind, personId, dueBack }) => [kind, personId, dueBack].join()).values()]
  if (groups.length > maxForms) return 'too many'
  return { forms: groups.flatMap((group) => composeForm(group, holders, items)) }
}

/** A form that a change to an item requires. */
type RequiredForm = {
  entry: Entry
  kind: FormKind
  personId: number
  placeId: number | null
  dueBack: string | null
}

/** Returns the forms that a change to an item requires. A person who gave up the item gets a return form, unless the
 *  item is lost. A person who received the item gets a hand-over or loan form. */
function requiredForms(entry: Entry, item: PanelRecord | undefined, holders: Map<number, PanelRecord>): RequiredForm[] {
  const { before, after } = entry
  const isPerson = (id: unknown) => holders.get(Number(id))?.kind === 'person'
  const isLoan = typeof after?.due_back === 'string'
  const dueBack = isLoan ? String(after.due_back) : null
  const [from, to] = [before?.employee_id, after?.employee_id]
  if (to === undefined) {
    const holder = item?.employee_id
    return isLoan && isPerson(holder) ? [{ entry, kind: 'loan', personId: Number(holder), placeId: null, dueBack }] : []
  }
  const placeId = (id: unknown) => (id === undefined || isPerson(id) ? null : Number(id))
  const required: RequiredForm[] = []
  if (isPerson(from) && after?.status !== 'lost')
    required.push({ entry, kind: 'return', personId: Number(from), placeId: placeId(to), dueBack: null })
  if (isPerson(to))
    required.push({ entry, kind: isLoan ? 'loan' : 'hand_over', personId: Number(to), placeId: placeId(from), dueBack })
  return required
}

/** Composes one form from the changes that require it, oldest first. Returns an empty list if the person or all items
 *  have been deleted. */
function composeForm(
  group: RequiredForm[],
  holders: Map<number, PanelRecord>,
  items: Map<number, PanelRecord>,
): HandOverForm[] {
  const { kind, personId, dueBack } = group[0]!
  const { seq: number, at, user_id: by, change_set: changeSet } = group.at(-1)!.entry
  const person = holders.get(personId)
  const [place = null] = group.flatMap(({ placeId }) => (placeId === null ? [] : (holders.get(placeId) ?? null)))
  const itemIds = new Set(group.map(({ entry }) => entry.id))
  const existingItems = [...itemIds].flatMap((id) => items.get(id) ?? [])
  if (!person || existingItems.length === 0) return []
  return [{ kind, number, at, person, place, by, changeSet, dueBack, items: existingItems }]
}

/** Composes a hand-over form or a statement about everything that a person holds. */
export async function formOfPerson(
  request: TenantRequest,
  person: PanelRecord,
  kind: 'hand_over' | 'statement',
): Promise<ComposedForms> {
  const { deps, tenant, session } = request
  const heldByPerson = { filter: 'employee_id', operator: 'eq', values: [person.id] } as const
  // Reads one more than allowed, to detect that there are too many.
  const items = await readMatching(request, 'hardware', heldByPerson, maxItems + 1)
  if (items.length > maxItems) return 'too many'
  const ids = items.map(({ id }) => id)
  const number = await deps.engine.run(tenant, handOverFormOperations.newestChange, { resource: 'hardware', ids })
  const at = deps.now().toISOString()
  const common = { kind, number, at, person, place: null, changeSet: null, dueBack: null, items }
  return { forms: items.length === 0 ? [] : [{ ...common, by: session.user.id }] }
}
