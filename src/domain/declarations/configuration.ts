import { handOverForms } from './hand-over-forms.ts'
import { importMappings } from './import-mappings.ts'
import type { Resources } from './resource.ts'
import { settings } from './settings.ts'
import { views } from './views.ts'

const declarations = [settings, views, handOverForms, importMappings] as const

export type DeclaredConfiguration = (typeof declarations)[number]

/** The resources other than records: a tenant's settings, saved views, printed forms and mappings of imports. They have
 *  a history too: changes to them appear in changes.php and can be undone. Record requests, bulk requests and imports
 *  cannot access them. */
export const configuration: Resources = declarations

/** All resources with a table and a history. */
export function withConfiguration(resources: Resources): Resources {
  return [...resources, ...configuration]
}
