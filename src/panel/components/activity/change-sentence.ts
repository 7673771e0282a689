// Turns a history entry into a sentence, such as "Assigned to Ada Sommer" or "Returned to stock in Berlin".

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { fieldLabel, type Texts } from '../../i18n/index.ts'
import type { Records } from '../../read-records.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { DescribedChange, Presentation, SentenceNames } from '../../resources/presentation.ts'
import { linkRecord } from '../../urls.ts'
import { placeTitle, titleOf } from '../record-fields.ts'

/** Returns functions that render an entry as a sentence. `records`: the records that the entries refer to.
 *  `describeGenerally` leaves out their names: "Assigned to …". */
export function sentencesFor(request: TenantRequest, records: Records) {
  const { texts, resources, deps } = request
  const isStorage = (id: unknown) => records('employees', Number(id))?.kind === 'storage'
  const link = (name: string, id: unknown) => {
    const record = records(name, Number(id))
    if (!record) return html`<bdi>#${String(id)}</bdi>`
    const branch = record.kind === 'storage' ? records('customers', Number(record.customer_id)) : undefined
    const title = branch ? placeTitle(record, branch) : titleOf(record, resourceNamed(resources, name).title, texts)
    return linkRecord(request, name, record.id, title)
  }
  const sentenceWith = (names: SentenceNames) => (change: DescribedChange) => {
    const resource = resources.find(({ name }) => name === change.resource)
    return changeSentence(texts, change, names, resource && deps.presentationOf(resource))
  }
  return {
    describe: sentenceWith({ link, isStorage }),
    describeGenerally: sentenceWith({ link: () => '…', isStorage }),
  }
}

/** Returns HTML. The sentence has no subject: the page adds the record and the actor. `presentation`: that of the
 *  record's resource; undefined for settings, views and forms. */
export function changeSentence(
  texts: Texts,
  change: DescribedChange,
  names: SentenceNames,
  presentation: Presentation | undefined,
): string {
  const { resource, action, after } = change
  const { sentences } = texts.verbs
  if (action === 'delete') return sentences.deleted
  if (action === 'update' && Object.keys(after ?? {}).length === 0) return sentences.unchanged
  if (resource === 'hand_over_forms') return describeForm(texts, change, names) ?? changedFields(texts, change)
  const sentence = presentation?.describe(texts, change, names)
  if (sentence !== undefined) return sentence
  return action === 'create' && resource !== 'settings' ? sentences.added : changedFields(texts, change)
}

/** Describes that a form was printed. */
function describeForm(
  { handOver }: Texts,
  { action, after }: DescribedChange,
  names: SentenceNames,
): string | undefined {
  const { number, change_set, items, copies } = after ?? {}
  if (action !== 'create') return copies === undefined ? undefined : handOver.printedAgain(String(copies))
  const kind = String(after?.kind) as keyof typeof handOver.names
  const form = html`${handOver.names[kind]} ${formNumber(handOver.prefixes[kind], { number, change_set, items })}`
  return handOver.printed(form, names.link('employees', after?.employee_id))
}

/** Returns the number of a form as paper and the history show it, such as HO-123. For a statement of everything that a
 *  person holds, the number of assets is appended, as in ES-123-4. */
export function formNumber(prefix: string, form: { number: unknown; change_set: unknown; items: unknown }): string {
  const { number, change_set: changeSet, items } = form
  const count = (changeSet ?? null) === null && typeof items === 'number' ? `-${items}` : ''
  return `${prefix}-${String(number)}${count}`
}

/** A sentence names at most this many changed fields. If there is just one more, the sentence also names that one. */
const namedFields = 3

function changedFields(texts: Texts, { after }: DescribedChange): string {
  const labels = Object.keys(after ?? {}).map((name) => fieldLabel(texts, name))
  const more = labels.length - namedFields
  const parts = more > 1 ? [...labels.slice(0, namedFields), texts.verbs.moreFields(more)] : labels
  return html`${texts.verbs.sentences.changed(new Intl.ListFormat(texts.locale).format(parts))}`
}
