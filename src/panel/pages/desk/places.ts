// The places where equipment can be in stock: the storage locations of open branches, and open branches that have none
// yet. In a form, the value of a location is its id with a prefix, and the value of a branch is its id.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { Choice } from '../../components/forms/forms.ts'
import { type PanelRecord, placeTitle, titleOf } from '../../components/record-fields.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { findById, readList } from '../records/queries.ts'
import { findOpenBranch } from './questions.ts'

export const placeValue = ({ id }: PanelRecord) => `place-${id}`
const placePattern = /^place-(\d+)$/

/** A select offers at most this many branches, and this many storage locations. */
const maxOffered = 200

/** Returns a choice for each place. Returns null if there are too many. `branches`: the ids of the branches whose
 *  places are offered; if absent, all. */
export async function readPlaces(request: TenantRequest, branches?: readonly number[]): Promise<Choice[] | null> {
  const read = (resource: string, params: Record<string, string>, branchId: string) => {
    const only = branches && { [`${branchId}[in]`]: branches.join(',') }
    const all = { ...params, ...only, is_active: 'true', sort: 'name', limit: String(maxOffered) }
    return readList(request, resourceNamed(request.resources, resource), all)
  }
  if (branches?.length === 0) return []
  const lists = [read('customers', {}, 'id'), read('employees', { kind: 'storage' }, 'customer_id')]
  const [open, locations] = await Promise.all(lists)
  if (open!.next !== null || locations!.next !== null) return null
  return open!.records.flatMap((branch): Choice[] => {
    const places = locations!.records.filter(({ customer_id: id }) => id === branch.id)
    if (places.length === 0) return [[String(branch.id), titleOf(branch)]]
    return places.map((place) => [placeValue(place), placeTitle(place, branch)])
  })
}

/** Returns the members of a request's body that put an asset into the place with this value; undefined if there is no
 *  such place. */
export async function membersFor(request: TenantRequest, value: string): Promise<Record<string, string> | undefined> {
  const [, placeId] = placePattern.exec(value) ?? []
  if (placeId !== undefined) return (await findPlace(request, placeId)) && { employee_id: placeId }
  const branch = await findOpenBranch(request, value)
  return branch && { employee_id: '', stock_customer_id: String(branch.id) }
}

export async function findPlace(request: TenantRequest, id: unknown): Promise<PanelRecord | undefined> {
  const place = (await findById(request, 'employees', String(id ?? '')))?.record
  return place?.kind === 'storage' ? place : undefined
}

/** Like findPlace, but only if equipment can be put there: the location is in use, and its branch is open. */
export async function findOpenPlace(request: TenantRequest, id: unknown): Promise<PanelRecord | undefined> {
  const place = await findPlace(request, id)
  const isOpen = place?.is_active && (await findOpenBranch(request, String(place.customer_id)))
  return isOpen ? place : undefined
}
