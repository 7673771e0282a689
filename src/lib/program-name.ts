import { extname } from 'node:path'

/** The command of the program, for messages. Only in a checkout is it run with npx: elsewhere, npx would download the
 *  package of this name from the registry. */
export const programName = extname(import.meta.filename) === '.ts' ? 'npx tenantdesk' : 'tenantdesk'
