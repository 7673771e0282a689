// A saved view as it appears in responses, and the rule for who can see it: among views, and in the history (contract
// §19).

import type { Clause, Database } from '../../engine/database/database.ts'
import { views } from '../declarations/views.ts'
import { type Actor, actorColumns, type StoredRecord } from '../records/changes.ts'

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

/** Whether the actor can see a view and change it. */
export function isVisibleTo(actor: Actor, view: Pick<View, 'is_shared' | 'api_key_id' | 'user_id'>): boolean {
  const { api_key_id, user_id } = actorColumns(actor)
  const isOwn = api_key_id === null ? user_id !== null && view.user_id === user_id : view.api_key_id === api_key_id
  return view.is_shared || isOwn
}

/** Selects the ids of all views that are not shared and belong to someone else. For a deleted view, what counts is its
 *  state when it was deleted. */
function hiddenViews(engine: Database['engine'], actor: Actor): Clause {
  const [owner] = Object.entries(actorColumns(actor)).filter(([, id]) => id !== null)
  const member = (name: string) => (engine === 'sqlite' ? `before ->> '${name}'` : `before::json ->> '${name}'`)
  const isOthers = (read: (name: string) => string) =>
    owner === undefined ? '' : ` and (${read(owner[0])} is null or ${read(owner[0])} <> ?)`
  const wasPrivate = `${member('is_shared')} = ${engine === 'sqlite' ? '0' : "'false'"}`
  const sql = `
    select id from ${views.name} where is_shared = ?${isOthers((name) => name)}
    union all
    select record_id from changes where resource = '${views.name}' and action = 'delete'
      and ${wasPrivate}${isOthers(member)} and record_id not in (select id from ${views.name})`
  const ids = owner === undefined ? [] : [owner[1]]
  return { sql, values: [false, ...ids, ...ids] }
}

/** The condition that a row of the history is not about a hidden view. */
export function isNotAboutHiddenView(engine: Database['engine'], actor: Actor): Clause {
  const { sql, values } = hiddenViews(engine, actor)
  return { sql: `(resource <> '${views.name}' or record_id not in (${sql}))`, values }
}

export async function isAnyHidden(database: Database, actor: Actor, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return false
  const { sql, values } = hiddenViews(database.engine, actor)
  const hidden = new Set((await database.all(sql, values)).map(({ id }) => id))
  return ids.some((id) => hidden.has(id))
}
