// The sections that group a record's fields on its page and in its form, and the controls for these fields.

import { deriveOnce } from '../../../domain/declarations/derive.ts'
import type { Resource } from '../../../domain/declarations/resource.ts'
import { isStockEmail } from '../../../domain/equipment/stock.ts'
import type { Texts } from '../../i18n/index.ts'

export type SectionName = keyof Texts['recordPages']['sections']

/** A section with its fields in their order on the page. */
export type Section = { name: SectionName; fields: readonly string[] }

const declaredSections: Record<string, readonly Section[]> = {
  customers: [
    { name: 'what', fields: ['name', 'code', 'type'] },
    { name: 'contact', fields: ['email', 'phone', 'address', 'city', 'country'] },
    { name: 'contract', fields: ['tax_id', 'contract_end', 'is_active'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['external_id'] },
  ],
  employees: [
    { name: 'person', fields: ['name', 'email', 'phone'] },
    { name: 'work', fields: ['customer_id', 'department', 'title', 'employee_no', 'is_remote'] },
    { name: 'period', fields: ['start_date', 'end_date', 'is_active'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['kind', 'external_id'] },
  ],
  hardware: [
    { name: 'what', fields: ['type', 'name', 'manufacturer', 'model'] },
    { name: 'identification', fields: ['asset_tag', 'serial_number'] },
    { name: 'purchase', fields: ['purchase_date', 'purchase_cost', 'warranty_end'] },
    { name: 'assignment', fields: ['employee_id', 'status', 'is_loaner', 'due_back'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['external_id', 'last_seen_at'] },
  ],
}

/** Returns a resource's sections. Fields that belong to no section are added to the last one. */
export const sectionsOf = deriveOnce(({ name, fields }: Resource): readonly Section[] => {
  const sections = (declaredSections[name] ?? []).map((section) => ({
    ...section,
    fields: section.fields.filter((field) => field in fields),
  }))
  const placed = new Set(sections.flatMap((section) => section.fields))
  const others = Object.keys(fields).filter((field) => !placed.has(field))
  const last = sections.pop() ?? { name: 'more', fields: [] }
  return [...sections, { ...last, fields: [...last.fields, ...others] }].filter((section) => section.fields.length > 0)
})

/** The fields that describe a person. Storage locations, which are employees too, have them only by mistake. */
const fieldsOfPeople = ['email', 'phone', 'department', 'title', 'employee_no', 'is_remote', 'start_date', 'end_date']

/** Whether a page shows this field of a record. For a storage location, it leaves out the fields of people, unless
 *  someone has given them a value. */
export function hasField({ name: resource }: Resource, record: { [name: string]: unknown }, field: string): boolean {
  if (resource !== 'employees' || record.kind !== 'storage' || !fieldsOfPeople.includes(field)) return true
  const value = record[field] ?? false
  return value !== false && value !== '' && !isStockEmail(value)
}

/** Fields whose control differs from the default for their kind. */
export const controls: Record<string, Record<string, 'radios' | 'country'>> = {
  customers: { country: 'country' },
  hardware: { type: 'radios' },
}
