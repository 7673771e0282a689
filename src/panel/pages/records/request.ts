import type { Resource } from '../../../resources/resource.ts'
import type { TenantRequest } from '../../request.ts'

/** A request about the records of one resource. Links to its pages start with `baseParams`. */
export type RecordRequest = TenantRequest & { resource: Resource; baseParams: { resource: string } }
