import type { Resource } from './resource.ts'

export const customers = {
  name: 'customers',
  one: 'customer',
  fields: {
    name: { kind: 'text', min: 1, max: 100, required: true, ordered: true },
    code: { kind: 'text', min: 2, max: 20 },
    email: { kind: 'email', max: 190 },
    phone: { kind: 'text', min: 5, max: 30 },
    address: { kind: 'text', max: 200 },
    city: { kind: 'text', max: 80, ordered: true },
    country: { kind: 'text', min: 2, max: 2 },
    tax_id: { kind: 'text', max: 40 },
    type: { kind: 'choice', of: ['headquarters', 'branch', 'warehouse', 'client', 'other'], default: 'branch' },
    is_active: { kind: 'boolean', default: true },
    contract_end: { kind: 'date', ordered: true },
    notes: { kind: 'text', max: 2000 },
  },
} as const satisfies Resource
