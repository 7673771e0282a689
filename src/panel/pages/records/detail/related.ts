// Lists the newest records that refer to a record: for a branch, its people and the assets that these people hold.

import { html } from 'ghtml'
import { type Resource, resourceNamed } from '../../../../domain/declarations/resource.ts'
import type { PastItem } from '../../../../domain/history/assignments.ts'
import { historyOperations } from '../../../../domain/history/operations.ts'
import type { Filter } from '../../../../domain/lists/request/options.ts'
import { fullTitleOf, type PanelRecord } from '../../../components/record-fields.ts'
import { buttonRow } from '../../../components/sections.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { formatDate, resourceTexts, type Texts } from '../../../i18n/index.ts'
import { readRecords } from '../../../read-records.ts'
import { toRecordRequest } from '../../../requests/authorize.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { linkRecord, listUrl } from '../../../urls.ts'
import { chosenColumns } from '../../lists/columns.ts'
import { recordTable } from '../../lists/table.ts'
import { readList, referringLists } from '../queries.ts'

/** The page lists at most this many records per resource, and links to a list of all referring records. */
const maxShown = 10

/** Leaves out the assets that a person holds, which that person's page lists separately. */
export async function relatedRecords(request: RecordRequest, { id }: PanelRecord): Promise<string> {
  const listsItems = request.presentation.page.left.includes('held_items')
  const lists = referringLists(request).filter(({ from }) => !(listsItems && from.name === 'hardware'))
  const sections = lists.map(({ from, filter }) => relatedSection(request, from, filter, id))
  return (await Promise.all(sections)).join('')
}

async function relatedSection(request: RecordRequest, other: Resource, filter: Filter, id: number): Promise<string> {
  const { texts, canWrite, deps } = request
  const { impliedFilters } = deps.presentationOf(other)
  const params = { [filter.name]: String(id), ...impliedFilters, limit: String(maxShown), sort: '-id' }
  const { records, next } = await readList(request, other, params)
  const label = resourceTexts(texts, other.name)
  const otherRequest = toRecordRequest(request, other.name)
  const today = dayOf(texts, deps.now())
  const list =
    records.length === 0
      ? html`<p class="none">${label.empty}</p>`
      : recordTable({ request: otherRequest, counts: {}, today }, chosenColumns(otherRequest, relatedColumns), records)
  const url = listUrl(request, other.name, { [filter.name]: id })
  const more = next ? html`<a href="${url}">${label.all}</a>` : ''
  const addUrl = listUrl(request, other.name, { new: 1, [filter.name]: id })
  const add = filter.via || !canWrite ? '' : html`<a href="${addUrl}">${label.add}</a>`
  const links = more || add ? buttonRow(more, add) : ''
  return html`<section><h2><a href="${url}">${label.many}</a></h2>!${list}!${links}</section>`
}

/** The columns next to a record's name: an asset's state, tag and holder, or a person's department. */
const relatedColumns = ['status', 'asset_tag', 'employee_name', 'department']

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
  const ids = items.map((item) => item.id)
  const records = await readRecords(request, 'hardware', ids)
  const { code } = deps.presentationOf(hardware)
  const list = items.map((item) => {
    const record = records.get(item.id)
    const name = record ? fullTitleOf(texts, record, hardware.title, code) : `#${item.id}`
    return html`<li>!${linkRecord(request, 'hardware', item.id, name)} <small>${period(texts, item)}</small></li>`
  })
  const summary = html`<summary>${texts.recordPages.pastItems} <small>${items.length}</small></summary>`
  return html`<section class="card"><details>!${summary}
<ol class="related">!${list}</ol></details></section>`
}

function period(texts: Texts, { from, to }: PastItem): string {
  const [start, end] = [from, to].map((moment) => moment && formatDate(texts, dayOf(texts, new Date(moment))))
  return start === null ? texts.recordPages.until(end!) : `${start} – ${end}`
}
