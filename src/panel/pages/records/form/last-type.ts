// The preselected type of a new asset: the type of the last asset that this user added in this browser.

import type { RecordRequest } from '../request.ts'

export function lastType({ resource, session, assetTypeCookie = '' }: RecordRequest): { type?: string } {
  const [user, type = ''] = assetTypeCookie.split(' ')
  const field = resource.name === 'hardware' && user === session.user.id ? resource.fields.type : undefined
  return field?.kind === 'choice' && field.of.includes(type) ? { type } : {}
}

export function keepType({ resource, session, cookies }: RecordRequest, { type }: { [name: string]: unknown }): void {
  if (resource.name === 'hardware') cookies.assetType = `${session.user.id} ${type}`
}
