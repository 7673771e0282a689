import { extname } from 'node:path'

/** The command of the program, for messages. It is run with npx only in a checkout: elsewhere, npx would download the
 *  package with this name from the registry. */
export const programName = extname(import.meta.filename) === '.ts' ? 'npx tenantdesk' : 'tenantdesk'
