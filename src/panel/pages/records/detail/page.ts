// A record's page: its head, its facts, its related records, and its timeline.

import { html } from 'ghtml'
import { filtersOf } from '../../../../domain/lists/request/options.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { section } from '../../../components/sections.ts'
import type { Texts } from '../../../i18n/index.ts'
import type { PageResponse } from '../../../responses.ts'
import { heldItems } from '../../desk/actions.ts'
import { showDeletedRecord } from '../deleted.ts'
import { formErrors } from '../form/render.ts'
import { readList } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { assignmentCard } from './assignments.ts'
import { branchFigures } from './branch-figures.ts'
import { factCards } from './facts.ts'
import { type FieldEdit, openField } from './field-form.ts'
import { recordHead } from './head.ts'
import { pastItems } from './past-items.ts'
import { relatedRecords } from './related.ts'
import { repairLog } from './repairs.ts'
import { recordTimeline } from './timeline.ts'
import { nameOf } from './wording.ts'

/** `edit`: the field that the user is editing in place. */
export async function showRecord(request: RecordRequest, id: number, edit?: FieldEdit): Promise<PageResponse> {
  const { resource, texts } = request
  const include = filtersOf(resource, request.resources).includes.map(({ name }) => name)
  const params = { 'id[in]': String(id), limit: '1', ...(include.length > 0 && { include: include.join(',') }) }
  const { records } = await readList(request, resource, params)
  const [record] = records
  if (!record) return showDeletedRecord(request, id)
  const editedField = edit && (await openField(request, id, edit))
  const [head, figures, related, assignment, history, repairs, pastAssets] = await Promise.all([
    recordHead(request, record),
    resource.name === 'customers' ? branchFigures(request, id) : '',
    showRelated(request, record),
    assignmentCard(request, record, editedField),
    recordTimeline(request, record),
    repairLog(request, id),
    pastItems(request, record),
  ])
  const facts = factCards(request, record, editedField)
  const isAsset = resource.name === 'hardware'
  const left = isAsset ? html`!${assignment}!${facts}!${repairs}` : html`!${related}!${pastAssets}!${facts}`
  const right = html`!${isAsset ? '' : assignment}!${section(texts.records.history, history)}`
  const body = html`!${edit && messagesOf(texts, edit)}!${head}!${figures}
<div class="columns main-aside"><div>!${left}</div><div>!${right}</div></div>`
  return {
    kind: 'page',
    title: nameOf(texts, resource, record),
    bodyHasHeading: true,
    body,
    status: edit?.draft.status ?? 200,
  }
}

/** Renders the messages that the field's form does not show. An invalid field shows its own error and receives the
 *  focus. */
function messagesOf(texts: Texts, { name, draft }: FieldEdit): string {
  return draft.errors?.[name] === undefined ? formErrors(texts, draft) : ''
}

function showRelated(request: RecordRequest, record: PanelRecord): Promise<string> {
  return request.resource.name === 'employees' ? heldItems(request, record) : relatedRecords(request, record.id)
}
