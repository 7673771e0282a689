// Shows a record's facts in cards. A card lists the fields that have a value. For each field without a value, the card
// has a link to the form that adds a value.

import { html } from 'ghtml'
import { type Field, resourceNamed } from '../../../../domain/declarations/resource.ts'
import { linkedText } from '../../../components/linked-text.ts'
import { dot, includedRecord, type PanelRecord, showValue, titleOf } from '../../../components/record-fields.ts'
import { card, type Fact, factList } from '../../../components/sections.ts'
import { fieldLabel } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import type { SectionName } from '../../../resources/presentation.ts'
import { recordUrl } from '../../../urls.ts'
import { editLink, editUrl, isEditable, type OpenField } from './field-form.ts'
import { isInHead } from './head.ts'
import { daysUntil, endBadge } from './wording.ts'

/** Sections that have their own card. All other sections share one card. */
const separateCards: readonly SectionName[] = ['purchase', 'notes']

/** `shown`: the fields with a value, and the field that the user is editing. `missing`: the fields without a value. */
type FactGroup = { heading: string; shown: string[]; missing: string[] }

/** `editedField`: the field that the user is editing. A section without values has no card; its fields can be added in
 *  the first card. */
export function factCards(request: RecordRequest, record: PanelRecord, editedField?: OpenField): string {
  const { texts, presentation } = request
  const { sections } = presentation
  const separate = sections.filter(({ name }) => separateCards.includes(name))
  const shared = sections.filter((section) => !separate.includes(section)).flatMap(({ fields }) => fields)
  const group = (heading: string, fields: readonly string[]) =>
    groupOf(request, record, { heading, fields, editedField })
  const first = group(texts.records.details, shared)
  const others = separate.map(({ name, fields }) => group(texts.recordPages.sections[name], fields))
  const groupsWithCard = others.filter(({ shown }) => shown.length > 0)
  const fieldsWithoutCard = others.filter((each) => !groupsWithCard.includes(each)).flatMap(({ missing }) => missing)
  const cards = [{ ...first, missing: [...first.missing, ...fieldsWithoutCard] }, ...groupsWithCard]
  return cards.map((each) => factCard(request, record, each, editedField)).join('')
}

function groupOf(
  request: RecordRequest,
  record: PanelRecord,
  { heading, fields, editedField }: { heading: string; fields: readonly string[]; editedField: OpenField | undefined },
): FactGroup {
  const { resource, presentation } = request
  const title = titleOf(record, resource.title, request.texts)
  const isShownAbove = (name: string) => isInHead(request, record, name) && name !== editedField?.name
  const groupFields = fields.filter(
    (each) => !presentation.shownElsewhere.includes(each) && presentation.hasField(record, each) && !isShownAbove(each),
  )
  const missing = groupFields.filter(
    (each) => !hasValue(resource.fields[each]!, record[each]) && each !== editedField?.name,
  )
  const isTitle = (name: string) => name === 'name' && record[name] === title && name !== editedField?.name
  return { heading, missing, shown: groupFields.filter((each) => !missing.includes(each) && !isTitle(each)) }
}

function factCard(
  request: RecordRequest,
  record: PanelRecord,
  { heading, shown, missing }: FactGroup,
  editedField: OpenField | undefined,
): string {
  const { texts } = request
  const add = addLinks(request, record.id, missing)
  if (shown.length === 0 && add === '') return ''
  if (shown.length === 1 && shown[0] === 'notes' && editedField?.name !== 'notes')
    return card(heading, notes(request, record))
  const facts = shown.map((each): Fact => {
    const label = fieldLabel(texts, each)
    if (each === editedField?.name) return { label, form: editedField.form }
    return [label, fact(request, record, each) + editLink(request, record.id, each)]
  })
  return card(heading, html`!${shown.length > 0 ? factList(facts) : ''}!${add}`)
}

function notes(request: RecordRequest, record: PanelRecord): string {
  const link = editLink(request, record.id, 'notes')
  return html`<p class="notes"><span dir="auto">!${linkedText(request.texts, String(record.notes))}</span>!${link}</p>`
}

/** Links to the forms for fields without a value. */
function addLinks(request: RecordRequest, id: number, missing: readonly string[]): string {
  const { texts, canWrite } = request
  const links = missing
    .filter((each) => canWrite && isEditable(request, each))
    .map((each) => html`<a href="${editUrl(request, id, each)}">${fieldLabel(texts, each)}</a>`)
  return links.length === 0 ? '' : html`<p class="hint on-screen">${texts.recordPages.addFacts} !${links.join(dot)}</p>`
}

/** A checkbox counts as having a value only if it is ticked and is not ticked by default. */
function hasValue(field: Field, value: unknown): boolean {
  if (field.kind === 'boolean') return value === true && field.default !== true
  return value !== null && value !== undefined
}

/** Renders a field's value. A reference is shown as a link with the referenced record's title. */
function fact(request: RecordRequest, record: PanelRecord, name: string): string {
  const { texts, deps, resource, resources } = request
  const [field, value] = [resource.fields[name]!, record[name]]
  if (name === 'warranty_end' || name === 'contract_end') {
    const days = daysUntil(texts, deps.now(), String(value))
    return html`!${showValue(texts, field, value)}!${endBadge(texts, days)}`
  }
  const other = field.kind === 'reference' ? includedRecord(record, name) : null
  if (field.kind !== 'reference' || !other) return showValue(texts, field, value)
  const url = recordUrl(request, field.to, other.id)
  return html`<a href="${url}">${titleOf(other, resourceNamed(resources, field.to).title, texts)}</a>`
}
