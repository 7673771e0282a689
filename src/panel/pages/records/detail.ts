// The detail page of a record: fields, related records, assignments and history.

import { html } from 'ghtml'
import { assignmentOf } from '../../../resources/history/history.ts'
import { filtersOf } from '../../../resources/lists/options.ts'
import { byId, type Field, type Resource, resourceNamed } from '../../../resources/resource.ts'
import { showChanges } from '../../components/change-list.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { factList, relatedList, section } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { fieldLabel, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { closeBranchLink } from '../close-branch/link.ts'
import { heldItems, itemActions, personActions } from '../desk/actions.ts'
import { formLinks } from '../hand-over/links.ts'
import { showDeletedRecord } from './deleted.ts'
import { eraseLink } from './erase.ts'
import { findRecord, readList } from './queries.ts'
import type { RecordRequest } from './request.ts'
import { showField } from './show-field.ts'

/** Shows at most this many related records per resource, and a link to all of them. */
const maxRelated = 10

export async function showRecord(request: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, baseParams } = request
  const { records } = await readList(request, resource, { 'id[in]': String(id), limit: '1' })
  const [record] = records
  if (!record) return showDeletedRecord(request, id)
  const [related, assignments, history] = await Promise.all([
    resource.name === 'employees' ? heldItems(request, record) : showRelated(request, id),
    showAssignments(request, id),
    showChanges(request, { resource: resource.name, id, limit: 20 }),
  ])
  const url = (more: Record<string, number>) => pageUrl('records.php', { ...baseParams, ...more })
  const { all } = resourceTexts(texts, resource.name)
  const changeLinks = html`!${deskActions(request, record).join(' ')}
<a class="button" href="${url({ id, edit: 1 })}">${texts.records.edit}</a>
<a class="button quiet" href="${url({ id, delete: 1 })}">${texts.records.delete}</a>
!${closeBranchLink(request, record)}
!${printLinks(request, record)}
!${eraseLink(request, id)}`
  const body = html`<p class="actions">
!${request.canWrite ? changeLinks : ''}
<a href="${url({})}">${all}</a>
</p>
<div class="columns"><section aria-label="${texts.records.details}">!${details(request, record)}</section>
<div>!${related}!${assignments}!${section(texts.records.history, history)}</div></div>`
  return { kind: 'page', title: titleOf(record, resource.title), body }
}

function printLinks(request: RecordRequest, record: PanelRecord): string {
  const links = formLinks(request, request.resource.name, record)
  return links.map(({ to, label }) => html`<a class="button quiet" href="${to}">${label}</a>`).join('')
}

/** What can be done with an asset, or for a person. */
function deskActions(request: RecordRequest, record: PanelRecord): string[] {
  const { name } = request.resource
  if (name === 'hardware') return itemActions(request, record)
  return name === 'employees' ? personActions(request, record) : []
}

function details(request: RecordRequest, record: PanelRecord): string {
  const { texts, resource } = request
  const fields = Object.entries<Field>(resource.fields).map(
    ([name, field]) => [fieldLabel(texts, name), showField(request, record, name, field)] as const,
  )
  const timestamps = (['created_at', 'updated_at'] as const).map(
    (name) => [fieldLabel(texts, name), timeElement(texts, record[name])] as const,
  )
  return factList([...fields, ...timestamps])
}

function timeElement(texts: Texts, moment: string): string {
  return html`<time datetime="${moment}">${formatDateTime(texts, moment)}</time>`
}

/** Lists records that refer to this one, directly or through another: a customer's employees, and their hardware. */
async function showRelated(request: RecordRequest, id: number): Promise<string> {
  const { resources, resource } = request
  const lists = resources.flatMap((other) =>
    filtersOf(other, resources)
      .filters.filter(({ field }) => field.kind === 'reference' && field.to === resource.name)
      .map(({ name, via: through }) => relatedSection(request, other, name, id, through !== undefined)),
  )
  return (await Promise.all(lists)).join('')
}

async function relatedSection(
  request: RecordRequest,
  other: Resource,
  filter: string,
  id: number,
  isIndirect: boolean,
): Promise<string> {
  const { texts, baseParams } = request
  const { records, next } = await readList(request, other, {
    [filter]: String(id),
    limit: String(maxRelated),
    sort: '-id',
  })
  const label = resourceTexts(texts, other.name)
  const items = records.map((record) => {
    const link = html`<a href="${recordUrl(request, other.name, record.id)}">${titleOf(record, other.title)}</a>`
    return html`<li>!${link} !${parentLink(request, other, record, filter, isIndirect)}</li>`
  })
  const list = items.length === 0 ? html`<p class="none">${label.empty}</p>` : relatedList(items)
  const all = pageUrl('records.php', { ...baseParams, resource: other.name, [filter]: id })
  const more = next ? html`<p><a href="${all}">${label.all}</a></p>` : ''
  const addUrl = pageUrl('records.php', { ...baseParams, resource: other.name, new: 1, [filter]: id })
  const add = isIndirect || !request.canWrite ? '' : html`<p><a href="${addUrl}">${label.add}</a></p>`
  return html`<section><h2><a href="${all}">${label.many}</a></h2>!${list}!${more}!${add}</section>`
}

/** For an indirectly related record, links to the record in between, such as the employee who holds the hardware. */
function parentLink(
  request: RecordRequest,
  other: Resource,
  record: PanelRecord,
  filter: string,
  isIndirect: boolean,
): string {
  const reference = Object.keys(other.fields).find(
    (name) => other.fields[name]!.kind === 'reference' && name !== filter,
  )
  return isIndirect && reference
    ? html`<small>!${showField(request, record, reference, other.fields[reference]!)}</small>`
    : ''
}

/** Shows the latest assignments; a link leads to the full history. */
const maxHolders = 20

/** Lists who held the record and when. Empty for resources that are not assigned. */
async function showAssignments(request: RecordRequest, id: number): Promise<string> {
  const { deps, tenant, resources, resource, texts } = request
  const reference = assignmentOf(resource)
  const field = reference === undefined ? undefined : resource.fields[reference]
  if (reference === undefined || field?.kind !== 'reference') return ''
  const found = await deps.storage.run(tenant, 'assignments', {
    resource: resource.name,
    key: byId(id),
    timeoutMs: deps.listTimeoutMs,
  })
  const { assignments } = JSON.parse(found?.body ?? '{"assignments":[]}') as {
    assignments: Record<string, string | null>[]
  }
  const holders = resourceNamed(resources, field.to)
  const items = await Promise.all(
    assignments
      .slice(-maxHolders)
      .toReversed()
      .map(async ({ from, to, [reference]: holder }) => {
        const name = await holderLink(request, holders, Number(holder))
        const end = to ? timeElement(texts, to) : html`${texts.records.today}`
        return html`<li>!${name} <small>!${timeElement(texts, from!)} – !${end}</small></li>`
      }),
  )
  const earlier = pageUrl('activity.php', {
    tenant: request.baseParams.tenant,
    resource: resource.name,
    id,
    action: 'update',
  })
  const more = assignments.length > maxHolders ? html`<p><a href="${earlier}">${texts.records.earlier}</a></p>` : ''
  return section(resourceTexts(texts, resource.name).assignments, html`<ol class="related">!${items}</ol>!${more}`)
}

/** Links to the holder by title, or shows only the id if the record was deleted. */
async function holderLink(request: RecordRequest, resource: Resource, id: number): Promise<string> {
  const found = await findRecord(request, resource, id)
  if (!found) return html`#${id}`
  return html`<a href="${recordUrl(request, resource.name, id)}">${titleOf(found.record, resource.title)}</a>`
}
