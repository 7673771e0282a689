// A record's page: its head, its facts, its related records, and its timeline.

import { html } from 'ghtml'
import { daysAfter } from '../../../../domain/lists/request/operands.ts'
import { filtersOf } from '../../../../domain/lists/request/options.ts'
import { summaryOperations } from '../../../../domain/summary/operations.ts'
import { currentPeople } from '../../../../domain/views/built-in.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { type Stat, section, stats } from '../../../components/sections.ts'
import { dayOf, formatWholeAmount, noticeDaysOf } from '../../../i18n/conventions.ts'
import { choiceLabel, formatNumber, resourceTexts } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import type { PagePart } from '../../../resources/presentation.ts'
import type { PageResponse } from '../../../responses.ts'
import { listUrl, recordUrl } from '../../../urls.ts'
import { heldItems } from '../../desk/actions.ts'
import { showDeletedRecord } from '../deleted.ts'
import { formErrors } from '../form/render.ts'
import { futureNote } from '../past.ts'
import { readList } from '../queries.ts'
import { assignmentCard } from './assignments.ts'
import { factCards } from './facts.ts'
import { type FieldEdit, type OpenField, openField } from './field-form.ts'
import { recordHead } from './head.ts'
import { pastItems, relatedRecords } from './related.ts'
import { repairLog, withoutRepairNotes } from './repairs.ts'
import { recordTimeline } from './timeline.ts'
import { recordName } from './wording.ts'

/** `edit`: the field that the user is editing in place. */
export async function showRecord(request: RecordRequest, id: number, edit?: FieldEdit): Promise<PageResponse> {
  const { resource, texts } = request
  const include = filtersOf(resource, request.resources).includes.map(({ name }) => name)
  const params = { 'id[in]': String(id), limit: '1', ...(include.length > 0 && { include: include.join(',') }) }
  const { records } = await readList(request, resource, params)
  const [record] = records
  if (!record) return showDeletedRecord(request, id)
  // An invalid field shows its own error and receives the focus.
  const messages = edit && edit.draft.errors?.[edit.name] === undefined ? formErrors(texts, edit.draft) : ''
  const editedField = edit && (await openField(request, id, edit))
  const show = async (names: readonly PagePart[]) =>
    (await Promise.all(names.map((name) => parts[name](request, record, editedField)))).join('')
  const { page } = request.presentation
  const [top, left, right] = await Promise.all([show(page.top), show(page.left), show(page.right)])
  const future = futureNote(request, texts.recordPages.asOfFuture, recordUrl(request, resource.name, id))
  const body = html`!${future}!${messages}!${recordHead(request, record)}!${top}
<div class="columns main-aside"><div>!${left}</div><div>!${right}</div></div>`
  const status = edit?.draft.status ?? 200
  return { kind: 'page', title: recordName(request, resource, record), bodyHasHeading: true, body, status }
}

type Part = (request: RecordRequest, record: PanelRecord, editedField?: OpenField) => string | Promise<string>

const parts: Record<PagePart, Part> = {
  facts: async (request, record, editedField) => {
    const hasRepairs = request.presentation.page.left.includes('repairs') && editedField?.name !== 'notes'
    return factCards(request, hasRepairs ? await withoutRepairNotes(request, record) : record, editedField)
  },
  assignments: assignmentCard,
  history: async (request, record) => section(request.texts.records.history, await recordTimeline(request, record)),
  related: relatedRecords,
  repairs: repairLog,
  held_items: heldItems,
  past_items: pastItems,
  branch_figures: branchFigures,
}

async function branchFigures(request: RecordRequest, { id }: PanelRecord): Promise<string> {
  const { deps, tenant, texts } = request
  const today = dayOf(texts, deps.now())
  const noticeDays = noticeDaysOf(texts)
  const period = { today, warrantyTo: daysAfter(today, noticeDays) }
  const found = await deps.engine.run(tenant, summaryOperations.branchSummary, {
    id,
    ...period,
    timeoutMs: deps.listTimeoutMs,
  })
  const list = (resource: string, filter: Record<string, string>) =>
    listUrl(request, resource, { customer_id: id, ...filter })
  const figure = (count: number, label: string, to: string): Stat => ({ figure: formatNumber(texts, count), label, to })
  const ending = { warranty: `${noticeDays}d`, 'status[in]': 'in_use,spare,reserved,in_repair' }
  return stats([
    figure(found.people, texts.home.currentPeople, list('employees', currentPeople)),
    figure(found.assets, resourceTexts(texts, 'hardware').many, list('hardware', {})),
    figure(found.spare, choiceLabel(texts, 'spare'), list('hardware', { status: 'spare' })),
    figure(found.warranties, texts.recordPages.warrantiesEnding(noticeDays), list('hardware', ending)),
    {
      figure: formatWholeAmount(texts, found.cost),
      label: texts.home.value,
      to: list('hardware', { sort: '-purchase_cost' }),
    },
  ])
}
