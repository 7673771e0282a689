// The forms that add, edit and delete a record, generated from the resource's declaration.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { Field } from '../../../resources/resource.ts'
import { validateChanges, validateNew } from '../../../resources/validate.ts'
import { input, titleOf } from '../../components/record-fields.ts'
import { fieldLabel, resourceLabel, type Texts } from '../../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, recordUrl, redirectTo } from '../../request.ts'
import { readRecord } from './detail.ts'
import { type Outcome, runMutation, toInvalidOutcome } from './mutations.ts'
import { pickOptions } from './reference-picker.ts'
import type { RecordRequest } from './request.ts'

/** The state of a form. `etag` is the version of the record that the user is editing. */
type Draft = {
  values: Record<string, unknown>
  errors: Record<string, string>
  summary?: string
  etag?: string
  status?: number
}

/** The query can prefill fields: `?customer_id=3` adds an employee to that customer. */
export function showNewForm(request: RecordRequest): Promise<PageResponse> {
  const given = Object.fromEntries([...request.query].filter(([name]) => name in request.resource.fields))
  return form(request, null, { values: { ...defaults(request.resource.fields), ...given }, errors: {} })
}

function defaults(fields: Record<string, Field>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'default' in field ? field.default : null]),
  )
}

export async function showEditForm(request: RecordRequest, id: number): Promise<PageResponse> {
  const { record, etag } = await readRecord(request, id)
  return form(request, id, { values: record, errors: {}, etag })
}

/** Creates or updates a record. On errors, shows the form again with the submitted values and a message per field. */
export async function saveRecord(request: RecordRequest, id: number | null): Promise<PageResponse> {
  if (request.form.has('find'))
    return form(request, id, { values: readForm(request), errors: {}, ...etagOf(request.form) })
  const outcome = await save(request, id)
  if ('record' in outcome) {
    return redirectTo('records.php', {
      ...request.baseParams,
      id: outcome.record.id,
      notice: id === null ? 'created' : 'saved',
    })
  }
  if (outcome.code === 'not_found') throw new PageError(404, 'not_found')
  if (outcome.code === 'precondition_failed') return showChangedMeanwhile(request, id!)
  const errors = sentences(request, outcome)
  const { sentBefore, invalid } = request.texts.records
  const summary = outcome.code === 'idempotency_key_reused' ? sentBefore : invalid
  const draft = { values: readForm(request), errors, summary, status: 422 }
  return form(request, id, { ...draft, ...etagOf(request.form) })
}

async function save(request: RecordRequest, id: number | null): Promise<Outcome> {
  const { resource, form: sent } = request
  const values = readForm(request)
  try {
    if (id === null) {
      const mutation = {
        action: 'create',
        resource: resource.name,
        values: validateNew(resource, values),
        location: '',
      } as const
      return await runMutation(request, mutation)
    }
    const ifMatch = sent.get('etag')
    const mutation = {
      action: 'update',
      resource: resource.name,
      id,
      values: validateChanges(resource, values),
      ifMatch,
    } as const
    return await runMutation(request, mutation)
  } catch (error) {
    return toInvalidOutcome(error)
  }
}

/** Omitted fields keep their values. A checkbox sends a hidden 0 first, so the last value counts. Browsers send CRLF for
 *  line breaks. */
function readForm({ form, resource }: RecordRequest): Record<string, string> {
  return Object.fromEntries(
    Object.keys(resource.fields).flatMap((name) => {
      const given = form.getAll(name).at(-1)
      return given === undefined ? [] : [[name, given.replaceAll('\r\n', '\n')]]
    }),
  )
}

function etagOf(form: URLSearchParams): { etag?: string } {
  const etag = form.get('etag')
  return etag === null ? {} : { etag }
}

async function showChangedMeanwhile(request: RecordRequest, id: number): Promise<PageResponse> {
  const { record, etag } = await readRecord(request, id)
  return form(request, id, {
    values: record,
    errors: {},
    summary: request.texts.records.changedMeanwhile,
    etag,
    status: 412,
  })
}

/** Returns a message per field. A missing referenced record has its own problem code. */
function sentences(
  { texts, resource }: RecordRequest,
  outcome: Exclude<Outcome, { record: unknown }>,
): Record<string, string> {
  const missing = Object.entries<Field>(resource.fields).filter(
    ([, field]) => field.kind === 'reference' && field.missingCode === outcome.code,
  )
  const wrong = Object.entries(outcome.errors).map(([name, { code }]) => [name, texts.errors[code]])
  return Object.fromEntries([...wrong, ...missing.map(([name]) => [name, texts.records.missing])])
}

async function form(request: RecordRequest, id: number | null, draft: Draft): Promise<PageResponse> {
  const { texts, resource, baseParams, csrfToken } = request
  const { one } = resourceLabel(texts, resource.name)
  const title =
    id === null ? texts.records.new(one) : texts.records.editTitle(titleOf({ ...draft.values, id }, resource.title))
  const inputs = await Promise.all(
    Object.entries<Field>(resource.fields).map(async ([name, field]) =>
      input(texts, {
        ...{ name, field, value: draft.values[name], error: draft.errors[name] },
        options: field.kind === 'reference' ? await pickOptions(request, name, field, draft.values[name]) : '',
      }),
    ),
  )
  const action = pageUrl('records.php', id === null ? { ...baseParams, new: 1 } : { ...baseParams, id, edit: 1 })
  const back = id === null ? pageUrl('records.php', baseParams) : recordUrl(request, resource.name, id)
  const body = html`!${complaints(texts, draft)}
<form method="post" action="${action}" class="record" novalidate>
<input type="hidden" name="form_token" value="${csrfToken}">
<input type="hidden" name="once" value="${randomUUID()}">
!${draft.etag === undefined ? '' : html`<input type="hidden" name="etag" value="${draft.etag}">`}
<div class="grid">!${inputs.join('')}</div>
<p class="actions"><button class="main">${texts.save}</button> <a href="${back}">${texts.cancel}</a></p>
</form>`
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

/** Lists all errors at the top, each linked to its field. */
function complaints(texts: Texts, { summary, errors }: Draft): string {
  if (summary === undefined) return ''
  const items = Object.entries(errors).map(
    ([name, errorMessage]) => html`<li><a href="#${name}">${fieldLabel(texts, name)}</a>: ${errorMessage}</li>`,
  )
  return html`<div class="error-summary" role="alert"><p>${summary}</p>!${items.length > 0 ? `<ul>${items.join('')}</ul>` : ''}</div>`
}

export async function showDeleteForm(request: RecordRequest, id: number, summary?: string): Promise<PageResponse> {
  const { texts, resource, baseParams, csrfToken } = request
  const { record, etag } = await readRecord(request, id)
  const notice = summary === undefined ? '' : html`<div class="error-summary" role="alert"><p>${summary}</p></div>`
  const body = html`!${notice}
<p>${texts.records.deleteHelp}</p>
<form method="post" action="${pageUrl('records.php', { ...baseParams, id, delete: 1 })}">
<input type="hidden" name="form_token" value="${csrfToken}">
<input type="hidden" name="once" value="${randomUUID()}">
<input type="hidden" name="etag" value="${etag}">
<p class="actions"><button class="danger">${texts.records.deleteSubmit}</button> <a href="${recordUrl(request, resource.name, id)}">${texts.cancel}</a></p>
</form>`
  const title = texts.records.deleteTitle(titleOf(record, resource.title))
  return { kind: 'page', title, body, status: summary === undefined ? 200 : 409 }
}

export async function deleteRecord(request: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, form: sent, baseParams } = request
  const outcome = await runMutation(request, {
    action: 'delete',
    resource: resource.name,
    id,
    ifMatch: sent.get('etag'),
  })
  if ('record' in outcome) return redirectTo('records.php', { ...baseParams, notice: 'deleted' })
  if (outcome.code === 'not_found') throw new PageError(404, 'not_found')
  if (outcome.code === 'conflict') return showDeleteForm(request, id, texts.records.notDeleted)
  return showDeleteForm(request, id, texts.records.changedMeanwhile)
}
