// Reads and shows history entries: who changed what and when, with old and new values.

import { html } from 'ghtml'
import { findApiKeyNames, unnamedKey } from '../../../access/api-keys.ts'
import { displayName, findUsers, type User } from '../../../accounts/users.ts'
import { configuration, withConfiguration } from '../../../domain/declarations/configuration.ts'
import { handOverForms } from '../../../domain/declarations/hand-over-forms.ts'
import {
  emptyValue,
  type Field,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../../domain/declarations/resource.ts'
import { settings } from '../../../domain/declarations/settings.ts'
import type { FieldValue } from '../../../domain/fields/field-values.ts'
import type { Values } from '../../../domain/fields/validate.ts'
import { type ChangesQuery, endOfHistory } from '../../../domain/history/history.ts'
import { historyOperations } from '../../../domain/history/operations.ts'
import { isStockEmail } from '../../../domain/records/stock.ts'
import { fieldLabel, resourceTexts, subjectLabel, type Texts } from '../../i18n/index.ts'
import { type Mention, type Records, readMentioned } from '../../read-records.ts'
import { isAdministrator, type TenantRequest } from '../../requests/request.ts'
import { recordUrl } from '../../urls.ts'
import { showTime } from '../days.ts'
import { labelColumns, table } from '../lists/table.ts'
import { fullTitleOf, placeTitle, showValue, titleOf } from '../record-fields.ts'
import { fittingItems } from '../sections.ts'

/** A row of a tenant's history, as its operation returns it. */
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
  change_set: string | null
}

export type ChangesFilter = Partial<Pick<ChangesQuery, 'id' | 'by' | 'changeSet' | 'between'>> & {
  resource?: string | null
  action?: Entry['action'] | null
  before?: number
  limit: number
}

/** Returns the newest entries first. `before` is the cursor for the next page. */
export async function readChanges(request: TenantRequest, filter: ChangesFilter) {
  const { deps, tenant } = request
  const { before = endOfHistory, resource = null, action = null, ...others } = filter
  const query = {
    id: null,
    by: null,
    changeSet: null,
    between: { after: null, until: null },
    ...others,
    viewer: { userId: request.session.user.id },
    since: before,
    isBackwards: true,
    resources: resource === null ? null : [resource],
    actions: action === null ? null : [action],
    timeoutMs: deps.listTimeoutMs,
  } as const
  const history = await deps.engine.run(tenant, historyOperations.changes, query)
  const entries: Entry[] = JSON.parse(`[${history.data}]`)
  return { entries: entries.map(asSettingsUpdate), before: history.hasMore ? history.since : null }
}

/** The first change to the settings creates a record with all settings. Users know nothing of this record, so its
 *  creation is shown as a change from the defaults, and its deletion by an undo as a change back to the defaults. */
function asSettingsUpdate(entry: Entry): Entry {
  if (entry.resource !== settings.name || entry.action === 'update') return entry
  const values = entry.after ?? entry.before ?? {}
  const defaults = Object.fromEntries(
    Object.entries<Field>(settings.fields)
      .map(([name, field]) => [name, emptyValue(field)] as const)
      .filter(([name, value]) => name in values && values[name] !== value),
  )
  const changed = Object.fromEntries(Object.keys(defaults).map((name) => [name, values[name]!]))
  const [before, after] = entry.action === 'create' ? [defaults, changed] : [changed, defaults]
  return { ...entry, action: 'update', before, after }
}

/** `made`: changes that were made. `restored`: what an undo did. */
type ListKind = 'made' | 'restored'

/** Renders as many entries as fit into a list. `rest`: the cursor for the remaining entries. */
export async function changeList(request: TenantRequest, entries: Entry[], kind: ListKind) {
  const [actors, titles] = await Promise.all([actorNames(request, entries), recordTitles(request, entries)])
  const items = fittingItems(entries.map((entry) => changeItem(request, entry, { actors, titles }, kind)))
  const rest = items.length < entries.length ? entries[items.length - 1]!.seq : null
  return { list: html`<ol class="changes">!${items.join('')}</ol>`, rest }
}

/** Who made a change: a key, a user, or a command. */
export type ActorIds = Pick<Entry, 'api_key_id' | 'user_id'>

/** `actors` returns the name of a change's actor. `titles` returns a record's title; undefined for deleted records. */
export type Names = {
  actors: (actor: ActorIds) => string
  titles: (resource: string, id: number) => string | undefined
}

/** Reads the names of the users and API keys that made the changes. Only administrators see administrators' names. */
export async function actorNames(request: TenantRequest, entries: readonly ActorIds[]): Promise<Names['actors']> {
  const { deps, texts } = request
  const keyIds = new Set(entries.flatMap(({ api_key_id }) => api_key_id ?? []))
  const userIds = new Set(entries.flatMap(({ user_id }) => user_id ?? []))
  const [keyNames, users] = await Promise.all([
    findApiKeyNames(deps.catalog, [...keyIds]),
    findUsers(deps.catalog, [...userIds]),
  ])
  const isHidden = ({ role }: User) => role === 'administrator' && !isAdministrator(request)
  const userNames = new Map(
    users.map((user) => [user.id, isHidden(user) ? texts.roles.administrator : displayName(user)]),
  )
  return ({ api_key_id, user_id }) => {
    if (user_id !== null) return userNames.get(user_id) ?? texts.activity.user
    if (api_key_id === null) return texts.activity.command
    const name = keyNames.get(api_key_id)
    return name === undefined ? texts.activity.deletedKey : keyLabel(texts, name)
  }
}

export function keyLabel({ activity }: Texts, name: string): string {
  return name === unnamedKey ? activity.unnamedKey : activity.key(name)
}

type RecordValues = Pick<Entry, 'resource' | 'id' | 'before' | 'after'>

/** Reads the records that the entries are about or refer to. */
export async function entryRecords(request: TenantRequest, entries: readonly RecordValues[]): Promise<Records> {
  const mentions = entries.flatMap((entry) => mentionsIn(entry, request.resources))
  const records = await readMentioned(request, mentions)
  const places = mentions.flatMap(({ to, id }) => records(to, id) ?? []).filter(({ kind }) => kind === 'storage')
  const branches = places.map((place) => ({ to: 'customers', id: Number(place.customer_id) }))
  const branchRecords = await readMentioned(request, branches)
  return (resource, id) => records(resource, id) ?? branchRecords(resource, id)
}

/** Reads the titles of the records that the entries are about or refer to. */
export async function recordTitles(request: TenantRequest, entries: readonly RecordValues[]): Promise<Names['titles']> {
  return titlesOf(request, await entryRecords(request, entries))
}

export function titlesOf({ texts, resources, deps }: TenantRequest, records: Records): Names['titles'] {
  return (name, id) => {
    const [record, resource] = [records(name, id), resourceNamed(resources, name)]
    const branch = record?.kind === 'storage' ? records('customers', Number(record.customer_id)) : undefined
    if (record && branch) return placeTitle(record, branch)
    return record && fullTitleOf(texts, record, resource.title, deps.presentationOf(resource).code)
  }
}

/** Returns the record that an entry is about, and those that it refers to. */
function mentionsIn({ resource, id, before, after }: RecordValues, resources: Resources): Mention[] {
  const { fields } = resourceNamed(withConfiguration(resources), resource)
  const references = Object.entries<Field>(fields).flatMap(([name, field]) =>
    field.kind === 'reference' ? [{ name, to: field.to }] : [],
  )
  // The person who signs a form is not a reference.
  if (resource === handOverForms.name) references.push({ name: 'employee_id', to: 'employees' })
  const referred = references.flatMap(({ name, to }) =>
    [before?.[name], after?.[name]].map((each) => ({ to, id: each })),
  )
  return [{ to: resource, id }, ...referred]
}

function changeItem(request: TenantRequest, entry: Entry, names: Names, kind: ListKind): string {
  const { texts, resources } = request
  const resource = resourceNamed(withConfiguration(resources), entry.resource)
  const actions = { made: texts.activity.actions, restored: texts.undo.restored }[kind]
  const action = html`<b>${actions[entry.action]}</b>`
  const about = recordLink(request, entry, resource, names)
  const by = html`<small>${texts.activity.by(names.actors(entry))}, !${showTime(texts, entry.at)}</small>`
  return html`<li data-action="${entry.action}">
<p>!${[action, about, by].join(' ')}</p>
!${changedFields(request, entry, resource, names)}
</li>`
}

function recordLink(
  request: TenantRequest,
  { id, before, after, resource: name }: Entry,
  resource: Resource,
  { titles }: Names,
): string {
  if (configuration.includes(resource)) {
    const ownTitle = resource.title ? ` ${titleOf({ id, ...before, ...after }, resource.title, request.texts)}` : ''
    return html`${subjectLabel(request.texts, name)}${ownTitle}`
  }
  const currentTitle = titles(name, id)
  const recordTitle = currentTitle ?? titleOf({ id, ...before, ...after }, resource.title, request.texts)
  const title = `${resourceTexts(request.texts, name).one} ${recordTitle}`
  return currentTitle === undefined ? html`${title}` : html`<a href="${recordUrl(request, name, id)}">${title}</a>`
}

/** Renders a table with the old and new value of each changed field. A created record has no old values, and a deleted
 *  record has no new values. */
export function changedFields(
  request: TenantRequest,
  { before, after, action }: Entry,
  resource: Resource,
  names: Names,
): string {
  const { texts } = request
  const changed = Object.keys(after ?? before ?? {}).filter((name) => {
    const value = after?.[name] ?? before?.[name] ?? null
    return action === 'update' || (value !== null && !isStockEmail(value))
  })
  if (changed.length === 0) return ''
  const rows = changed.map((name) => {
    // a field that is no longer declared is shown as text
    const field: Field = resource.fields[name] ?? { kind: 'text', max: 0 }
    const [oldCell, newCell] = [before, after].map(
      (values) => values && showPastValue(request, field, values[name], names),
    )
    return [
      html`${fieldLabel(texts, name)}`,
      oldCell === null ? '' : html`<del><span class="hidden">${texts.recordPages.was} </span>!${oldCell}</del>`,
      newCell === null ? '' : html`<ins><span class="hidden">${texts.recordPages.now} </span>!${newCell}</ins>`,
    ]
  })
  const { field, before: oldValue, after: newValue } = texts.activity
  const fields = table({ head: labelColumns(field, oldValue, newValue), rows })
  return action === 'update' ? fields : html`<details><summary>${texts.records.details}</summary>!${fields}</details>`
}

/** Renders a value from the history. A reference shows the record's current title, or its id if it was deleted. */
function showPastValue(request: TenantRequest, field: Field, value: FieldValue | undefined, { titles }: Names): string {
  const title = field.kind === 'reference' ? titles(field.to, Number(value)) : undefined
  if (field.kind !== 'reference' || title === undefined) return showValue(request.texts, field, value)
  return html`<a href="${recordUrl(request, field.to, Number(value))}">${title}</a>`
}
