import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '..', '..', 'package.json')

/** The version of Tenantdesk, such as 1.4.0. */
export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version
