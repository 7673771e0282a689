// Lists the newest records that refer to a record: for a branch, its people and the assets that these people hold.

import { html } from 'ghtml'
import type { Resource } from '../../../../domain/declarations/resource.ts'
import { filtersOf } from '../../../../domain/lists/request/options.ts'
import { stateBadge } from '../../../components/badge.ts'
import { includedRecord, type PanelRecord } from '../../../components/record-fields.ts'
import { relatedList } from '../../../components/sections.ts'
import { choiceLabel, resourceTexts } from '../../../i18n/index.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { readList } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { nameOf } from './wording.ts'

/** The page lists at most this many records per resource, and links to a list of all referring records. */
const maxShown = 10

export async function relatedRecords(request: RecordRequest, id: number): Promise<string> {
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
  const { texts, baseParams, canWrite } = request
  // Storage locations are left out, because the branch's figures already show how much is in stock.
  const kind: Record<string, string> = other.name === 'employees' ? { kind: 'person' } : {}
  const params = { [filter]: String(id), ...kind, limit: String(maxShown), sort: '-id' }
  const { records, next } = await readList(request, other, params)
  const label = resourceTexts(texts, other.name)
  const list =
    records.length === 0
      ? html`<p class="none">${label.empty}</p>`
      : relatedList(records.map((record) => relatedItem(request, other, record)))
  const listUrl = pageUrl('records.php', { ...baseParams, resource: other.name, [filter]: id })
  const more = next ? html`<p><a href="${listUrl}">${label.all}</a></p>` : ''
  const addUrl = pageUrl('records.php', { ...baseParams, resource: other.name, new: 1, [filter]: id })
  const add = isIndirect || !canWrite ? '' : html`<p><a href="${addUrl}">${label.add}</a></p>`
  return html`<section><h2><a href="${listUrl}">${label.many}</a></h2>!${list}!${more}!${add}</section>`
}

/** Shows an asset's state and holder, or a person's job. */
function relatedItem(request: RecordRequest, other: Resource, record: PanelRecord): string {
  const { texts, resources } = request
  const url = recordUrl(request, other.name, record.id)
  const link = html`<a href="${url}"><bdi>${nameOf(texts, other, record)}</bdi></a>`
  const state = typeof record.status === 'string' ? stateBadge(record.status, choiceLabel(texts, record.status)) : ''
  const holder = includedRecord(record, 'employee_id')
  const employees = resources.find(({ name }) => name === 'employees')
  const about = [
    ...[record.asset_tag, record.title, record.department].filter((each) => typeof each === 'string'),
    ...(holder && employees ? [nameOf(texts, employees, holder)] : []),
  ]
  return html`<li>!${link} !${state} <small><bdi>${about.join(' · ')}</bdi></small></li>`
}
