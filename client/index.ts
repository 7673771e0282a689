// A client for the Tenantdesk REST API, with types generated from the OpenAPI document. It has no dependencies, and
// runs on Node.js 20.3 or later and in browsers.

import { endpointsOf } from './endpoints.ts'
import type { Settings } from './send.ts'

export { NoAnswerError, TenantdeskError } from './errors.ts'
export type { EndedImport } from './imports.ts'
export {
  type BulkOptions,
  type ChangeOptions,
  type Including,
  metaOf,
  type Page,
  type ReadOptions,
  type RecordKey,
  type UploadedFile,
  type WriteOptions,
} from './operations.ts'
export type { Meta, Settings } from './send.ts'
export type * from './types.ts'
export type { UpsertManyOptions, UpsertOutcome } from './upsert-many.ts'
export type { Wait } from './waits.ts'

/** Creates a client that uses one API key. */
export function createClient(settings: Settings) {
  return endpointsOf(settings)
}

export type Tenantdesk = ReturnType<typeof createClient>
