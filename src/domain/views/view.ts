// A saved view as it appears in responses, and the rule for who can see it.

import type { Actor, StoredRecord } from '../records/changes.ts'

/** Built-in views have negative ids and no timestamps. */
export type View = {
  id: number
  name: string
  resource: string
  query: string
  columns: readonly string[] | null
  is_shared: boolean
  api_key_id: string | null
  user_id: string | null
  created_at: string | null
  updated_at: string | null
}

export function toView({ columns, ...stored }: StoredRecord): View {
  const { id, name, resource, query, ...others } = stored
  const names = typeof columns === 'string' ? columns.split(',') : null
  return { id, name, resource, query, columns: names, ...others } as View
}

/** The owner of a view that this actor creates. A view that a command creates has no owner. */
export function viewOwnerOf(actor: Actor): Pick<View, 'api_key_id' | 'user_id'> {
  return {
    api_key_id: 'apiKeyId' in actor ? actor.apiKeyId : null,
    user_id: 'userId' in actor ? actor.userId : null,
  }
}

/** Whether the actor can see a view and change it. */
export function isVisibleTo(actor: Actor, view: Pick<View, 'is_shared' | 'api_key_id' | 'user_id'>): boolean {
  const { api_key_id, user_id } = viewOwnerOf(actor)
  const isOwn = api_key_id === null ? user_id !== null && view.user_id === user_id : view.api_key_id === api_key_id
  return view.is_shared || isOwn
}
