// The page that deletes a record. If other records refer to the record, the page lists them and has no delete button.

import { html } from 'ghtml'
import { byId, type Field, type Resource } from '../../../domain/declarations/resource.ts'
import { referencesTo } from '../../../domain/records/dependents.ts'
import { errorSummary, form, hiddenField, onceField, submitButton } from '../../components/forms/forms.ts'
import { titleOf } from '../../components/record-fields.ts'
import { buttonRow, relatedList, section } from '../../components/sections.ts'
import { ownText, resourceTexts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { linkRecord, listUrl, pageUrl, recordUrl, safePagePath } from '../../urls.ts'
import { submitMutation } from './mutations.ts'
import { type FoundRecord, readList, readRecord } from './queries.ts'

/** For each resource, the page links to at most this many referring records, and to a list of all referring records. */
const maxShown = 10

export async function showDeleteForm(request: RecordRequest, id: number): Promise<PageResponse> {
  const current = await readRecord(request, id)
  return (await refusal(request, current.record)) ?? deleteForm(request, current)
}

export async function submitDeletion(request: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, form: formValues } = request
  const ifMatch = formValues.get('etag')
  const outcome = await submitMutation(request, { action: 'delete', resource: resource.name, key: byId(id), ifMatch })
  if ('record' in outcome) {
    const text = texts.recordPages.toasts.deleted(formValues.get('title') ?? '')
    const toast = { text, ...(outcome.changeSet && { changeSet: outcome.changeSet }) }
    return { kind: 'redirect', to: safePagePath(formValues.get('back') ?? listUrl(request, resource.name)), toast }
  }
  if (outcome.code === 'not_found') throw new PageError(404, 'not_found')
  const current = await readRecord(request, id)
  const refused = outcome.code === 'conflict' ? await refusal(request, current.record) : undefined
  return refused ?? deleteForm(request, current, texts.recordPages.delete.changed)
}

/** A script replaces the list by the one that the record was opened from (scripts/selection.js). */
function listField(request: RecordRequest): string {
  const url = listUrl(request, request.resource.name)
  return html`<input type="hidden" name="back" value="${url}" data-list="${url}">`
}

function deleteForm(request: RecordRequest, { record, etag }: FoundRecord, summary?: string): PageResponse {
  const { texts, resource, baseParams } = request
  const cancel = html`<a href="${recordUrl(request, resource.name, record.id)}">${texts.cancel}</a>`
  const button = submitButton(resourceTexts(texts, resource.name).delete, { kind: 'danger' })
  const name = titleOf(record, resource.title, texts)
  const fields = [onceField(), hiddenField('etag', etag), hiddenField('title', name)]
  const action = pageUrl('records.php', { ...baseParams, id: record.id, delete: 1 })
  const body = html`!${errorSummary(summary)}
<p>${texts.recordPages.delete.help}</p>
!${form(request, action, [...fields, listField(request), buttonRow(button, cancel)].join(''))}`
  const title = texts.records.deleteTitle(name)
  return { kind: 'page', title, body, status: summary === undefined ? 200 : 409 }
}

/** Returns the page that lists the records to move or delete first; undefined if there are no such records. */
async function refusal(request: RecordRequest, record: FoundRecord['record']): Promise<PageResponse | undefined> {
  const { texts, resource, resources } = request
  const lists = referencesTo(resource, resources).flatMap(({ from, fields }) =>
    fields.flatMap((field) =>
      groupsOf(request, from).map(({ filter, group }) =>
        dependentsList(request, from, { [field]: String(record.id), ...filter }, group),
      ),
    ),
  )
  const dependents = (await Promise.all(lists)).join('')
  if (dependents === '') return undefined
  const url = recordUrl(request, resource.name, record.id)
  const back = html`<a class="button" href="${url}">${texts.recordPages.back}</a>`
  const title = texts.recordPages.delete.refused(titleOf(record, resource.title, texts))
  const body = closingLink(request, record) + dependents + buttonRow(back)
  return { kind: 'page', title, body, status: request.isForm ? 409 : 200 }
}

/** Recommends to close a branch instead, which moves its people and stock; empty for other records. */
function closingLink({ texts, presentation, baseParams }: RecordRequest, record: FoundRecord['record']): string {
  if (presentation.actions !== 'branch' || !record.is_active) return ''
  const url = pageUrl('close_branch.php', { tenant: baseParams.tenant, id: record.id })
  const link = html`<a class="button main" href="${url}">${texts.closeBranch.link}</a>`
  return html`<p class="lead">${texts.closeBranch.insteadOfDeleting}</p>!${buttonRow(link)}`
}

/** The records of a resource that the page lists together. `group`: the value that they share; undefined if the page
 *  lists all records of the resource. */
type Group = { filter: Record<string, string>; group: string | undefined }

/** Returns the groups that the page lists separately: people and storage locations, which are records of the same
 *  resource. */
function groupsOf({ deps }: RecordRequest, from: Resource): Group[] {
  const [name] = Object.keys(deps.presentationOf(from).impliedFilters)
  const field: Field | undefined = from.fields[name ?? '']
  if (name === undefined || field?.kind !== 'choice') return [{ filter: {}, group: undefined }]
  return field.of.map((value) => ({ filter: { [name]: value }, group: value }))
}

async function dependentsList(
  request: RecordRequest,
  from: Resource,
  filter: Record<string, string>,
  group: string | undefined,
): Promise<string> {
  const { texts } = request
  const { records, total } = await readList(request, from, { ...filter, limit: String(maxShown), total: 'true' })
  if (records.length === 0) return ''
  const count = total ?? records.length
  const links = records.map(
    (each) => html`<li>!${linkRecord(request, from.name, each.id, titleOf(each, from.title, texts))}</li>`,
  )
  const { groups, wayOut, otherWayOut } = texts.recordPages.delete
  const name = group ?? from.name
  const countText = ownText<(count: number) => string>(groups, name) ?? resourceTexts(texts, from.name).count
  const url = listUrl(request, from.name, filter)
  const more =
    count > records.length ? html`<p><a href="${url}">${texts.recordPages.showAll(countText(count))}</a></p>` : ''
  const advice = ownText<string>(wayOut, name) ?? ownText<string>(wayOut, from.name) ?? otherWayOut
  return section(countText(count), html`<p>${advice}</p>!${relatedList(links)}!${more}`)
}
