// How the panel presents employees: people, and storage locations for equipment that nobody uses.

import { html } from 'ghtml'
import { isStockEmail } from '../../domain/records/stock.ts'
import { formatDate } from '../i18n/index.ts'
import type { DeclaredPresentation } from './presentation.ts'

/** The fields that describe a person. Storage locations have them only by mistake. */
const fieldsOfPeople = ['email', 'phone', 'department', 'title', 'employee_no', 'is_remote', 'start_date', 'end_date']

export const employeesPresentation: DeclaredPresentation = {
  name: 'employees',
  icon: 'person',
  listIcon: 'people',
  iconOf: ({ kind }) => (kind === 'storage' ? 'storage' : 'person'),
  nameOf: ({ verbs }, title, { kind }) => (kind === 'storage' ? verbs.inStock(title) : title),
  columns: ['name', 'customer_name', 'department', 'hardware_count', 'end_date', 'email'],
  detail: 'title',
  filters: {
    first: [
      { kind: 'record', name: 'customer_id' },
      { kind: 'words', name: 'employment', words: ['current', '30d', 'left'] },
      { kind: 'text', name: 'department' },
    ],
    more: [
      { kind: 'text', name: 'title' },
      { kind: 'flag', name: 'is_remote' },
      { kind: 'range', name: 'start_date' },
      { kind: 'range', name: 'end_date' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
  impliedFilters: { kind: 'person' },
  isChosenByName: true,
  sections: [
    { name: 'person', fields: ['name', 'email', 'phone'] },
    { name: 'work', fields: ['customer_id', 'department', 'title', 'employee_no', 'is_remote'] },
    { name: 'period', fields: ['start_date', 'end_date', 'is_active'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['kind', 'external_id'] },
  ],
  /** For a storage location, pages leave out the fields of people, unless someone has given them a value. */
  hasField(record, field) {
    if (record.kind !== 'storage' || !fieldsOfPeople.includes(field)) return true
    const value = record[field] ?? false
    return value !== false && value !== '' && !isStockEmail(value)
  },
  shownElsewhere: ['kind'],
  changedElsewhere: ['kind'],
  page: { top: [], left: ['held_items', 'related', 'past_items', 'facts'], right: ['assignments', 'history'] },
  actions: 'person',
  tasks: 'branch',
  searchFacts: ['title', 'department', 'email'],
  identifiers: ['email', 'employee_no', 'external_id'],
  hasFigure: false,
  describe(texts, { action, after }, names) {
    const { sentences } = texts.verbs
    if (action === 'create') return after?.kind === 'storage' ? sentences.addedPlace : undefined
    if (after?.is_active === false) return sentences.left
    if (after?.is_active === true) return sentences.activeAgain
    if (after?.customer_id !== undefined) return sentences.changedBranch(names.link('customers', after.customer_id))
    return typeof after?.end_date === 'string'
      ? sentences.leaves(html`${formatDate(texts, after.end_date)}`)
      : undefined
  },
}
