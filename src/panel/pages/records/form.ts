// The forms that add, change and delete a record, made from the resource's declaration.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { Field } from '../../../resources/resource.ts'
import { validateChanges, validateNew } from '../../../resources/validate.ts'
import { input, titleOf } from '../../components/record-fields.ts'
import { fieldLabel, resourceLabel, type Texts } from '../../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, recordAddress, redirectTo } from '../../request.ts'
import { readRecord } from './detail.ts'
import { invalid, makeChange, type Outcome } from './mutations.ts'
import { pickOptions } from './reference-picker.ts'
import type { RecordRequest } from './request.ts'

/** What a form shows: its values as text, what is wrong with them, and the state of the record that they are of. */
type Draft = {
  values: Record<string, unknown>
  errors: Record<string, string>
  complaint?: string
  etag?: string
  status?: number
}

/** A new record can begin with values of the address: an employee of this customer. */
export function showNewForm(visit: RecordRequest): Promise<PageResponse> {
  const given = Object.fromEntries([...visit.query].filter(([name]) => name in visit.resource.fields))
  return form(visit, null, { values: { ...defaults(visit.resource.fields), ...given }, errors: {} })
}

function defaults(fields: Record<string, Field>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'default' in field ? field.default : null]),
  )
}

export async function showEditForm(visit: RecordRequest, id: number): Promise<PageResponse> {
  const { record, etag } = await readRecord(visit, id)
  return form(visit, id, { values: record, errors: {}, etag })
}

/** Adds or changes a record. What is refused comes back as it was typed, with the reasons beside the fields. */
export async function saveRecord(visit: RecordRequest, id: number | null): Promise<PageResponse> {
  if (visit.form.has('find')) return form(visit, id, { values: readForm(visit), errors: {}, ...etagOf(visit.form) })
  const outcome = await save(visit, id)
  if ('record' in outcome) {
    return redirectTo('records.php', { ...visit.place, id: outcome.record.id, said: id === null ? 'created' : 'saved' })
  }
  if (outcome.code === 'not_found') throw new PageError(404, 'not_found')
  if (outcome.code === 'precondition_failed') return showChangedMeanwhile(visit, id!)
  const errors = sentences(visit, outcome)
  const { sentBefore, invalid } = visit.texts.records
  const complaint = outcome.code === 'idempotency_key_reused' ? sentBefore : invalid
  const draft = { values: readForm(visit), errors, complaint, status: 422 }
  return form(visit, id, { ...draft, ...etagOf(visit.form) })
}

async function save(visit: RecordRequest, id: number | null): Promise<Outcome> {
  const { resource, form: sent } = visit
  const values = readForm(visit)
  try {
    if (id === null) {
      const request = {
        action: 'create',
        resource: resource.name,
        values: validateNew(resource, values),
        location: '',
      } as const
      return await makeChange(visit, request)
    }
    const ifMatch = sent.get('etag')
    const request = {
      action: 'update',
      resource: resource.name,
      id,
      values: validateChanges(resource, values),
      ifMatch,
    } as const
    return await makeChange(visit, request)
  } catch (error) {
    return invalid(error)
  }
}

/** A field that was not sent stays as it is. Of a checkbox and its stand-in the last one counts; browsers end lines in two
 *  characters. */
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

async function showChangedMeanwhile(visit: RecordRequest, id: number): Promise<PageResponse> {
  const { record, etag } = await readRecord(visit, id)
  return form(visit, id, {
    values: record,
    errors: {},
    complaint: visit.texts.records.changedMeanwhile,
    etag,
    status: 412,
  })
}

/** What is wrong, by field. A reference whose record is gone is told by a code of its own. */
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

async function form(visit: RecordRequest, id: number | null, draft: Draft): Promise<PageResponse> {
  const { texts, resource, place, formToken } = visit
  const { one } = resourceLabel(texts, resource.name)
  const title =
    id === null ? texts.records.new(one) : texts.records.editTitle(titleOf({ ...draft.values, id }, resource.title))
  const inputs = await Promise.all(
    Object.entries<Field>(resource.fields).map(async ([name, field]) =>
      input(texts, {
        ...{ name, field, value: draft.values[name], error: draft.errors[name] },
        options: field.kind === 'reference' ? await pickOptions(visit, name, field, draft.values[name]) : '',
      }),
    ),
  )
  const action = pageUrl('records.php', id === null ? { ...place, new: 1 } : { ...place, id, edit: 1 })
  const back = id === null ? pageUrl('records.php', place) : recordAddress(visit, resource.name, id)
  const body = html`!${complaints(texts, draft)}
<form method="post" action="${action}" class="record" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="once" value="${randomUUID()}">
!${draft.etag === undefined ? '' : html`<input type="hidden" name="etag" value="${draft.etag}">`}
<div class="grid">!${inputs.join('')}</div>
<p class="actions"><button class="main">${texts.save}</button> <a href="${back}">${texts.cancel}</a></p>
</form>`
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

/** What is wrong, at the top, each leading to its field. */
function complaints(texts: Texts, { complaint, errors }: Draft): string {
  if (complaint === undefined) return ''
  const items = Object.entries(errors).map(
    ([name, sentence]) => html`<li><a href="#${name}">${fieldLabel(texts, name)}</a>: ${sentence}</li>`,
  )
  return html`<div class="complaint" role="alert"><p>${complaint}</p>!${items.length > 0 ? `<ul>${items.join('')}</ul>` : ''}</div>`
}

export async function showDeleteForm(visit: RecordRequest, id: number, complaint?: string): Promise<PageResponse> {
  const { texts, resource, place, formToken } = visit
  const { record, etag } = await readRecord(visit, id)
  const said = complaint === undefined ? '' : html`<div class="complaint" role="alert"><p>${complaint}</p></div>`
  const body = html`!${said}
<p>${texts.records.deleteHelp}</p>
<form method="post" action="${pageUrl('records.php', { ...place, id, delete: 1 })}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="once" value="${randomUUID()}">
<input type="hidden" name="etag" value="${etag}">
<p class="actions"><button class="danger">${texts.records.deleteSubmit}</button> <a href="${recordAddress(visit, resource.name, id)}">${texts.cancel}</a></p>
</form>`
  const title = texts.records.deleteTitle(titleOf(record, resource.title))
  return { kind: 'page', title, body, status: complaint === undefined ? 200 : 409 }
}

export async function deleteRecord(visit: RecordRequest, id: number): Promise<PageResponse> {
  const { texts, resource, form: sent, place } = visit
  const outcome = await makeChange(visit, { action: 'delete', resource: resource.name, id, ifMatch: sent.get('etag') })
  if ('record' in outcome) return redirectTo('records.php', { ...place, said: 'deleted' })
  if (outcome.code === 'not_found') throw new PageError(404, 'not_found')
  if (outcome.code === 'conflict') return showDeleteForm(visit, id, texts.records.notDeleted)
  return showDeleteForm(visit, id, texts.records.changedMeanwhile)
}
