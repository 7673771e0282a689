import { externalId } from './external-id.ts'
import type { Resource } from './resource.ts'

const kindAbout = '`storage` is a place, such as a room or a shelf, for equipment that is not in use.'

export const employees = {
  name: 'employees',
  singular: 'employee',
  about: 'A person who works for a customer. An employee must exist before hardware can refer to it.',
  title: ['name', 'email'],
  lookups: ['external_id', 'email', 'employee_no'],
  example: {
    create: { customer_id: 1, email: 'ada@example.com', name: 'Ada Lovelace', department: 'Engineering' },
    update: { department: 'Research', is_remote: true },
  },
  wordFilters: {
    employment: {
      kind: 'words',
      about:
        'Employment: `current`, `left` (inactive, or past the last day), or `30d` for people who leave within 30 days.',
      columns: ['is_active', 'end_date'],
      words: {
        current: ['(is_active = ? and (end_date is null or end_date >= ?))', true, 'today'],
        left: ['(is_active = ? or end_date < ?)', false, 'today'],
      },
      days: ['(is_active = ? and end_date >= ? and end_date <= ?)', true, 'today', 'last'],
    },
  },
  fields: {
    customer_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', required: true },
    email: { kind: 'email', max: 190, required: true, isPersonal: true, isDistinctive: true },
    name: { kind: 'text', max: 100, isPersonal: true, isName: true },
    department: { kind: 'text', max: 50, isPersonal: true, filtersReferring: true, isSuggested: true },
    title: { kind: 'text', max: 80, isPersonal: true, isSuggested: true },
    employee_no: {
      kind: 'text',
      max: 30,
      isPersonal: true,
      about: "The customer's own number for this person.",
      isCode: true,
    },
    phone: { kind: 'text', min: 5, max: 30, isPersonal: true, isCode: true, holds: 'phone' },
    start_date: { kind: 'date', isPersonal: true, about: 'The first day of work.' },
    end_date: { kind: 'date', isPersonal: true, about: 'The last day of work.' },
    is_active: { kind: 'boolean', default: true },
    is_remote: { kind: 'boolean', default: false },
    notes: { kind: 'text', max: 2000, isPersonal: true },
    external_id: { ...externalId, isPersonal: true },
    kind: {
      kind: 'choice',
      of: ['person', 'storage'],
      default: 'person',
      since: 2,
      about: kindAbout,
      filtersReferring: true,
    },
  },
} as const satisfies Resource
