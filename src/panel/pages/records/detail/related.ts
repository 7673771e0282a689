// Lists the newest records that refer to a record: for a branch, its people and the assets that these people hold.

import { html } from 'ghtml'
import { type Resource, resourceNamed } from '../../../../domain/declarations/resource.ts'
import type { PastItem } from '../../../../domain/history/assignments.ts'
import { historyOperations } from '../../../../domain/history/operations.ts'
import { type Filter, filtersOf } from '../../../../domain/lists/request/options.ts'
import { stateBadge } from '../../../components/badge.ts'
import { includedRecord, type PanelRecord, titleOf } from '../../../components/record-fields.ts'
import { relatedList } from '../../../components/sections.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { choiceLabel, formatDate, resourceTexts, type Texts } from '../../../i18n/index.ts'
import { readRecords } from '../../../read-records.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { readList } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { recordName } from './wording.ts'

/** The page lists at most this many records per resource, and links to a list of all referring records. */
const maxShown = 10

/** Leaves out the assets that a person holds, which that person's page lists separately. */
export async function relatedRecords(request: RecordRequest, { id }: PanelRecord): Promise<string> {
  const { resources, resource, presentation } = request
  const listsItems = presentation.page.left.includes('held_items')
  const others = resources.filter(({ name }) => !(listsItems && name === 'hardware'))
  const lists = others.flatMap((other) =>
    filtersOf(other, resources)
      .filters.filter(({ field }) => field.kind === 'reference' && field.to === resource.name)
      .map((filter) => relatedSection(request, other, filter, id)),
  )
  return (await Promise.all(lists)).join('')
}

async function relatedSection(request: RecordRequest, other: Resource, filter: Filter, id: number): Promise<string> {
  const { texts, baseParams, canWrite, deps } = request
  const { impliedFilters } = deps.presentationOf(other)
  const params = { [filter.name]: String(id), ...impliedFilters, limit: String(maxShown), sort: '-id' }
  const { records, next } = await readList(request, other, params)
  const label = resourceTexts(texts, other.name)
  const list =
    records.length === 0
      ? html`<p class="none">${label.empty}</p>`
      : relatedList(records.map((record) => relatedItem(request, other, record)))
  const listUrl = pageUrl('records.php', { ...baseParams, resource: other.name, [filter.name]: id })
  const more = next ? html`<p><a href="${listUrl}">${label.all}</a></p>` : ''
  const addUrl = pageUrl('records.php', { ...baseParams, resource: other.name, new: 1, [filter.name]: id })
  const add = filter.via || !canWrite ? '' : html`<p><a href="${addUrl}">${label.add}</a></p>`
  return html`<section><h2><a href="${listUrl}">${label.many}</a></h2>!${list}!${more}!${add}</section>`
}

/** Shows an asset's state and holder, or a person's job. */
function relatedItem(request: RecordRequest, other: Resource, record: PanelRecord): string {
  const { texts, resources } = request
  const url = recordUrl(request, other.name, record.id)
  const link = html`<a href="${url}"><bdi>${recordName(request, other, record)}</bdi></a>`
  const state = typeof record.status === 'string' ? stateBadge(record.status, choiceLabel(texts, record.status)) : ''
  const holder = includedRecord(record, 'employee_id')
  const employees = resources.find(({ name }) => name === 'employees')
  const about = [
    ...[record.asset_tag, record.title, record.department].filter((each) => typeof each === 'string'),
    ...(holder && employees ? [recordName(request, employees, holder)] : []),
  ]
  return html`<li>!${link} !${state} <small><bdi>${about.join(' · ')}</bdi></small></li>`
}

/** The page lists at most this many assets, the latest first. */
const maxPastItems = 50

/** Returns an empty string for storage locations, and for people without past assets. */
export async function pastItems(request: RecordRequest, { id, kind }: PanelRecord): Promise<string> {
  const { deps, tenant, resources, texts } = request
  if (kind === 'storage') return ''
  const input = { holder: id, limit: maxPastItems, timeoutMs: deps.listTimeoutMs }
  const items = await deps.engine.run(tenant, historyOperations.pastItems, input)
  if (items.length === 0) return ''
  const hardware = resourceNamed(resources, 'hardware')
  const records = await readRecords(request, hardware, [...new Set(items.map((item) => item.id))])
  const names = new Map(records.map((each) => [each.id, titleOf(each, hardware.title)]))
  const list = items.map(
    (item) => html`<li>!${itemLink(request, item, names)} <small>${period(texts, item)}</small></li>`,
  )
  return html`<details><summary>${texts.recordPages.pastItems} <small>${items.length}</small></summary>
<ol class="related">!${list}</ol></details>`
}

/** A deleted asset has no title, so its id is shown. */
function itemLink(request: RecordRequest, { id }: PastItem, names: Map<number, string>): string {
  return html`<a href="${recordUrl(request, 'hardware', id)}"><bdi>${names.get(id) ?? `#${id}`}</bdi></a>`
}

function period(texts: Texts, { from, to }: PastItem): string {
  const [start, end] = [from, to].map((moment) => moment && formatDate(texts, dayOf(texts, new Date(moment))))
  return start === null ? texts.recordPages.until(end!) : `${start} – ${end}`
}
