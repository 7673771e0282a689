// Turns a history entry into a sentence, such as "Assigned to Ada Sommer" or "Returned to stock in Berlin".

import { html } from 'ghtml'
import type { Resource } from '../../../domain/declarations/resource.ts'
import type { Values } from '../../../domain/fields/validate.ts'
import { fieldLabel, formatDate, type Texts } from '../../i18n/index.ts'
import { readRecords } from '../../read-records.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { recordUrl } from '../../urls.ts'
import { formNumber } from '../forms/form-number.ts'
import { titleOf } from '../record-fields.ts'
import type { Entry } from './change-list.ts'

/** The part of an entry from which its sentence is composed. */
export type Change = Pick<Entry, 'resource' | 'action' | 'before' | 'after'>

/** `link`: renders a record's name. `isStorage`: whether an employee record is a storage location. */
export type SentenceNames = {
  link: (resource: string, id: unknown) => string
  isStorage: (employeeId: unknown) => boolean
}

type Sentences = Texts['verbs']['sentences']

/** Reads the records that the entries refer to. Returns a function that renders an entry as a sentence. */
export async function sentencesFor(request: TenantRequest, entries: Change[]): Promise<(change: Change) => string> {
  const names = await readNames(request, entries)
  return (change) => changeSentence(request.texts, change, names)
}

/** For each resource, the field that refers to its records. */
const references = { employees: 'employee_id', customers: 'customer_id' } as const

async function readNames(request: TenantRequest, entries: Change[]): Promise<SentenceNames> {
  const found = await Promise.all(
    Object.entries(references).map(async ([name, field]) => {
      const resource = request.resources.find((each) => each.name === name)
      const ids = new Set(entries.flatMap(({ before, after }) => [before?.[field], after?.[field]]))
      const wanted = [...ids].filter((id) => typeof id === 'number')
      return resource && wanted.length > 0 ? readNamed(request, resource, wanted) : []
    }),
  )
  const records = new Map<string, { link: string; isStorage: boolean }>(found.flat())
  return {
    link: (resource, id) => records.get(`${resource} ${id}`)?.link ?? html`<bdi>#${String(id)}</bdi>`,
    isStorage: (id) => records.get(`employees ${id}`)?.isStorage ?? false,
  }
}

async function readNamed(request: TenantRequest, resource: Resource, ids: number[]) {
  const records = await readRecords(request, resource, ids)
  return records.map((record) => {
    const url = recordUrl(request, resource.name, record.id)
    const link = html`<a href="${url}"><bdi>${titleOf(record, resource.title)}</bdi></a>`
    return [`${resource.name} ${record.id}`, { link, isStorage: record.kind === 'storage' }] as const
  })
}

/** Returns HTML. The sentence has no subject: the page adds the record and the actor. */
export function changeSentence(texts: Texts, change: Change, names: SentenceNames): string {
  const { resource, action, after } = change
  const { sentences } = texts.verbs
  if (action === 'delete') return sentences.deleted
  if (action === 'create' && resource === 'hand_over_forms') return describePrinting(texts, change, names)
  if (action === 'create')
    return resource === 'settings' ? changedFields(texts, change) : describeAddition(sentences, change, names)
  const sentence =
    Object.keys(after ?? {}).length === 0 ? sentences.unchanged : describers[resource]?.(texts, change, names)
  return sentence ?? changedFields(texts, change)
}

function describeAddition(sentences: Sentences, { resource, after }: Change, names: SentenceNames): string {
  if (resource === 'employees' && after?.kind === 'storage') return sentences.addedPlace
  const holder = after?.employee_id ?? null
  if (resource !== 'hardware' || holder === null) return sentences.added
  const link = names.link('employees', holder)
  return names.isStorage(holder) ? sentences.addedToStock(link) : sentences.addedFor(link)
}

/** Describes that a form was printed for the first time. */
function describePrinting({ handOver }: Texts, { after }: Change, names: SentenceNames): string {
  const kind = String(after?.kind) as keyof typeof handOver.names
  const { number, change_set, items } = after ?? {}
  const form = html`${handOver.names[kind]} ${formNumber(handOver.prefixes[kind], { number, change_set, items })}`
  return handOver.printed(form, names.link('employees', after?.employee_id))
}

/** Describes an update to a record. Returns undefined if there is no sentence for the update; the changed fields are
 *  then listed. */
type Describer = (texts: Texts, change: Change, names: SentenceNames) => string | undefined

const describers: Record<string, Describer> = {
  hardware: describeHardware,
  employees: describeEmployee,
  customers: describeBranch,
  hand_over_forms: describeForm,
}

function describeHardware(texts: Texts, change: Change, names: SentenceNames): string | undefined {
  const [before, after] = [change.before ?? {}, change.after ?? {}]
  const { sentences } = texts.verbs
  if (isEnding(after.status)) return describeEnding(sentences, before, after, names)
  if (after.employee_id !== undefined) return describeHolder(texts, before, after, names)
  if (after.status !== undefined) return describeStatus(sentences, before, after)
  if (after.due_back === undefined) return undefined
  if (after.due_back === null) return sentences.noDueBack
  return sentences.dueBack(html`${formatDate(texts, String(after.due_back))}`)
}

function isEnding(status: unknown): boolean {
  return status === 'lost' || status === 'retired'
}

function describeEnding(sentences: Sentences, before: Values, after: Values, names: SentenceNames): string {
  if (after.status === 'retired') return sentences.retired
  const former = before.employee_id ?? null
  const wasHeld = former !== null && !names.isStorage(former)
  return wasHeld ? sentences.lostBy(names.link('employees', former)) : sentences.lost
}

function describeHolder(texts: Texts, before: Values, after: Values, names: SentenceNames): string {
  const { sentences } = texts.verbs
  const [from, to] = [before.employee_id, after.employee_id].map((id) => names.link('employees', id)) as [
    string,
    string,
  ]
  const wasInStock = names.isStorage(before.employee_id)
  if (names.isStorage(after.employee_id))
    return wasInStock && !isEnding(before.status) ? sentences.moved(to) : sentences.returned(to)
  if (typeof after.due_back === 'string') return sentences.lent(to, html`${formatDate(texts, after.due_back)}`)
  return wasInStock ? sentences.assigned(to) : sentences.handedOver(from, to)
}

function describeStatus(sentences: Sentences, before: Values, after: Values): string | undefined {
  if (after.status === 'in_repair') return sentences.sentToRepair
  if (before.status === 'in_repair') return sentences.backFromRepair
  if (before.status === 'lost') return sentences.found
  if (before.status === 'retired') return sentences.restored
  const { reserved, inStock: spare, inUse: in_use } = sentences
  return { reserved, spare, in_use }[String(after.status)]
}

function describeEmployee(texts: Texts, change: Change, names: SentenceNames): string | undefined {
  const after = change.after ?? {}
  const { sentences } = texts.verbs
  if (after.is_active === false) return sentences.left
  if (after.is_active === true) return sentences.activeAgain
  if (after.customer_id !== undefined) return sentences.changedBranch(names.link('customers', after.customer_id))
  if (typeof after.end_date !== 'string') return undefined
  return sentences.leaves(html`${formatDate(texts, after.end_date)}`)
}

function describeForm({ handOver }: Texts, { after }: Change): string | undefined {
  return after?.copies === undefined ? undefined : handOver.printedAgain(String(after.copies))
}

function describeBranch({ verbs: { sentences } }: Texts, { after }: Change): string | undefined {
  if (after?.is_active === undefined) return undefined
  return after.is_active ? sentences.reopened : sentences.closed
}

/** A sentence names at most this many changed fields. If there is just one more, the sentence also names that one. */
const namedFields = 3

function changedFields(texts: Texts, { after }: Change): string {
  const labels = Object.keys(after ?? {}).map((name) => fieldLabel(texts, name))
  const more = labels.length - namedFields
  const shown = more > 1 ? [...labels.slice(0, namedFields), texts.verbs.moreFields(more)] : labels
  return html`${texts.verbs.sentences.changed(new Intl.ListFormat(texts.locale).format(shown))}`
}
