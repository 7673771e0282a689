// Saved views (contract §19). A view that is not shared is visible only to the API key or the user that created it.

import { type Database, limitClause } from '../../engine/database/database.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import {
  requireTag,
  type StoredResponse,
  type TaggedRecord,
  tagOfRecord,
} from '../../engine/responses/stored-response.ts'
import { Problem } from '../../problem.ts'
import { byId, columns, noSuchRecord } from '../declarations/resource.ts'
import { views } from '../declarations/views.ts'
import { type Values, validationFailed } from '../fields/validate.ts'
import {
  type Actor,
  actorColumns,
  type ChangeContext,
  findTarget,
  type OngoingChange,
  type StoredRecord,
  toRecord,
} from '../records/changes.ts'
import { changeRecord, createRecord, deleteRecord } from '../records/records.ts'
import { builtInViews, builtInViewsOf } from './built-in.ts'
import { viewErrors } from './check-view.ts'
import { isOwnedBy, isVisibleTo, toView, type View } from './view.ts'

/** `location`: the URL of a new view, up to the id. */
export type ViewChange =
  | { action: 'create'; values: Values; location: string }
  | { action: 'update'; id: number; values: Values; ifMatch: string | null }
  | { action: 'delete'; id: number; ifMatch: string | null }

export const viewOperations = defineOperations({
  findView: { writes: false, run: findView },
  listViews: { writes: false, run: listViews },
  changeView: mutation(changeView),
})

async function findView(database: Database, { id, actor }: { id: number; actor: Actor }): Promise<TaggedRecord | null> {
  if (isBuiltIn(id)) return tagView((await readBuiltIn(database)).find((view) => view.id === id)!)
  const { record } = await findTarget(database, { resource: views, key: byId(id) })
  const view = record && toView(record)
  return view && isVisibleTo(actor, view) ? tagView(view) : null
}

/** Returns the views that the actor can see, sorted by id, so that the built-in views come first. `resource`: returns
 *  only this resource's views; null returns all views. */
async function listViews(
  database: Database,
  input: { actor: Actor; resource: string | null; after: number; limit: number },
): Promise<View[]> {
  const { actor, resource, after, limit } = input
  const isListed = (view: View) => view.id > after && (resource === null || view.resource === resource)
  const first = (await readBuiltIn(database)).filter(isListed).slice(0, limit)
  const { api_key_id, user_id } = actorColumns(actor)
  const conditions = [
    '(is_shared = ? or api_key_id = ? or user_id = ?)',
    'id > ?',
    ...(resource ? ['resource = ?'] : []),
  ]
  const sql = `select ${columns(views).join(', ')} from views where ${conditions.join(' and ')} order by id ${limitClause}`
  const values = [true, api_key_id, user_id, after, ...(resource ? [resource] : []), limit - first.length]
  const rows = await database.all<StoredRecord>(sql, values)
  return [...first, ...rows.map((row) => toView(toRecord(views, row)))]
}

/** Reads the built-in views, one of which depends on a setting. */
async function readBuiltIn(database: Database): Promise<readonly View[]> {
  const row = await database.get('select warranty_notice_days as days from settings where id = 1', [])
  return row ? builtInViewsOf(Number(row.days)) : builtInViews
}

function isBuiltIn(id: number): boolean {
  return builtInViews.some((view) => view.id === id)
}

/** Throws `not_found`, `precondition_failed` or `validation_failed`, and `forbidden` for a built-in view and if
 *  somebody other than its owner makes a view private. */
async function changeView(
  database: Database,
  request: ViewChange,
  { resources, context }: OngoingChange,
): Promise<StoredResponse> {
  const change = { resource: views, context }
  if (request.action === 'create') {
    const values = { ...request.values, ...actorColumns(context.actor) }
    const record = await createRecord(database, { ...change, values })
    return toResponse(record, 201, context, request.location + record.id)
  }
  const { id, ifMatch } = request
  if (isBuiltIn(id)) {
    const message = 'A built-in view cannot be changed. Create a view of your own with its query.'
    throw new Problem('forbidden', { message })
  }
  const { record } = await findTarget(database, { ...change, key: byId(id) })
  const view = record && toView(record)
  if (!record || !view || !isVisibleTo(context.actor, view)) throw noSuchRecord(views, byId(id))
  requireTag(ifMatch, tagView(view).etag)
  if (request.action === 'delete') {
    await deleteRecord(database, { ...change, resources, key: byId(id) })
    const body = JSON.stringify({ id, deleted: true })
    return { status: 200, body, location: null, changeSet: context.changeSet }
  }
  if (request.values.is_shared === false && !isOwnedBy(context.actor, view)) {
    // If another user or key stopped sharing the view, it would no longer exist for them (contract §19).
    throw new Problem('forbidden', { message: 'Only the owner of a view can stop sharing it.' })
  }
  const errors = viewErrors(resources, { ...record, ...request.values }, new Date(context.now))
  if (errors.length > 0) throw validationFailed(errors)
  const changed = await changeRecord(database, change, record, request.values)
  return { ...toResponse(changed, 200, context, null), ...(changed === record && { changeSet: null }) }
}

function toResponse(
  record: StoredRecord,
  status: number,
  { changeSet }: ChangeContext,
  location: string | null,
): StoredResponse {
  return { status, ...tagView(toView(record)), location, changeSet }
}

function tagView(view: View): TaggedRecord {
  const body = JSON.stringify(view)
  return { body, etag: tagOfRecord({ json: body, updatedAt: view.updated_at ?? builtInSince }) }
}

/** Used as the last-change time in the entity tags of built-in views. The tags also depend on the content. */
const builtInSince = '2026-01-01T00:00:00.000Z'
