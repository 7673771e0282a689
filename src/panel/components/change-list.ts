// Changes as people read them: who did what when, and what was before and after.

import { html } from 'ghtml'
import { listApiKeys } from '../../access/api-keys.ts'
import { listUsers, type User } from '../../accounts/users.ts'
import { type ChangesQuery, endOfHistory } from '../../resources/history/history.ts'
import { highestLimit, mostValues } from '../../resources/lists/request.ts'
import { type Field, type Resource, type Resources, resourceNamed } from '../../resources/resource.ts'
import type { FieldValue, Values } from '../../resources/validate.ts'
import { fieldLabel, resourceLabel, writeMoment } from '../i18n/index.ts'
import { isAdministrator, pageUrl, recordAddress, type TenantRequest } from '../request.ts'
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

export type ChangesWish = Partial<Pick<ChangesQuery, 'resource' | 'id' | 'action' | 'by'>> & {
  before?: number
  limit: number
}

/** The last changes first; `before` is where the next page begins. */
export async function readChanges(
  visit: TenantRequest,
  wish: ChangesWish,
): Promise<{ entries: Entry[]; before: number | null }> {
  const { parts, tenant } = visit
  const { before = endOfHistory, resource = null, id = null, action = null, by = null, limit } = wish
  const query = {
    limit,
    since: before,
    isBackwards: true,
    resource,
    id,
    action,
    by,
    timeoutMs: parts.listTimeoutMs,
  } as const
  const history = await parts.storage.run(tenant, 'changes', query)
  return { entries: JSON.parse(`[${history.data}]`), before: history.hasMore ? history.since : null }
}

/** What the changes on a page may take: before and after of long notes are more than a page should be. Bytes. */
const roomForChanges = 50_000

/** The changes of a record, as HTML. */
export async function showChanges(
  visit: TenantRequest,
  wish: ChangesWish & { resource: string; id: number },
): Promise<string> {
  const { entries, before } = await readChanges(visit, wish)
  const { list, rest } = await changeList(visit, entries)
  const from = rest ?? before
  if (from === null) return list
  return html`!${list}<p><a href="${activityOf(visit, { ...wish, before: from })}">${visit.texts.records.next}</a></p>`
}

function activityOf(visit: TenantRequest, wish: { resource: string; id: number; before: number }): string {
  const tenant = isAdministrator(visit) ? visit.tenant.slug : undefined
  const { resource, id, before } = wish
  return pageUrl('activity.php', { tenant, resource, id, before })
}

/** Entries as an ordered list, as many as a page has room for; `rest`: where the others begin. `withRecord`: each says
 *  which record it is about. */
export async function changeList(
  visit: TenantRequest,
  entries: Entry[],
  withRecord = false,
): Promise<{ list: string; rest: number | null }> {
  const [actors, titles] = await Promise.all([actorNames(visit), recordTitles(visit, entries)])
  const items: string[] = []
  let room = roomForChanges
  for (const entry of entries) {
    const item = changeItem(visit, entry, { actors, titles }, withRecord)
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
async function actorNames(visit: TenantRequest): Promise<Names['actors']> {
  const { parts, tenant, texts } = visit
  const [keys, users] = await Promise.all([
    listApiKeys(parts.catalog, tenant.slug, parts.now()),
    listUsers(parts.catalog),
  ])
  const isHidden = ({ role }: User) => role === 'administrator' && !isAdministrator(visit)
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
async function recordTitles(visit: TenantRequest, entries: Entry[]): Promise<Names['titles']> {
  const { parts } = visit
  const found = await Promise.all(
    parts.resources.map(async (resource) => {
      const ids = new Set(entries.flatMap((entry) => idsIn(entry, resource, parts.resources)))
      const records = ids.size === 0 ? [] : await readRecords(visit, resource, [...ids])
      return records.map((record) => [`${resource.name} ${record.id}`, titleOf(record, resource.title)] as const)
    }),
  )
  const titles = new Map(found.flat())
  return (resource, id) => titles.get(`${resource} ${id}`)
}

/** The ids of records of `wanted` that a change speaks of. */
function idsIn({ resource, id, before, after }: Entry, wanted: Resource, resources: Resources): number[] {
  const { fields } = resourceNamed(resources, resource)
  const references = Object.keys(fields).filter((name) => {
    const field = fields[name]!
    return field.kind === 'reference' && field.to === wanted.name
  })
  const referred = references.flatMap((name) => [before?.[name], after?.[name]])
  return [...(resource === wanted.name ? [id] : []), ...referred].filter((each) => typeof each === 'number')
}

/** Records of these ids, as many as a list takes at a time. */
async function readRecords(
  { parts, tenant }: TenantRequest,
  resource: Resource,
  ids: number[],
): Promise<PanelRecord[]> {
  const condition = { filter: 'id', operator: 'in', values: ids.slice(0, mostValues) } as const
  const query = {
    ...{ limit: highestLimit, sort: { field: 'id', isDescending: false }, conditions: [condition], words: [] },
    ...{ includes: {}, after: null, withTotal: false, timeoutMs: parts.listTimeoutMs },
  }
  const { data } = await parts.storage.run(tenant, 'list', { resource: resource.name, query })
  return JSON.parse(`[${data}]`)
}

function changeItem(visit: TenantRequest, entry: Entry, names: Names, withRecord: boolean): string {
  const { texts, parts } = visit
  const resource = resourceNamed(parts.resources, entry.resource)
  const about = withRecord ? html` !${aboutRecord(visit, entry, resource, names)}` : ''
  return html`<li data-action="${entry.action}"><p><b>${texts.activity.actions[entry.action]}</b>!${about} <small>${texts.activity.by} ${names.actors(entry)}, <time datetime="${entry.at}">${writeMoment(texts, entry.at)}</time></small></p>!${changedFields(visit, entry, resource, names)}</li>`
}

function aboutRecord(
  visit: TenantRequest,
  { id, before, after, resource: name }: Entry,
  resource: Resource,
  { titles }: Names,
): string {
  const present = titles(name, id)
  const title = `${resourceLabel(visit.texts, name).one} ${present ?? titleOf({ id, ...before, ...after }, resource.title)}`
  return present === undefined ? html`${title}` : html`<a href="${recordAddress(visit, name, id)}">${title}</a>`
}

/** What changed, field by field; of a new record what was given, of a deleted one what it was. */
function changedFields(
  visit: TenantRequest,
  { before, after, action }: Entry,
  resource: Resource,
  names: Names,
): string {
  const { texts } = visit
  const changed = Object.keys(after ?? before ?? {}).filter(
    (name) => (after?.[name] ?? before?.[name] ?? null) !== null || action === 'update',
  )
  if (changed.length === 0) return ''
  const rows = changed.map((name) => {
    const field: Field = resource.fields[name] ?? { kind: 'text', max: 0 }
    const [was, is] = [before, after].map((values) => values && showThen(visit, field, values[name], names))
    const cells = [was === null ? '' : `<del>${was}</del>`, is === null ? '' : `<ins>${is}</ins>`]
    return html`<tr><th scope="row">${fieldLabel(texts, name)}</th>!${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  const heads = [texts.activity.field, texts.activity.before, texts.activity.after]
  const table = html`<table><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>`
  return action === 'update' ? table : html`<details><summary>${texts.records.details}</summary>!${table}</details>`
}

/** A value as it was; a reference by what its record is called today. */
function showThen(visit: TenantRequest, field: Field, value: FieldValue | undefined, { titles }: Names): string {
  const title = field.kind === 'reference' ? titles(field.to, Number(value)) : undefined
  if (field.kind !== 'reference' || title === undefined) return showValue(visit.texts, field, value)
  return html`<a href="${recordAddress(visit, field.to, Number(value))}">${title}</a>`
}
