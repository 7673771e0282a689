// The page of a record: its head, its facts, what belongs to it, and its timeline.

import { html } from 'ghtml'
import { filtersOf } from '../../../../resources/lists/options.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { section } from '../../../components/sections.ts'
import type { PageResponse } from '../../../responses.ts'
import { heldItems } from '../../desk/actions.ts'
import { showDeletedRecord } from '../deleted.ts'
import { readList } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { assignmentCard } from './assignments.ts'
import { branchFigures } from './branch-figures.ts'
import { factCards } from './facts.ts'
import { recordHead } from './head.ts'
import { relatedRecords } from './related.ts'
import { repairLog } from './repairs.ts'
import { recordTimeline } from './timeline.ts'
import { nameOf } from './wording.ts'

export async function showRecord(request: RecordRequest, id: number): Promise<PageResponse> {
  const { resource, texts } = request
  const include = filtersOf(resource, request.resources).includes.map(({ name }) => name)
  const params = { 'id[in]': String(id), limit: '1', ...(include.length > 0 && { include: include.join(',') }) }
  const { records } = await readList(request, resource, params)
  const [record] = records
  if (!record) return showDeletedRecord(request, id)
  const [head, figures, related, assignment, history, repairs] = await Promise.all([
    recordHead(request, record),
    resource.name === 'customers' ? branchFigures(request, id) : '',
    showRelated(request, record),
    assignmentCard(request, record),
    recordTimeline(request, id),
    repairLog(request, id),
  ])
  const facts = factCards(request, record)
  const isAsset = resource.name === 'hardware'
  const left = isAsset ? html`!${assignment}!${facts}!${repairs}` : html`!${related}!${facts}`
  const right = html`!${isAsset ? '' : assignment}!${section(texts.records.history, history)}`
  const body = html`!${head}!${figures}
<div class="columns main-aside"><div>!${left}</div><div>!${right}</div></div>`
  return { kind: 'page', title: nameOf(texts, resource, record), hasHead: true, body }
}

function showRelated(request: RecordRequest, record: PanelRecord): Promise<string> {
  return request.resource.name === 'employees' ? heldItems(request, record) : relatedRecords(request, record.id)
}
