// The page that deletes a record. If other records refer to the record, the page lists them and has no delete button.
// Another page erases a person's data: it removes the personal data from the record and from its history.

import { html } from 'ghtml'
import { byId, type Field, type Resource } from '../../../domain/declarations/resource.ts'
import { personalFields } from '../../../domain/fields/personal-fields.ts'
import { referencesTo } from '../../../domain/records/dependents.ts'
import { erasePerson } from '../../../tenants/erase/erase.ts'
import { errorSummary, form, hiddenField, onceField, submitButton } from '../../components/forms/forms.ts'
import { titleOf } from '../../components/record-fields.ts'
import { buttonRow, relatedList, section } from '../../components/sections.ts'
import { fieldLabel, ownText, resourceTexts } from '../../i18n/index.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
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
      groupsOf(request, from).map((group) => dependentsList(request, from, { [field]: String(record.id), ...group })),
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

/** Returns the filters of the groups that the page lists separately: people and storage locations, which are records
 *  of the same resource. */
function groupsOf({ deps }: RecordRequest, from: Resource): Record<string, string>[] {
  const [name] = Object.keys(deps.presentationOf(from).impliedFilters)
  const field: Field | undefined = from.fields[name ?? '']
  return name !== undefined && field?.kind === 'choice' ? field.of.map((value) => ({ [name]: value })) : [{}]
}

async function dependentsList(request: RecordRequest, from: Resource, filter: Record<string, string>): Promise<string> {
  const { texts } = request
  const { records, total } = await readList(request, from, { ...filter, limit: String(maxShown), total: 'true' })
  if (records.length === 0) return ''
  const count = total ?? records.length
  const links = records.map(
    (each) => html`<li>!${linkRecord(request, from.name, each.id, titleOf(each, from.title, texts))}</li>`,
  )
  const { groups, wayOut, otherWayOut } = texts.recordPages.delete
  const group = Object.values(filter).at(-1)!
  const countText = ownText<(count: number) => string>(groups, group) ?? resourceTexts(texts, from.name).count
  const url = listUrl(request, from.name, filter)
  const more =
    count > records.length ? html`<p><a href="${url}">${texts.recordPages.showAll(countText(count))}</a></p>` : ''
  const advice = ownText<string>(wayOut, group) ?? ownText<string>(wayOut, from.name) ?? otherWayOut
  return section(countText(count), html`<p>${advice}</p>!${relatedList(links)}!${more}`)
}

/** Returns the form's URL; undefined for resources without personal data. */
export function eraseUrl({ resource, baseParams }: RecordRequest, id: number): string | undefined {
  if (personalFields(resource).length === 0) return undefined
  return pageUrl('records.php', { ...baseParams, id, erase: 1 })
}

export async function showEraseForm(request: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, baseParams } = request
  requirePersonalFields(request)
  const { record } = await readRecord(request, id)
  const { title, removed, kept, where, backups, submit } = texts.erasure
  const labels = personalFields(resource).map((name) => fieldLabel(texts, name))
  const sentences = [removed(labels.join(', ')), where, kept, backups]
  const cancel = html`<a href="${recordUrl(request, resource.name, id)}">${texts.cancel}</a>`
  const buttons = buttonRow(submitButton(submit, { kind: 'danger' }), cancel)
  const action = pageUrl('records.php', { ...baseParams, id, erase: 1 })
  const list = html`<ul>!${sentences.map((each) => html`<li>${each}</li>`)}</ul>`
  const body = list + form(request, action, onceField() + buttons)
  return { kind: 'page', title: title(titleOf(record, resource.title, texts)), body }
}

/** Erases the personal data. Then rewrites the database's free space in the background, because rewriting takes seconds
 *  for a large tenant. */
export async function submitErasure(request: RecordRequest, id: number): Promise<PageResponse> {
  const { deps, tenant, resource, actor, baseParams } = request
  requirePersonalFields(request)
  const input = changeInput(request, { resource: resource.name, id })
  const { status } = await erasePerson(deps, tenant, input, actor)
  if (status !== 200) throw new PageError(404, 'not_found')
  deps.engine.compact(tenant).catch((error: Error) => {
    deps.log.warn({ tenant: tenant.slug, reason: error.message }, "a database's free space was not rewritten")
  })
  return redirectTo('records.php', { ...baseParams, id, notice: 'erased' })
}

function requirePersonalFields({ resource }: RecordRequest): void {
  if (personalFields(resource).length === 0) throw new PageError(404, 'not_found')
}
