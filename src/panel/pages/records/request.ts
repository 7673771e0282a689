import type { Resource } from '../../../resources/resource.ts'
import type { TenantRequest } from '../../request.ts'

/** A request to the records of one resource. `baseParams`: the parameters that every address of them begins with. */
export type RecordRequest = TenantRequest & { resource: Resource; baseParams: BaseParams }
type BaseParams = { tenant: string | undefined; resource: string }
