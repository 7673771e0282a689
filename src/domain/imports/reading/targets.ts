// What a column of an imported file can contain: a field, the record that a reference field refers to, or the id.

import { type Field, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'

/** A field of the resource, or a reference with the field by which its record is found: `customer_code` sets
 *  `customer_id` to the id of the customer with this `code`. If several columns of a row set the same reference, the
 *  one with the lowest `rank` is used. `id` identifies the record itself. */
export type Target =
  | { kind: 'field'; name: string }
  | { kind: 'reference'; name: string; field: string; to: string; by: string; rank: number }
  | { kind: 'id'; name: 'id' }

/** The columns that can identify a record (contract §17). */
const matchColumns = ['external_id', 'id', 'asset_tag', 'email', 'code', 'employee_no'] as const

export const defaultMatch = 'external_id'

/** The columns that identify a record of this resource, the default first. */
export function matchColumnsOf({ fields }: Resource): string[] {
  return matchColumns.filter((name) => name === 'id' || Object.hasOwn(fields, name))
}

/** Every target of a resource. */
export function targetsOf(resource: Resource, resources: Resources): Target[] {
  return Object.entries<Field>(resource.fields).flatMap(([name, field]): Target[] => {
    if (field.kind !== 'reference') return isReadOnly(field) ? [] : [{ kind: 'field', name }]
    const to = resourceNamed(resources, field.to)
    const lookups = (to.lookups ?? []).filter((lookup) => Object.hasOwn(to.fields, lookup))
    return ['id', ...lookups].map((by, rank) => ({
      kind: 'reference' as const,
      name: by === 'id' ? name : referenceColumn(to, by),
      field: name,
      to: to.name,
      by,
      rank,
    }))
  })
}

/** `employee_email` for an employee's email; `employee_no` already has the prefix. */
function referenceColumn({ singular }: Resource, by: string): string {
  return by.startsWith(`${singular}_`) ? by : `${singular}_${by}`
}

/** The columns that exports or files with failed rows contain, but that an import ignores. An import reads `id` only to
 *  identify the records. */
export function ignoredColumns({ fields }: Resource): string[] {
  const readOnly = Object.keys(fields).filter((name) => isReadOnly(fields[name]!))
  return ['id', ...readOnly, 'created_at', 'updated_at', 'error']
}

function isReadOnly(field: Field): boolean {
  return 'readOnly' in field && field.readOnly === true
}

/** Normalizes a title for comparison: ignores case, spaces and punctuation. */
export function normalizeTitle(title: string): string {
  return fold(title).replace(/[\s\p{P}\p{S}]/gu, '')
}
