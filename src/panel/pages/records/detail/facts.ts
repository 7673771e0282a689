// The facts of a record: a card for each section, with the fields that have a value.

import { html } from 'ghtml'
import type { Field } from '../../../../resources/resource.ts'
import { included, type PanelRecord, showValue, titleOf } from '../../../components/record-fields.ts'
import { card, factList } from '../../../components/sections.ts'
import { countryName } from '../../../i18n/countries.ts'
import { fieldLabel } from '../../../i18n/index.ts'
import type { RecordRequest } from '../request.ts'
import { type SectionName, sectionsOf } from '../sections.ts'
import { showField } from '../show-field.ts'
import { daysUntil, endBadge } from './wording.ts'

/** Fields that the head or the card of the assignment shows. */
const shownElsewhere: Record<string, readonly string[]> = {
  hardware: ['status', 'employee_id', 'due_back', 'is_loaner'],
  employees: ['kind'],
}

/** Sections with a card of their own; the facts of all others share one. */
const ownCards: readonly SectionName[] = ['purchase', 'notes']

export function factCards(request: RecordRequest, record: PanelRecord): string {
  const { texts, resource } = request
  const sections = sectionsOf(resource)
  const own = sections.filter(({ name }) => ownCards.includes(name))
  const shared = sections.filter((section) => !own.includes(section)).flatMap(({ fields }) => fields)
  const cards = own.map(({ name, fields }) => factCard(request, record, texts.recordPages.sections[name], fields))
  return factCard(request, record, texts.records.details, shared) + cards.join('')
}

function factCard(request: RecordRequest, record: PanelRecord, heading: string, fields: readonly string[]): string {
  const { texts, resource } = request
  const hidden = shownElsewhere[resource.name] ?? []
  const title = titleOf(record, resource.title)
  const shown = fields.filter((each) => {
    if (hidden.includes(each)) return false
    if (each === 'name' && record[each] === title) return false
    return hasValue(resource.fields[each]!, record[each])
  })
  if (shown.length === 0) return ''
  if (shown.length === 1 && shown[0] === 'notes')
    return card(heading, html`<p class="notes" dir="auto">${String(record.notes)}</p>`)
  const facts = shown.map((each) => [fieldLabel(texts, each), fact(request, record, each)] as const)
  return card(heading, factList(facts))
}

/** A check box that is as usual is no fact. */
function hasValue(field: Field, value: unknown): boolean {
  if (field.kind === 'boolean') return value === true && field.default !== true
  return value !== null && value !== undefined
}

function fact(request: RecordRequest, record: PanelRecord, name: string): string {
  const { texts, deps, resource } = request
  const [field, value] = [resource.fields[name]!, record[name]]
  if (name === 'country') return html`${countryName(texts, String(value))}`
  if (name === 'phone') return phoneLink(String(value))
  if (name === 'warranty_end' || name === 'contract_end') {
    const days = daysUntil(texts, deps.now(), String(value))
    return html`!${showValue(texts, field, value)}!${endBadge(texts, days)}`
  }
  const other = field.kind === 'reference' ? included(record, name) : null
  return other ? showField(request, record, name, field) : showValue(texts, field, value)
}

/** Shown as it was typed. The link has only the digits and a plus sign, without the zero of `+49 (0)30`. */
function phoneLink(phone: string): string {
  const number = phone.replace('(0)', '').replaceAll(/[^+\d]/g, '')
  return html`<a href="tel:${number}" dir="ltr">${phone}</a>`
}
