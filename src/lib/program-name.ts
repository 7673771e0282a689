import { extname } from 'node:path'

/** How to run the program, for messages. Only a checkout is run with npx: elsewhere it would fetch whatever package of this name the
 *  registry has. */
export const programName = extname(import.meta.filename) === '.ts' ? 'npx tenantdesk' : 'tenantdesk'
