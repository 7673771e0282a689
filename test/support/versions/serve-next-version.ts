// Stands in for `tenantdesk serve` of a later version: uses the declarations in next-version.ts.

import { openService } from '../../../src/app/service.ts'
import { readConfig } from '../../../src/config.ts'
import { nextResources } from './next-version.ts'

const service = await openService(readConfig(process.env), { resources: nextResources })
process.once('SIGTERM', () => void service.close())
console.error(`API is at ${await service.listen()}`)
