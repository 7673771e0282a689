import { externalId } from './external-id.ts'
import type { Resource } from './resource.ts'

const types = [
  'laptop',
  'desktop',
  'monitor',
  'phone',
  'tablet',
  'server',
  'printer',
  'network',
  'peripheral',
  'vehicle',
  'tool',
  'other',
] as const

const statuses = ['in_use', 'spare', 'reserved', 'in_repair', 'lost', 'retired'] as const
export type Status = (typeof statuses)[number]

export const hardware = {
  name: 'hardware',
  singular: 'hardware record',
  about: 'A piece of equipment, assigned to an employee.',
  title: ['name', 'model', 'asset_tag', 'type'],
  example: {
    create: { employee_id: 1, name: 'Engineering laptop', type: 'laptop', asset_tag: 'TD-1', purchase_cost: 149900 },
    update: { status: 'in_repair' },
  },
  wordFilters: {
    warranty: {
      kind: 'words',
      about:
        'Warranties: `60d` matches those that end within 60 days, `valid` those that have not ended, `expired` those ' +
        'that have ended, and `none` matches assets whose warranty has no known end.',
      columns: ['warranty_end'],
      words: {
        valid: ['warranty_end >= ?', 'today'],
        expired: ['warranty_end < ?', 'today'],
        none: ['warranty_end is null'],
      },
      days: ['(warranty_end >= ? and warranty_end <= ?)', 'today', 'last'],
    },
    loan: {
      kind: 'words',
      about:
        'Loans with a return date: `out` matches all of them, `overdue` those past the date, `7d` those due within 7 days.',
      columns: ['due_back'],
      words: { out: ['due_back is not null'], overdue: ['due_back < ?', 'today'] },
      days: ['(due_back >= ? and due_back <= ?)', 'today', 'last'],
    },
  },
  fields: {
    employee_id: {
      kind: 'reference',
      to: 'employees',
      missingCode: 'invalid_employee',
      required: true,
      stock: {
        member: 'stock_customer_id',
        of: 'customers',
        missingCode: 'invalid_customer',
        sets: { status: 'spare' },
      },
    },
    name: { kind: 'text', max: 100, isName: true },
    type: { kind: 'choice', of: types, default: 'other' },
    status: { kind: 'choice', of: statuses, default: 'in_use', filtersByLastChange: true },
    asset_tag: {
      kind: 'text',
      min: 2,
      max: 50,
      unique: true,
      about: "The text on the asset's inventory label.",
      isCode: true,
      assignedBy: 'assign_tag',
    },
    serial_number: { kind: 'text', max: 100, isCode: true, isDistinctive: true },
    manufacturer: { kind: 'text', max: 80, isSuggested: true },
    model: { kind: 'text', max: 100, isSuggested: true },
    purchase_date: { kind: 'date' },
    warranty_end: { kind: 'date', about: 'The last day of the warranty.' },
    purchase_cost: { kind: 'integer', min: 0, isAmount: true, about: 'In minor units: 149900 is 1,499.00.' },
    is_loaner: { kind: 'boolean', default: false, about: 'Whether the asset is lent out temporarily.' },
    notes: { kind: 'text', max: 2000 },
    external_id: externalId,
    due_back: { kind: 'date', since: 2, about: 'The date by which a loan must be returned.' },
    last_seen_at: {
      kind: 'timestamp',
      readOnly: true,
      since: 2,
      about: 'When the asset was last seen in a stock-take.',
    },
  },
} as const satisfies Resource
