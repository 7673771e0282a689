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
export function isVisibleTo(actor: Actor, view: OwnedView): boolean {
  return view.is_shared || isOwnedBy(actor, view)
}

type OwnedView = Pick<View, 'is_shared' | 'api_key_id' | 'user_id'>

/** Whether the actor created the view. */
export function isOwnedBy(actor: Actor, view: Omit<OwnedView, 'is_shared'>): boolean {
  const { api_key_id, user_id } = actorColumns(actor)
  return api_key_id === null ? user_id !== null && view.user_id === user_id : view.api_key_id === api_key_id
}

/** The condition that a row of the history is not about a view that was private at that time and belongs to someone
 *  else. A change that shares a view, or ends that, is visible. */
export function isNotAboutHiddenView(engine: Database['engine'], actor: Actor): Clause {
  const { isOwn, wasShared, isShared } = conditionsOnViewChange(engine, actor)
  return { sql: `(resource <> '${views.name}' or ${isOwn.sql} or ${wasShared} or ${isShared})`, values: isOwn.values }
}

/** Whether a row of the history shares a view of someone else, or ends that. What else it changed is hidden from the actor,
 *  because one side of it was private. */
export function hidesOneSide(engine: Database['engine'], actor: Actor): Clause {
  const { isOwn, wasShared, isShared } = conditionsOnViewChange(engine, actor)
  const sql = `case when resource = '${views.name}' then not ${isOwn.sql} and ${wasShared} <> ${isShared} else false end`
  return { sql, values: isOwn.values }
}

/** Returns `before` or `after` of such a row, as JSON, with only the member that says whether the view is shared. */
export function onlySharing(values: string): string {
  const { is_shared } = JSON.parse(values)
  return JSON.stringify({ is_shared })
}

/** Whether a change set changed a view of someone else that was private before or after. Only its owner may undo that. */
export async function changesHiddenView(database: Database, actor: Actor, changeSet: string): Promise<boolean> {
  const { isOwn, wasShared, isShared } = conditionsOnViewChange(database.engine, actor)
  const sql = `select 1 from changes where change_set = ? and resource = '${views.name}'
    and (${isOwn.sql} or ${wasShared} and ${isShared}) is not true limit 1`
  return (await database.get(sql, [changeSet, ...isOwn.values])) !== undefined
}

/** Conditions on a row of the history about a view: whether the view is the actor's, and whether it was shared before and
 *  after the change. A row that does not say so has the state before the next row that does, or today's. */
function conditionsOnViewChange(engine: Database['engine'], actor: Actor) {
  const member = (json: string, name: string) => `${engine === 'sqlite' ? json : `(${json})::json`} ->> '${name}'`
  const [before, after] = [member('changes.before', 'is_shared'), member('changes.after', 'is_shared')]
  const nextBefore = member('later.before', 'is_shared')
  const [today, yes] = engine === 'sqlite' ? ['is_shared', '1'] : ['is_shared::text', "'true'"]
  const unchanged = `
    (select ${nextBefore} from changes later where later.resource = '${views.name}' and later.seq > changes.seq
      and later.record_id = changes.record_id and ${nextBefore} is not null order by later.seq limit 1),
    (select ${today} from ${views.name} where id = changes.record_id)`
  return {
    isOwn: isOwnView(actor, (owner) => member('coalesce(made.after, made.before)', owner)),
    wasShared: `(coalesce(${before}, ${after}, ${unchanged}) = ${yes})`,
    isShared: `(coalesce(${after}, ${before}, ${unchanged}) = ${yes})`,
  }
}

/** `ownerIn`: SQL for the owner in a row that creates or deletes a view: deleted views are in the history only. */
function isOwnView(actor: Actor, ownerIn: (name: string) => string): Clause {
  const [owner] = Object.entries(actorColumns(actor)).filter(([, id]) => id !== null)
  if (owner === undefined) return { sql: '1 = 0', values: [] }
  const [name, id] = owner
  const sql = `changes.record_id in (
    select id from ${views.name} where ${name} = ?
    union all
    select made.record_id from changes made
      where made.resource = '${views.name}' and made.action in ('create', 'delete') and ${ownerIn(name)} = ?)`
  return { sql, values: [id, id] }
}
