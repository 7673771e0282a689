// The forms that add and edit a record, generated from the resource's declaration.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { byId, type Field, type Resource, writableFields } from '../../../resources/resource.ts'
import { validateChanges, validateNew } from '../../../resources/validate.ts'
import { errorSummary, hiddenField, submitButton } from '../../components/forms.ts'
import { input, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { amountMessage, parseAmount } from '../../i18n/conventions.ts'
import { fieldLabel, resourceTexts, type Texts } from '../../i18n/index.ts'
import { takeKeptForm } from '../../kept-form.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { type ChooserField, chooser, withChosen } from '../search/choices.ts'
import { type Outcome, runMutation, toInvalidOutcome } from './mutations.ts'
import { readRecord } from './queries.ts'
import type { RecordRequest } from './request.ts'

/** The state of a form. `etag` is the version of the record that the user is editing. `notice`: not an error. `sent`:
 *  the form that the values are from, if it is not that of the request. */
type Draft = {
  values: Record<string, unknown>
  errors: Record<string, string>
  summary?: string
  notice?: string
  etag?: string
  status?: number
  sent?: URLSearchParams
}

/** The query can prefill fields: `?customer_id=3` adds an employee to that customer. */
export function showNewForm(request: RecordRequest): Promise<PageResponse> {
  const given = Object.fromEntries([...request.query].filter(([name]) => name in request.resource.fields))
  const values = { ...defaults(request.resource.fields), ...given }
  return form(request, null, keptDraft(request) ?? { values, errors: {} })
}

/** The form as it was submitted after its session had ended. */
function keptDraft(request: RecordRequest): Draft | undefined {
  const sent = takeKeptForm(request)
  if (!sent) return undefined
  const notice = request.texts.recordPages.kept.filledIn
  return { values: readForm({ ...request, form: sent }), errors: {}, notice, sent, ...etagOf(sent) }
}

function defaults(fields: Record<string, Field>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'default' in field ? field.default : null]),
  )
}

export async function showEditForm(request: RecordRequest, id: number): Promise<PageResponse> {
  const { record, etag } = await readRecord(request, id)
  return form(request, id, keptDraft(request) ?? { values: record, errors: {}, etag })
}

/** Creates or updates a record. On errors, shows the form again with the submitted values and a message per field. */
export async function saveRecord(submitted: RecordRequest, id: number | null): Promise<PageResponse> {
  if (submitted.form.has('find'))
    return form(submitted, id, { values: readForm(submitted), errors: {}, ...etagOf(submitted.form) })
  const { request, errors: notChosen } = await withChosen(submitted, referencesOf(submitted.resource))
  if (Object.keys(notChosen).length > 0) {
    const summary = request.texts.records.invalid
    return form(request, id, {
      ...{ values: readForm(request), errors: notChosen, summary, status: 422 },
      ...etagOf(request.form),
    })
  }
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
  const errors = fieldErrors(request, outcome)
  const { sentBefore, invalid } = request.texts.records
  const summary = outcome.code === 'idempotency_key_reused' ? sentBefore : invalid
  const draft = { values: readForm(request), errors, summary, status: 422 }
  return form(request, id, { ...draft, ...etagOf(request.form) })
}

function referencesOf({ fields }: Resource): ChooserField[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'reference' ? [{ name, resource: field.to }] : [],
  )
}

async function save(request: RecordRequest, id: number | null): Promise<Outcome> {
  const { resource, form: sent } = request
  const values = withMinorUnits(request, readForm(request))
  try {
    if (id === null) {
      const mutation = {
        action: 'create',
        resource: resource.name,
        ...validateNew(resource, values),
        location: '',
      } as const
      return await runMutation(request, mutation)
    }
    const ifMatch = sent.get('etag')
    const mutation = {
      action: 'update',
      resource: resource.name,
      key: byId(id),
      ...validateChanges(resource, values),
      ifMatch,
    } as const
    return await runMutation(request, mutation)
  } catch (error) {
    return toInvalidOutcome(error)
  }
}

/** Omitted fields keep their values. A checkbox sends a hidden 0 first, so the last value counts. Browsers send CRLF
 *  for line breaks. */
function readForm({ form, resource }: RecordRequest): Record<string, string> {
  return Object.fromEntries(
    Object.keys(resource.fields).flatMap((name) => {
      const given = form.getAll(name).at(-1)
      return given === undefined ? [] : [[name, given.replaceAll('\r\n', '\n')]]
    }),
  )
}

/** Amounts are typed in the tenant's currency, and stored in its minor units. */
function withMinorUnits({ resource, texts }: RecordRequest, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const field = resource.fields[name]!
      return [name, field.kind === 'integer' && field.isAmount ? parseAmount(texts, value) : value]
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
function fieldErrors(
  { texts, resource, form }: RecordRequest,
  outcome: Exclude<Outcome, { record: unknown }>,
): Record<string, string> {
  const missing = Object.entries<Field>(resource.fields).filter(
    ([, field]) => field.kind === 'reference' && field.missingCode === outcome.code,
  )
  const wrong = Object.entries(outcome.errors).map(([name, { code }]) => {
    const field = resource.fields[name]
    const isAmount = field?.kind === 'integer' && field.isAmount
    return [name, isAmount ? amountMessage(texts, form.getAll(name).at(-1) ?? '') : texts.errors[code]]
  })
  return Object.fromEntries([...wrong, ...missing.map(([name]) => [name, texts.records.missing])])
}

async function form(request: RecordRequest, id: number | null, draft: Draft): Promise<PageResponse> {
  const { texts, resource, baseParams, csrfToken } = request
  const title =
    id === null
      ? resourceTexts(texts, resource.name).new
      : texts.records.editTitle(titleOf({ ...draft.values, id }, resource.title))
  const inputs = await Promise.all(
    writableFields(resource).map(async ([name, field]) =>
      input(texts, {
        name,
        field,
        value: draft.values[name],
        error: draft.errors[name],
        options: field.kind === 'reference' ? await referenceField(request, name, field, draft) : '',
      }),
    ),
  )
  const action = pageUrl('records.php', id === null ? { ...baseParams, new: 1 } : { ...baseParams, id, edit: 1 })
  const back = id === null ? pageUrl('records.php', baseParams) : recordUrl(request, resource.name, id)
  const notice = draft.notice && html`<p class="notice" role="status">${draft.notice}</p>`
  const body = html`!${notice}!${formErrors(texts, draft)}
<form method="post" action="${action}" class="record" novalidate>
!${hiddenField('form_token', csrfToken)}
!${hiddenField('once', randomUUID())}
!${draft.etag === undefined ? '' : hiddenField('etag', draft.etag)}
<div class="grid">!${inputs}</div>
!${buttonRow(submitButton(texts.save, { kind: 'main' }), html`<a href="${back}">${texts.cancel}</a>`)}
</form>`
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

function referenceField(
  request: RecordRequest,
  name: string,
  { to: resource, required }: Field & { kind: 'reference' },
  { values, errors, sent }: Draft,
): Promise<string> {
  const field = { name, label: fieldLabel(request.texts, name), resource, error: errors[name] }
  return chooser(request, { ...field, ...(required && { required }) }, values[name], sent)
}

/** Lists all errors at the top, each linked to its field. */
function formErrors(texts: Texts, { summary, errors }: Draft): string {
  const items = Object.entries(errors).map(
    ([name, errorMessage]) => html`<li><a href="#${name}">${fieldLabel(texts, name)}</a>: ${errorMessage}</li>`,
  )
  return errorSummary(summary, items.length > 0 ? html`<ul>!${items}</ul>` : '')
}
