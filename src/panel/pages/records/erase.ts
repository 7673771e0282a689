// The page that erases a person's data: it removes the personal data from the record and from its history.

import { html } from 'ghtml'
import { personalFields } from '../../../domain/fields/personal-fields.ts'
import { erasePerson } from '../../../tenants/erase/erase.ts'
import { form, onceField, submitButton } from '../../components/forms/forms.ts'
import { titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { fieldLabel } from '../../i18n/index.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { readRecord } from './queries.ts'

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
