// The declarations in a later version of Tenantdesk, for migration tests: hardware and customers have additional
// fields.

import { resources } from '../../../src/domain/declarations/all.ts'
import type { Field, Resources } from '../../../src/domain/declarations/resource.ts'
import { schemaVersion } from '../../../src/domain/schema/migrations.ts'

export const nextVersion = schemaVersion(resources) + 1

/** New fields of hardware, covering every kind of field that existing records may lack. */
export const newFields = {
  location: { kind: 'text', max: 50, since: nextVersion },
  barcode: { kind: 'text', max: 50, unique: true, since: nextVersion },
  condition: { kind: 'choice', of: ['new', 'used'], default: 'used', since: nextVersion },
  is_insured: { kind: 'boolean', default: true, since: nextVersion },
  weight: { kind: 'integer', min: 0, since: nextVersion },
  inspected: { kind: 'date', since: nextVersion },
  lender_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', since: nextVersion },
} as const satisfies Record<string, Field>

/** Returns the declarations with additional fields in one resource. */
export function withFields(
  fields: Record<string, Field>,
  resource = 'hardware',
  declarations: Resources = resources,
): Resources {
  return declarations.map((declaration) =>
    declaration.name === resource ? { ...declaration, fields: { ...declaration.fields, ...fields } } : declaration,
  )
}

/** Version `nextVersion` adds fields to hardware. The version after it adds a text field to customers. */
export const nextResources = withFields(
  { region: { kind: 'text', max: 50, since: nextVersion + 1 } },
  'customers',
  withFields(newFields),
)
