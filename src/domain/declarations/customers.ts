import { externalId } from './external-id.ts'
import type { Resource } from './resource.ts'

export const customers = {
  name: 'customers',
  singular: 'customer',
  about: 'A company or one of its branches. A customer must exist before employees can refer to it.',
  title: ['name'],
  lookups: ['external_id', 'code', 'name'],
  example: {
    create: { name: 'Head office', code: 'HQ', email: 'office@example.com', city: 'Berlin', country: 'DE' },
    update: { city: 'Hamburg', contract_end: '2028-02-29' },
  },
  fields: {
    name: { kind: 'text', min: 1, max: 100, required: true, isName: true },
    code: { kind: 'text', min: 2, max: 20, about: 'A short name for lists and labels.', isCode: true },
    email: { kind: 'email', max: 190, isDistinctive: true },
    phone: { kind: 'text', min: 5, max: 30, isCode: true, holds: 'phone' },
    address: { kind: 'text', max: 200 },
    city: { kind: 'text', max: 80, isSuggested: true },
    country: { kind: 'text', min: 2, max: 2, holds: 'country', about: 'A two-letter code, such as DE.' },
    tax_id: { kind: 'text', max: 40, isCode: true },
    type: { kind: 'choice', of: ['headquarters', 'branch', 'warehouse', 'client', 'other'], default: 'branch' },
    is_active: { kind: 'boolean', default: true },
    contract_end: { kind: 'date', about: 'The last day of the contract.' },
    notes: { kind: 'text', max: 2000 },
    external_id: externalId,
  },
} as const satisfies Resource
