// One record: its fields, what refers to it, who held it, and all that was done to it.

import { html } from 'ghtml'
import { assignmentOf } from '../../../resources/history/history.ts'
import { filtersOf } from '../../../resources/lists/options.ts'
import type { Field, Resource } from '../../../resources/resource.ts'
import { resourceNamed } from '../../../resources/resource.ts'
import { showChanges } from '../../components/change-list.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { fieldLabel, resourceLabel, writeMoment } from '../../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, recordAddress } from '../../request.ts'
import { readList, showField } from './list.ts'
import type { RecordRequest } from './request.ts'

/** A record with what it refers to, and its entity tag. */
export type FoundRecord = { record: PanelRecord; etag: string }

/** The record of this id. Throws Refused. */
export async function readRecord(visit: RecordRequest, id: number): Promise<FoundRecord> {
  const found = await findRecord(visit, visit.resource, id)
  if (!found) throw new PageError(404, 'not_found')
  return found
}

export async function findRecord(
  { parts, tenant }: RecordRequest,
  resource: Resource,
  id: number,
): Promise<FoundRecord | undefined> {
  const found = await parts.storage.run(tenant, 'find', { resource: resource.name, id })
  return found ? { record: JSON.parse(found.body), etag: found.etag } : undefined
}

/** How many of each kind of records that refer to this one are shown; a link leads to the rest. */
const relatedShown = 10

export async function showRecord(visit: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, place } = visit
  const { records } = await readList(visit, resource, { 'id[in]': String(id), limit: '1' })
  const [record] = records
  if (!record) throw new PageError(404, 'not_found')
  const [related, assignments, history] = await Promise.all([
    showRelated(visit, id),
    showAssignments(visit, id),
    showChanges(visit, { resource: resource.name, id, limit: 20 }),
  ])
  const body = html`<p class="actions">
<a class="button" href="${pageUrl('records.php', { ...place, id, edit: 1 })}">${texts.records.edit}</a>
<a class="button quiet" href="${pageUrl('records.php', { ...place, id, delete: 1 })}">${texts.records.delete}</a>
<a href="${pageUrl('records.php', place)}">${texts.records.all(resourceLabel(texts, resource.name).many)}</a>
</p>
<div class="columns"><section aria-label="${texts.records.details}"><dl class="fields">!${details(visit, record)}</dl></section>
<div>!${related}!${assignments}<section><h2>${texts.records.history}</h2>!${history}</section></div></div>`
  return { kind: 'page', title: titleOf(record, resource.title), body }
}

function details(visit: RecordRequest, record: PanelRecord): string {
  const { texts, resource } = visit
  const fields = Object.entries<Field>(resource.fields).map(
    ([name, field]) =>
      html`<div><dt>${fieldLabel(texts, name)}</dt><dd>!${showField(visit, record, name, field)}</dd></div>`,
  )
  const stamps = (['created_at', 'updated_at'] as const).map(
    (name) =>
      html`<div><dt>${fieldLabel(texts, name)}</dt><dd><time datetime="${record[name]}">${writeMoment(texts, record[name])}</time></dd></div>`,
  )
  return [...fields, ...stamps].join('')
}

/** The records that refer to this one, also through another: the hardware of a customer's employees. */
async function showRelated(visit: RecordRequest, id: number): Promise<string> {
  const { parts, resource } = visit
  const lists = parts.resources.flatMap((other) =>
    filtersOf(other, parts.resources)
      .filters.filter(({ field }) => field.kind === 'reference' && field.to === resource.name)
      .map(({ name, via: through }) => relatedSection(visit, other, name, id, through !== undefined)),
  )
  return (await Promise.all(lists)).join('')
}

async function relatedSection(
  visit: RecordRequest,
  other: Resource,
  filter: string,
  id: number,
  isFarther: boolean,
): Promise<string> {
  const { texts, place } = visit
  const { records, next } = await readList(visit, other, {
    [filter]: String(id),
    limit: String(relatedShown),
    sort: '-id',
  })
  const { many, one } = resourceLabel(texts, other.name)
  const items = records.map(
    (record) =>
      html`<li><a href="${recordAddress(visit, other.name, record.id)}">${titleOf(record, other.title)}</a> !${owner(visit, other, record, filter, isFarther)}</li>`,
  )
  const list =
    items.length === 0
      ? html`<p class="none">${texts.records.empty(many)}</p>`
      : `<ul class="related">${items.join('')}</ul>`
  const all = pageUrl('records.php', { ...place, resource: other.name, [filter]: id })
  const more = next ? html`<p><a href="${all}">${texts.records.all(many)}</a></p>` : ''
  const add = isFarther
    ? ''
    : html`<p><a href="${pageUrl('records.php', { ...place, resource: other.name, new: 1, [filter]: id })}">${texts.records.add(one)}</a></p>`
  return html`<section><h2><a href="${all}">${many}</a></h2>!${list}!${more}!${add}</section>`
}

/** Whom a record belongs to, where that is not the record of the page. */
function owner(visit: RecordRequest, other: Resource, record: PanelRecord, filter: string, isFarther: boolean): string {
  const reference = Object.keys(other.fields).find(
    (name) => other.fields[name]!.kind === 'reference' && name !== filter,
  )
  return isFarther && reference
    ? html`<small>!${showField(visit, record, reference, other.fields[reference]!)}</small>`
    : ''
}

/** The last holders are shown; the history has them all. */
const holdersShown = 20

/** Who held it, from when to when; nothing for what is not handed from one to the next. */
async function showAssignments(visit: RecordRequest, id: number): Promise<string> {
  const { parts, tenant, resource, texts } = visit
  const reference = assignmentOf(resource)
  const field = reference === undefined ? undefined : resource.fields[reference]
  if (reference === undefined || field?.kind !== 'reference') return ''
  const found = await parts.storage.run(tenant, 'assignments', {
    resource: resource.name,
    id,
    timeoutMs: parts.listTimeoutMs,
  })
  const { assignments } = JSON.parse(found?.body ?? '{"assignments":[]}') as {
    assignments: Record<string, string | null>[]
  }
  const holders = resourceNamed(parts.resources, field.to)
  const items = await Promise.all(
    assignments
      .slice(-holdersShown)
      .toReversed()
      .map(async ({ from, to, [reference]: holder }) => {
        const name = await nameOf(visit, holders, Number(holder))
        return html`<li>!${name} <small><time datetime="${from!}">${writeMoment(texts, from!)}</time> – !${to ? html`<time datetime="${to}">${writeMoment(texts, to)}</time>` : html`${texts.records.today}`}</small></li>`
      }),
  )
  const earlier = pageUrl('activity.php', { tenant: visit.place.tenant, resource: resource.name, id, action: 'update' })
  const more = assignments.length > holdersShown ? html`<p><a href="${earlier}">${texts.records.earlier}</a></p>` : ''
  return html`<section><h2>${texts.records.assignments}</h2><ol class="related">!${items.join('')}</ol>!${more}</section>`
}

/** A link to a record by its name; its number alone where it is gone. */
async function nameOf(visit: RecordRequest, resource: Resource, id: number): Promise<string> {
  const found = await findRecord(visit, resource, id)
  if (!found) return html`#${id}`
  return html`<a href="${recordAddress(visit, resource.name, id)}">${titleOf(found.record, resource.title)}</a>`
}
