// /close_branch.php?id=…: closes a branch. The user chooses which branch receives its people and stock, sees what will
// move, and confirms.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { allChangeScopes } from '../../../access/scopes.ts'
import { errorSummary, form, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { changeContextOf, idempotencyKeyOf } from '../../requests/mutation-input.ts'
import { readId, readNumber, requireNumber } from '../../requests/read-number.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { findRecord, readRecord } from '../records/queries.ts'
import { type RecordRequest, toRecordRequest } from '../records/request.ts'
import { askForRecord } from '../search/ask-for-record.ts'
import { chooser, withChosenRecords } from '../search/choices.ts'
import { closedText, listMoves, showMoves } from './moves.ts'

const targetField = { name: 'customer_id', resource: 'customers', filter: { is_active: 'true' } }

const closedField = { ...targetField, name: 'id' }

/** A request about the branch to close. */
type ClosingRequest = RecordRequest & { branch: PanelRecord }

export async function showClosing(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const question = { page: 'close_branch.php', title: tenantRequest.texts.closeBranch.link, field: closedField }
  const questionPage = await askForRecord(tenantRequest, question)
  if (questionPage) return questionPage
  const closing = await openClosing(request)
  const { query, branch } = closing
  if (!branch.is_active) return alreadyClosedPage(closing)
  const target = await readTarget(closing, query.get('to'))
  if (target) return showPreview(closing, target)
  return showTargetForm(closing, query.has('to') ? closing.texts.closeBranch.chooseTarget : undefined)
}

export async function submitClosing(request: SignedInRequest): Promise<PageResponse> {
  const closing = await openClosing(request)
  const { form: formValues, query, branch } = closing
  if (formValues.has('seq')) return close(closing)
  if (!branch.is_active) return alreadyClosedPage(closing)
  if (formValues.has('find')) return showTargetForm(closing)
  const { request: chosen, errors } = await withChosenRecords(closing, [targetField])
  const target = await readTarget(closing, chosen.form.get(targetField.name))
  if (!target) return showTargetForm(closing, errors[targetField.name] ?? closing.texts.closeBranch.chooseTarget)
  return redirectTo('close_branch.php', { tenant: query.get('tenant'), id: branch.id, to: target.id })
}

/** Throws a PageError if there is no such branch. */
async function openClosing(request: SignedInRequest): Promise<ClosingRequest> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const recordRequest = toRecordRequest(tenantRequest, 'customers')
  const id = readId(request.query)
  if (id === null) throw new PageError(404, 'not_found')
  const { record } = await readRecord(recordRequest, id)
  return { ...recordRequest, branch: record }
}

/** Returns the chosen branch if it is open and not the branch to close. */
async function readTarget(request: ClosingRequest, given: string | null): Promise<PanelRecord | undefined> {
  const { resource, branch } = request
  const id = readNumber(given)
  if (id === undefined || id === branch.id) return undefined
  const found = await findRecord(request, resource, id)
  return found?.record.is_active ? found.record : undefined
}

function closingUrl({ baseParams, branch }: ClosingRequest, to?: number): string {
  return pageUrl('close_branch.php', { tenant: baseParams.tenant, id: branch.id, to })
}

function alreadyClosedPage({ texts, branch }: ClosingRequest): PageResponse {
  const { title, alreadyClosed } = texts.closeBranch
  return { kind: 'page', title: title(titleOf(branch)), body: html`<p class="lead">${alreadyClosed}</p>`, status: 409 }
}

async function showTargetForm(request: ClosingRequest, errorMessage?: string): Promise<PageResponse> {
  const { texts, form: formValues, branch } = request
  const { title, intro, toPreview, target } = texts.closeBranch
  const field = { ...targetField, label: target, required: true, error: errorMessage }
  const cancel = html`<a href="${recordUrl(request, 'customers', branch.id)}">${texts.cancel}</a>`
  const fields = html`<div class="grid">!${await chooser(request, field, formValues.get(field.name))}</div>
!${buttonRow(submitButton(toPreview, { kind: 'main' }), cancel)}`
  const body = html`!${errorSummary(errorMessage)}<p class="lead">${intro}</p>
!${form(request, closingUrl(request), fields, 'record')}`
  return { kind: 'page', title: title(titleOf(branch)), body, status: errorMessage === undefined ? 200 : 422 }
}

async function showPreview(request: ClosingRequest, target: PanelRecord, summary?: string): Promise<PageResponse> {
  const { deps, tenant, texts, branch } = request
  const { title, confirm, back } = texts.closeBranch
  const found = await deps.storage.run(tenant, 'previewClosing', { branch: branch.id })
  const seenFields = (['seq', 'people', 'items'] as const).map((name) => hiddenField(name, String(found[name])))
  const button = submitButton(confirm(titleOf(branch)), { kind: 'main' })
  const backLink = html`<a href="${closingUrl(request)}">${back}</a>`
  const fields = seenFields.join('') + hiddenField('once', randomUUID()) + buttonRow(button, backLink)
  const body = html`!${errorSummary(summary)}!${showMoves(request, found, titleOf(target))}
!${form(request, closingUrl(request, target.id), fields)}!${listMoves(request, found)}`
  return { kind: 'page', title: title(titleOf(branch)), body, status: summary === undefined ? 200 : 409 }
}

async function close(request: ClosingRequest): Promise<PageResponse> {
  const { deps, tenant, form: formValues, query, branch, baseParams, texts } = request
  const seen = {
    seq: requireNumber(formValues.get('seq')),
    people: requireNumber(formValues.get('people')),
    items: requireNumber(formValues.get('items')),
  }
  const target = requireNumber(query.get('to'))
  const { status, body } = await deps.storage.run(tenant, 'closeBranch', {
    context: changeContextOf(request),
    idempotency: idempotencyKeyOf(formValues, allChangeScopes),
    request: { branch: branch.id, target, seen },
  })
  const outcome = JSON.parse(body)
  if (status === 200) {
    const toast = { text: closedText(texts, titleOf(branch), outcome), changeSet: outcome.change_set }
    return { ...redirectTo('records.php', { ...baseParams, id: target }), toast }
  }
  const current = await openClosing(request) // another user may have closed or deleted the branch
  if (!current.branch.is_active) return alreadyClosedPage(current)
  const currentTarget = await readTarget(current, query.get('to'))
  if (!currentTarget) return showTargetForm(current, texts.closeBranch.chooseTarget)
  return showPreview(current, currentTarget, texts.closeBranch.changed)
}
