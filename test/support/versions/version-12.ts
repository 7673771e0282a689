// A tenant's database as version 12 of the schema created it, before umlauts were found by two letters. Its records have
// names with umlauts, accents and typographic punctuation. The SQL is a recording; do not edit it.

import type { Environment } from '../service.ts'
import { makeRecordedTenant, type RecordedTenant } from './first-version.ts'

export function makeVersion12Tenant(environment: Environment, slug: string): Promise<RecordedTenant> {
  return makeRecordedTenant(environment, slug, 12, 'version-12')
}

/** The names of the customers, by id. */
export const recordedNames = [
  'Özil & Söhne',
  'anna',
  'Çelik A.Ş.',
  'Anna',
  'Deniz',
  'Jörg Müller',
  'Joerg Mueller',
  'O’Brien',
  'Zoë‐Anne',
  'Zoe',
]
