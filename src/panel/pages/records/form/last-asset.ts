// What the user chose for the asset last added in this browser: its type, and the storage location that it went to. The
// form for the next asset starts with them. A cookie keeps them, with the user's id and the tenant's slug.

import type { PanelRecord } from '../../../components/record-fields.ts'
import type { RecordRequest, TenantRequest } from '../../../requests/request.ts'

/** `place`: the id of the storage location; empty if no asset has been put into stock yet. */
type LastAsset = { type: string; place: string }

export function readLastAsset({ session, tenant, cookie }: TenantRequest): LastAsset {
  const [user, slug, type = '', place = ''] = (cookie('last-asset') ?? '').split(' ')
  return user === session.user.id && slug === tenant.slug ? { type, place } : { type: '', place: '' }
}

export function lastType(request: RecordRequest): { type?: string } {
  const { type } = readLastAsset(request)
  const field = request.resource.name === 'hardware' ? request.resource.fields.type : undefined
  return field?.kind === 'choice' && field.of.includes(type) ? { type } : {}
}

/** Keeps what was chosen for this asset. `isInStock`: whether its holder is a storage location. */
export function keepLastAsset(request: RecordRequest, asset: PanelRecord, isInStock: boolean): void {
  const { resource, session, tenant, cookies } = request
  const place = isInStock ? asset.employee_id : readLastAsset(request).place
  if (resource.name === 'hardware') cookies['last-asset'] = [session.user.id, tenant.slug, asset.type, place].join(' ')
}
