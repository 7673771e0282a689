// How the panel presents customers, which it calls branches (or clients, as the tenant prefers).

import type { DeclaredPresentation, DescribedChange } from './presentation.ts'

export const customersPresentation: DeclaredPresentation = {
  name: 'customers',
  icon: 'branch',
  columns: ['name', 'type', 'city', 'employees_count', 'hardware_count', 'contract_end'],
  detail: 'code',
  filters: {
    first: [
      { kind: 'choices', name: 'type' },
      { kind: 'flag', name: 'is_active' },
    ],
    more: [
      { kind: 'text', name: 'city' },
      { kind: 'text', name: 'country' },
      { kind: 'range', name: 'contract_end' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
  sections: [
    { name: 'what', fields: ['name', 'code', 'type'] },
    { name: 'contact', fields: ['email', 'phone', 'address', 'city', 'country'] },
    { name: 'contract', fields: ['tax_id', 'contract_end', 'is_active'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['external_id'] },
  ],
  controls: { country: 'country' },
  page: { top: ['branch_figures'], left: ['related', 'facts'], right: ['history'] },
  actions: 'branch',
  searchFacts: ['code', 'city'],
  // A branch's code is not an identifier, because it may be the abbreviation of a city.
  identifiers: ['email', 'external_id'],
  hasFigure: false,
  describe({ verbs: { sentences } }, { action, after }: DescribedChange) {
    if (action === 'create' || after?.is_active === undefined) return undefined
    return after.is_active ? sentences.reopened : sentences.closed
  },
}
