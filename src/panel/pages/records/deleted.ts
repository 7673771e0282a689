// A deleted record's page: its last values, who deleted it, and its history.

import { html } from 'ghtml'
import type { Field } from '../../../domain/declarations/resource.ts'
import { actorNames, type Entry, readChanges, recordTitles } from '../../components/activity/change-list.ts'
import { showValue, titleOf } from '../../components/record-fields.ts'
import { buttonRow, card, factList, section } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { fieldLabel, resourceTexts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { changeSetUrl, linkRecord, pageUrl } from '../../urls.ts'
import { recordTimeline } from './detail/timeline.ts'

/** Throws a PageError with 404 unless the record's newest change is its deletion. The page itself also has status 404.
 *  A status of 410 would say that the record is gone for good, but an undo may restore it. */
export async function showDeletedRecord(request: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, baseParams } = request
  const { entries } = await readChanges(request, { resource: resource.name, id, limit: 1 })
  const [deletion] = entries
  if (deletion?.action !== 'delete') throw new PageError(404, 'not_found')
  const [actors, details, history] = await Promise.all([
    actorNames(request, entries),
    lastDetails(request, deletion),
    recordTimeline(request, { id }),
  ])
  const sentence = texts.recordPages.deleted(formatDateTime(texts, deletion.at), actors(deletion))
  const listLink = html`<a href="${pageUrl('records.php', baseParams)}">${resourceTexts(texts, resource.name).all}</a>`
  const body = html`<p class="lead">${sentence}</p>
!${buttonRow(...undoLink(request, deletion), listLink)}
<div class="columns main-aside"><div>!${card(texts.records.details, details)}</div>
<div>!${section(texts.records.history, history)}</div></div>`
  return { kind: 'page', title: titleOf({ id, ...deletion.before }, resource.title, texts), body, status: 404 }
}

/** Links to the change set's page, where the user can undo the deletion. */
function undoLink(request: RecordRequest, { change_set }: Entry): string[] {
  if (change_set === null || !request.canWrite) return []
  const url = changeSetUrl(request, change_set)
  return [html`<a class="button" href="${url}">${request.texts.recordPages.restore}</a>`]
}

/** Shows the values that the record had when it was deleted. */
async function lastDetails(request: RecordRequest, deletion: Entry): Promise<string> {
  const { texts, resource } = request
  const titles = await recordTitles(request, [deletion])
  const facts = Object.entries<Field>(resource.fields).flatMap(([name, field]) => {
    const value = deletion.before?.[name] ?? null
    if (value === null) return []
    const title = field.kind === 'reference' ? titles(field.to, Number(value)) : undefined
    const isTitled = field.kind === 'reference' && title !== undefined
    const valueHtml = isTitled ? linkRecord(request, field.to, Number(value), title) : showValue(texts, field, value)
    return [[fieldLabel(texts, name), valueHtml] as const]
  })
  return factList(facts)
}
