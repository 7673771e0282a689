// /close_branch.php?id=…: closes a branch. The user chooses the branch that receives its people and stock (`to`), sees
// what will move, and confirms.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { countOthers } from '../../../domain/equipment/close-branch/close-branch.ts'
import type { BranchContents } from '../../../domain/equipment/close-branch/contents.ts'
import { type ClosingPreview, closeBranchOperations } from '../../../domain/equipment/close-branch/operations.ts'
import type { StoredRecord } from '../../../domain/records/changes.ts'
import { referencesTo } from '../../../domain/records/dependents.ts'
import { errorSummary, form, hiddenField, onceField, submitButton } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow, relatedList, section } from '../../components/sections.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import { toRecordRequest } from '../../requests/authorize.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import { readIdParameter, requireNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { linkRecord, pageUrl, recordUrl } from '../../urls.ts'
import { deskPage, type FormRefusal } from '../desk/desk-page.ts'
import { choosers, findOpenBranch } from '../desk/questions.ts'
import { readRecord } from '../records/queries.ts'
import { chooser } from '../search/choices.ts'

const targetField = choosers.branch

/** `target`: the open branch that the URL names as the one that receives everything. */
type Closing = { branch: PanelRecord; target: PanelRecord | undefined }

export const closeBranchPage = deskPage({
  asksFor: { field: { ...targetField, name: 'id' }, title: ({ closeBranch }) => closeBranch.link },

  async reads(request): Promise<Closing> {
    const id = readIdParameter(request.query)
    if (id === null) throw new PageError(404, 'not_found')
    const { record: branch } = await readRecord(toRecordRequest(request, 'customers'), id)
    return { branch, target: await findTarget(request, branch, request.query.get('to')) }
  },

  async form(request, { branch, target }, refusal) {
    if (!branch.is_active) return alreadyClosedPage(request, branch)
    return target ? previewPage(request, branch, target, refusal) : targetPage(request, branch, refusal)
  },

  choosers: () => [targetField],

  async plans(request, { branch }) {
    const { form: fields, query, texts, baseParams } = request
    if (fields.has('seq')) {
      const count = (name: (typeof seenFields)[number]) => requireNumber(fields.get(name))
      const others = fields.has('others') ? requireNumber(fields.get('others')) : 0
      const seen = { seq: count('seq'), people: count('people'), items: count('items'), others }
      return { change: { branch: branch.id, target: requireNumber(query.get('to')), seen } }
    }
    if (!branch.is_active) return { instead: alreadyClosedPage(request, branch) }
    const target = await findTarget(request, branch, fields.get(targetField.name))
    if (!target) return { errors: { [targetField.name]: texts.closeBranch.chooseTarget } }
    return { instead: redirectTo('close_branch.php', { ...baseParams, id: branch.id, to: target.id }) }
  },

  runs: (request, closing) =>
    request.deps.engine.run(request.tenant, closeBranchOperations.closeBranch, changeInput(request, closing)),

  says(request, { branch }, { target }, body) {
    const text = closedText(request.texts, titleOf(branch), JSON.parse(body))
    return { to: recordUrl(request, 'customers', target), text }
  },

  explains: ({ texts }) => ({ errors: {}, summary: texts.closeBranch.changed, status: 409 }),
})

/** The counts and the newest change that the user saw in the preview, besides the records of other resources. */
const seenFields = ['seq', 'people', 'items'] as const

/** Returns the branch with this id if it is open and not the branch to close. */
async function findTarget(
  request: TenantRequest,
  branch: PanelRecord,
  id: string | null,
): Promise<PanelRecord | undefined> {
  const target = await findOpenBranch(request, id)
  return target?.id === branch.id ? undefined : target
}

function closingUrl({ baseParams }: TenantRequest, { id }: PanelRecord, to?: number): string {
  return pageUrl('close_branch.php', { ...baseParams, id, to })
}

function alreadyClosedPage({ texts }: TenantRequest, branch: PanelRecord): PageResponse {
  const { title, alreadyClosed } = texts.closeBranch
  return { kind: 'page', title: title(titleOf(branch)), body: html`<p class="lead">${alreadyClosed}</p>`, status: 409 }
}

async function targetPage(request: TenantRequest, branch: PanelRecord, { errors }: FormRefusal): Promise<PageResponse> {
  const { texts, form: fields, query } = request
  const { title, intro, target, chooseTarget } = texts.closeBranch
  const error = errors[targetField.name] ?? (query.has('to') ? chooseTarget : undefined)
  const field = { ...targetField, label: target, required: true, error }
  const cancel = html`<a href="${recordUrl(request, 'customers', branch.id)}">${texts.cancel}</a>`
  const content = html`<div class="grid">!${await chooser(request, field, fields.get(field.name))}</div>
!${buttonRow(submitButton(texts.bulkEdits.toPreview, { kind: 'main' }), cancel)}`
  const others = otherLists(request)
  const lead = others === '' ? intro : `${intro} ${texts.closeBranch.alsoMove(others)}`
  const body = html`!${errorSummary(error)}<p class="lead">${lead}</p>
!${form(request, closingUrl(request, branch), content, { className: 'record' })}`
  return { kind: 'page', title: title(titleOf(branch)), body, status: error === undefined ? 200 : 422 }
}

/** Returns the names of the other lists whose records belong to a branch, or an empty string. */
function otherLists({ texts, resources }: TenantRequest): string {
  const belonging = referencesTo(resourceNamed(resources, 'customers'), resources)
  const others = belonging.filter(({ from }) => from.name !== 'employees')
  const names = others.map(({ from }) => resourceTexts(texts, from.name).many)
  return new Intl.ListFormat(texts.locale).format(names)
}

async function previewPage(
  request: TenantRequest,
  branch: PanelRecord,
  target: PanelRecord,
  { summary, status = 200 }: FormRefusal,
): Promise<PageResponse> {
  const { deps, tenant, texts } = request
  const { title, confirm, back } = texts.closeBranch
  const preview = await deps.engine.run(tenant, closeBranchOperations.previewClosing, { branch: branch.id })
  const seen = seenFields.map((name) => hiddenField(name, String(preview[name])))
  const others = countOthers(preview)
  if (others > 0) seen.push(hiddenField('others', String(others)))
  const button = submitButton(confirm(titleOf(branch)), { kind: 'main' })
  const backLink = html`<a href="${closingUrl(request, branch)}">${back}</a>`
  const content = seen.join('') + onceField() + buttonRow(button, backLink)
  const body = html`!${errorSummary(summary)}!${showMoves(request, preview, titleOf(target))}
!${form(request, closingUrl(request, branch, target.id), content)}!${listMoves(request, preview)}`
  return { kind: 'page', title: title(titleOf(branch)), body, status }
}

type Counts = Pick<BranchContents, 'people' | 'items'> & { others?: BranchContents['others'] }

type CountLabels = Texts['closeBranch']['willMove']

/** `target`: the name of the branch that receives the people and assets. */
function showMoves(request: TenantRequest, preview: ClosingPreview, target: string): string {
  const { texts } = request
  const { preview: lead, empty, thenInactive, willMove } = texts.closeBranch
  const parts = partsOf(texts, preview, willMove)
  if (parts.length === 0) return html`<p class="lead">${empty}</p>`
  const lines = parts.map(({ count, label }) => html`<li><b>${count}</b> ${label}</li>`)
  return html`<p class="lead">${lead(target)}</p><ul class="counts">!${lines}</ul><p>${thenInactive}</p>`
}

/** Lists the names of the first records that will move. */
function listMoves(request: TenantRequest, preview: ClosingPreview): string {
  const { texts } = request
  const { people, items } = texts.closeBranch
  const others = Object.entries(preview.firstOthers).map(([resource, first]) => {
    return { resource, title: resourceTexts(texts, resource).many, first, count: preview.others[resource]! }
  })
  const lists = [
    { resource: 'employees', title: people, first: preview.firstPeople, count: preview.people },
    { resource: 'hardware', title: items, first: preview.firstItems, count: preview.items },
    ...others,
  ]
  return lists.map((list) => recordList(request, list)).join('\n')
}

/** Returns the counts that are not zero, with their nouns. */
function partsOf(texts: Texts, { people, items, others = {} }: Counts, labels: CountLabels) {
  const parts = [
    { number: people, resource: 'employees', label: labels.people },
    { number: items, resource: 'hardware', label: labels.items },
    ...Object.entries(others).map(([resource, number]) => ({ number, resource, label: labels.others })),
  ]
  const moving = parts.filter(({ number }) => number > 0)
  return moving.map(({ number, resource, label }) => ({ count: resourceTexts(texts, resource).count(number), label }))
}

type RecordList = { resource: string; title: string; first: StoredRecord[]; count: number }

function recordList(request: TenantRequest, { resource, title, first, count }: RecordList): string {
  if (first.length === 0) return ''
  const titleFields = resourceNamed(request.resources, resource).title
  const links = first.map((record) => {
    return html`<li>!${linkRecord(request, resource, record.id, titleOf(record, titleFields, request.texts))}</li>`
  })
  const remaining = count - first.length
  const more = remaining > 0 ? html`<p>${request.texts.closeBranch.more(remaining)}</p>` : ''
  return section(title, relatedList(links) + more)
}

/** Returns the confirmation: which branch was closed, and how many records have moved. */
function closedText(texts: Texts, branch: string, counts: Counts): string {
  const { done, moved } = texts.closeBranch
  const parts = partsOf(texts, counts, moved).map(({ count, label }) => `${count} ${label}`)
  return [done(branch), ...(parts.length > 0 ? [`${parts.join(', ')}.`] : [])].join(' ')
}
