import type { Resources } from '../resource.ts'
import { handOverForms } from './hand-over-forms.ts'
import { settings } from './settings.ts'
import { views } from './views.ts'

/** What a tenant stores besides its records. These resources have a history too: changes to them appear in changes.php
 *  and can be undone. They cannot be accessed by record requests, bulk requests or imports. */
export const configuration: Resources = [settings, views, handOverForms]

/** All resources with a table and a history. */
export function withConfiguration(resources: Resources): Resources {
  return [...resources, ...configuration]
}
