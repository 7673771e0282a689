import type { Resource } from './resource.ts'

const types = [
  ...['laptop', 'desktop', 'monitor', 'phone', 'tablet', 'server'],
  ...['printer', 'network', 'peripheral', 'vehicle', 'tool', 'other'],
] as const

const statuses = ['in_use', 'spare', 'reserved', 'in_repair', 'lost', 'retired'] as const

export const hardware = {
  name: 'hardware',
  one: 'hardware record',
  fields: {
    employee_id: { kind: 'reference', to: 'employees', missing: 'invalid_employee', required: true },
    name: { kind: 'text', max: 100 },
    type: { kind: 'choice', of: types, default: 'other' },
    status: { kind: 'choice', of: statuses, default: 'in_use' },
    asset_tag: { kind: 'text', min: 2, max: 50, unique: true },
    serial_number: { kind: 'text', max: 100 },
    manufacturer: { kind: 'text', max: 80 },
    model: { kind: 'text', max: 100 },
    purchase_date: { kind: 'date' },
    warranty_end: { kind: 'date' },
    purchase_cost: { kind: 'integer', min: 0 },
    is_loaner: { kind: 'boolean', default: false },
    notes: { kind: 'text', max: 2000 },
  },
} as const satisfies Resource
