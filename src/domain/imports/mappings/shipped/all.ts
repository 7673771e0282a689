import { entra } from './entra.ts'
import { glpi } from './glpi.ts'
import { googleWorkspace } from './google-workspace.ts'
import { intune } from './intune.ts'
import { itflow } from './itflow.ts'
import { jamf } from './jamf.ts'
import type { ShippedMapping } from './shipped-mapping.ts'
import { snipeIt } from './snipe-it.ts'

/** The shipped mappings, in the order in which lists show them. */
export const shippedMappings: readonly ShippedMapping[] = [snipeIt, glpi, itflow, jamf, intune, entra, googleWorkspace]

export function isShipped(name: string): boolean {
  return shippedMappings.some((mapping) => mapping.name === name)
}
