// Changes as people read them: who did what when, and what was before and after.

import { html } from 'ghtml'
import { listApiKeys } from '../../access/api-keys.ts'
import { listUsers, type User } from '../../accounts/users.ts'
import { type ChangesQuery, endOfHistory } from '../../resources/history/history.ts'
import { highestLimit, mostValues } from '../../resources/lists/request.ts'
import { type Field, type Resource, type Resources, resourceNamed } from '../../resources/resource.ts'
import type { FieldValue, Values } from '../../resources/validate.ts'
import { fieldLabel, formatDateTime, resourceLabel } from '../i18n/index.ts'
import { isAdministrator, pageUrl, recordUrl, type TenantRequest } from '../request.ts'
import { type PanelRecord, showValue, titleOf } from './record-fields.ts'

/** A change as the history tells it. */
export type Entry = {
  seq: number
  at: string
  resource: string
  id: number
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
  api_key_id: string | null
  user_id: string | null
}

export type ChangesFilter = Partial<Pick<ChangesQuery, 'resource' | 'id' | 'action' | 'by'>> & {
  before?: number
  limit: number
}

/** The last changes first; `before` is where the next page begins. */
export async function readChanges(
  request: TenantRequest,
  filter: ChangesFilter,
): Promise<{ entries: Entry[]; before: number | null }> {
  const { deps, tenant } = request
  const { before = endOfHistory, resource = null, id = null, action = null, by = null, limit } = filter
  const query = {
    limit,
    since: before,
    isBackwards: true,
    resource,
    id,
    action,
    by,
    timeoutMs: deps.listTimeoutMs,
  } as const
  const history = await deps.storage.run(tenant, 'changes', query)
  return { entries: JSON.parse(`[${history.data}]`), before: history.hasMore ? history.since : null }
}

/** What the changes on a page may take: before and after of long notes are more than a page should be. Bytes. */
const maxChangesBytes = 50_000

/** The changes of a record, as HTML. */
export async function showChanges(
  request: TenantRequest,
  filter: ChangesFilter & { resource: string; id: number },
): Promise<string> {
  const { entries, before } = await readChanges(request, filter)
  const { list, rest } = await changeList(request, entries)
  const from = rest ?? before
  if (from === null) return list
  return html`!${list}<p><a href="${activityOf(request, { ...filter, before: from })}">${request.texts.records.next}</a></p>`
}

function activityOf(request: TenantRequest, filter: { resource: string; id: number; before: number }): string {
  const tenant = isAdministrator(request) ? request.tenant.slug : undefined
  const { resource, id, before } = filter
  return pageUrl('activity.php', { tenant, resource, id, before })
}

/** Entries as an ordered list, as many as a page has room for; `rest`: where the others begin. `withRecord`: each says
 *  which record it is about. */
export async function changeList(
  request: TenantRequest,
  entries: Entry[],
  withRecord = false,
): Promise<{ list: string; rest: number | null }> {
  const [actors, titles] = await Promise.all([actorNames(request), recordTitles(request, entries)])
  const items: string[] = []
  let room = maxChangesBytes
  for (const entry of entries) {
    const item = changeItem(request, entry, { actors, titles }, withRecord)
    room -= Buffer.byteLength(item)
    if (room < 0 && items.length > 0) break
    items.push(item)
  }
  const rest = items.length < entries.length ? entries[items.length - 1]!.seq : null
  return { list: html`<ol class="changes">!${items.join('')}</ol>`, rest }
}

/** `actors`: who made a change. `titles`: what a record is called, where it is still there. */
type Names = { actors: (entry: Entry) => string; titles: (resource: string, id: number) => string | undefined }

/** Who made a change, as people know them. Managers are not shown who the administrators are. */
async function actorNames(request: TenantRequest): Promise<Names['actors']> {
  const { deps, tenant, texts } = request
  const [keys, users] = await Promise.all([listApiKeys(deps.catalog, tenant.slug, deps.now()), listUsers(deps.catalog)])
  const isHidden = ({ role }: User) => role === 'administrator' && !isAdministrator(request)
  const [keyNames, people] = [
    new Map(keys.map(({ id, name }) => [id, name])),
    new Map(users.map((user) => [user.id, isHidden(user) ? texts.roles.administrator : user.email])),
  ]
  return ({ api_key_id, user_id }) => {
    if (user_id !== null) return people.get(user_id) ?? texts.activity.user
    const name = api_key_id === null ? undefined : keyNames.get(api_key_id)
    return name === undefined ? texts.activity.deletedKey : texts.activity.key(name)
  }
}

/** The names of the records that changes are about, and of those that they refer to: one list for each resource. */
async function recordTitles(request: TenantRequest, entries: Entry[]): Promise<Names['titles']> {
  const { deps } = request
  const found = await Promise.all(
    deps.resources.map(async (resource) => {
      const ids = new Set(entries.flatMap((entry) => referencedIds(entry, resource, deps.resources)))
      const records = ids.size === 0 ? [] : await readRecords(request, resource, [...ids])
      return records.map((record) => [`${resource.name} ${record.id}`, titleOf(record, resource.title)] as const)
    }),
  )
  const titles = new Map(found.flat())
  return (resource, id) => titles.get(`${resource} ${id}`)
}

/** The ids of records of `wanted` that a change speaks of. */
function referencedIds({ resource, id, before, after }: Entry, wanted: Resource, resources: Resources): number[] {
  const { fields } = resourceNamed(resources, resource)
  const references = Object.keys(fields).filter((name) => {
    const field = fields[name]!
    return field.kind === 'reference' && field.to === wanted.name
  })
  const referred = references.flatMap((name) => [before?.[name], after?.[name]])
  return [...(resource === wanted.name ? [id] : []), ...referred].filter((each) => typeof each === 'number')
}

/** Records of these ids, as many as a list takes at a time. */
async function readRecords({ deps, tenant }: TenantRequest, resource: Resource, ids: number[]): Promise<PanelRecord[]> {
  const condition = { filter: 'id', operator: 'in', values: ids.slice(0, mostValues) } as const
  const query = {
    ...{ limit: highestLimit, sort: { field: 'id', isDescending: false }, conditions: [condition], words: [] },
    ...{ includes: {}, after: null, withTotal: false, timeoutMs: deps.listTimeoutMs },
  }
  const { data } = await deps.storage.run(tenant, 'list', { resource: resource.name, query })
  return JSON.parse(`[${data}]`)
}

function changeItem(request: TenantRequest, entry: Entry, names: Names, withRecord: boolean): string {
  const { texts, deps } = request
  const resource = resourceNamed(deps.resources, entry.resource)
  const about = withRecord ? html` !${recordLink(request, entry, resource, names)}` : ''
  return html`<li data-action="${entry.action}"><p><b>${texts.activity.actions[entry.action]}</b>!${about} <small>${texts.activity.by} ${names.actors(entry)}, <time datetime="${entry.at}">${formatDateTime(texts, entry.at)}</time></small></p>!${changedFields(request, entry, resource, names)}</li>`
}

function recordLink(
  request: TenantRequest,
  { id, before, after, resource: name }: Entry,
  resource: Resource,
  { titles }: Names,
): string {
  const present = titles(name, id)
  const title = `${resourceLabel(request.texts, name).one} ${present ?? titleOf({ id, ...before, ...after }, resource.title)}`
  return present === undefined ? html`${title}` : html`<a href="${recordUrl(request, name, id)}">${title}</a>`
}

/** What changed, field by field; of a new record what was given, of a deleted one what it was. */
function changedFields(
  request: TenantRequest,
  { before, after, action }: Entry,
  resource: Resource,
  names: Names,
): string {
  const { texts } = request
  const changed = Object.keys(after ?? before ?? {}).filter(
    (name) => (after?.[name] ?? before?.[name] ?? null) !== null || action === 'update',
  )
  if (changed.length === 0) return ''
  const rows = changed.map((name) => {
    const field: Field = resource.fields[name] ?? { kind: 'text', max: 0 }
    const [was, is] = [before, after].map((values) => values && showPastValue(request, field, values[name], names))
    const cells = [was === null ? '' : `<del>${was}</del>`, is === null ? '' : `<ins>${is}</ins>`]
    return html`<tr><th scope="row">${fieldLabel(texts, name)}</th>!${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  const heads = [texts.activity.field, texts.activity.before, texts.activity.after]
  const table = html`<table><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>`
  return action === 'update' ? table : html`<details><summary>${texts.records.details}</summary>!${table}</details>`
}

/** A value as it was; a reference by what its record is called today. */
function showPastValue(request: TenantRequest, field: Field, value: FieldValue | undefined, { titles }: Names): string {
  const title = field.kind === 'reference' ? titles(field.to, Number(value)) : undefined
  if (field.kind !== 'reference' || title === undefined) return showValue(request.texts, field, value)
  return html`<a href="${recordUrl(request, field.to, Number(value))}">${title}</a>`
}
