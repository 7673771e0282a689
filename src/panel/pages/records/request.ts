import type { Resource } from '../../../resources/resource.ts'
import type { TenantRequest } from '../../request.ts'

/** A visit to the records of one resource. `place`: the parameters that every address of them begins with. */
export type RecordRequest = TenantRequest & { resource: Resource; place: Place }
type Place = { tenant: string | undefined; resource: string }
