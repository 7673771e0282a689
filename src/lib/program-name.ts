import { extname } from 'node:path'

/** The command that runs the program, for messages. It includes npx only in a checkout: elsewhere, npx would download
 *  the package with this name from the registry. */
export const programName = extname(import.meta.filename) === '.ts' ? 'npx tenantdesk' : 'tenantdesk'
