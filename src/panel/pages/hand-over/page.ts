// /hand_over.php: forms to print and sign. The forms cover a change set (`change_set`), an asset's most recent change
// of hands (`item`), or everything that a person holds (`person`). The history records when forms are printed.

import { hash } from 'node:crypto'
import { html } from 'ghtml'
import { displayName, findUsers } from '../../../accounts/users.ts'
import { handOverFormOperations } from '../../../domain/equipment/hand-over-forms.ts'
import { settingsOperations } from '../../../domain/settings/operations.ts'
import { readUuid } from '../../../lib/text.ts'
import { readChanges } from '../../components/activity/change-list.ts'
import { form, hiddenField, onceField, submitButton } from '../../components/forms/forms.ts'
import { emptyState } from '../../components/sections.ts'
import { withConventions } from '../../i18n/conventions.ts'
import { isLanguage, languageOf, languages, type Texts } from '../../i18n/index.ts'
import { readRecords } from '../../read-records.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import { readIdParameter } from '../../requests/read-number.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { personField } from '../desk/questions.ts'
import { askForRecord } from '../search/choices.ts'
import { type ComposedForms, formOfPerson, formsOfChangeSet, type HandOverForm } from './compose.ts'
import { sheet } from './sheet.ts'

export async function showHandOver(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request)
  const item = readIdParameter(request.query, 'item')
  if (item !== null) return redirectToChangeSet(tenantRequest, item)
  const question = { page: 'hand_over.php', title: tenantRequest.texts.handOver.link, field: personField }
  const questionPage = request.query.has('change_set') ? undefined : await askForRecord(tenantRequest, question)
  if (questionPage) return questionPage
  return formsPage(tenantRequest, await compose(tenantRequest))
}

/** Records that the forms are being printed, and shows them again. panel.js then opens the browser's print dialog. */
export async function submitHandOver(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { deps, tenant, query, form: formValues, texts } = tenantRequest
  const composed = await compose(tenantRequest)
  const isUnchanged = composed !== 'too many' && formValues.get('forms') === fingerprintOf(composed.forms)
  if (!isUnchanged)
    return redirectTo('hand_over.php', Object.fromEntries(query), { text: texts.verbs.changedMeanwhile })
  const forms = composed.forms.map(({ kind, number, items, person, changeSet }) => ({
    kind,
    number,
    items: items.length,
    employee_id: person.id,
    change_set: changeSet,
  }))
  await deps.engine.run(tenant, handOverFormOperations.printForms, changeInput(tenantRequest, { forms }))
  return redirectTo('hand_over.php', { ...Object.fromEntries(query), print: 1 })
}

/** The print button submits this fingerprint of the forms. A different fingerprint on the server means that the
 *  forms have changed since the user saw them. */
function fingerprintOf(forms: HandOverForm[]): string {
  const parts = forms.map(({ kind, number, person, items }) => [kind, number, person.id, items.map(({ id }) => id)])
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

/** Throws a PageError if the change set is invalid or the person is unknown. */
async function compose(request: TenantRequest): Promise<ComposedForms> {
  const { query } = request
  const personId = readIdParameter(query, 'person')
  const changeSetText = query.get('change_set')
  if (changeSetText !== null) {
    const changeSet = readUuid(changeSetText)
    if (changeSet === undefined) throw new PageError(400, 'bad_request')
    return formsOfChangeSet(request, changeSet, personId)
  }
  const person = personId === null ? undefined : (await readRecords(request, 'employees', [personId])).get(personId)
  if (person?.kind !== 'person') throw new PageError(404, 'not_found')
  return formOfPerson(request, person, query.get('kind') === 'hand_over' ? 'hand_over' : 'statement')
}

/** To find out when an asset last changed hands, at most this many of its latest changes are searched. */
const searchedChanges = 100

async function redirectToChangeSet(request: TenantRequest, id: number): Promise<PageResponse> {
  const { baseParams, query, texts } = request
  const { entries } = await readChanges(request, { resource: 'hardware', id, limit: searchedChanges })
  const last = entries.find(({ after }) => after?.employee_id !== undefined || typeof after?.due_back === 'string')
  if (!last?.change_set) return formsPage(request, { forms: [] }, texts.handOver.nothing)
  const person = last.after?.employee_id ?? null
  const [holder] = person === null ? [] : (await readRecords(request, 'employees', [Number(person)])).values()
  const personId = holder?.kind === 'person' ? holder.id : Number(last.before?.employee_id ?? Number.NaN)
  const params = { person: Number.isNaN(personId) ? null : personId, lang: query.get('lang') }
  return redirectTo('hand_over.php', { tenant: baseParams.tenant, change_set: last.change_set, ...params })
}

async function formsPage(request: TenantRequest, composed: ComposedForms, reason?: string): Promise<PageResponse> {
  const { texts, query } = request
  const { heading, tooMany, nothing, holdsNothing } = texts.handOver
  if (composed === 'too many') return { kind: 'page', title: heading, body: emptyState(tooMany), status: 422 }
  const { forms } = composed
  if (forms.length === 0) {
    const isAboutPerson = !query.has('change_set') && query.has('person')
    return { kind: 'page', title: heading, body: emptyState(reason ?? (isAboutPerson ? holdsNothing : nothing)) }
  }
  const title = forms.length === 1 ? texts.handOver.titles[forms[0]!.kind] : heading
  const body = html`<div class="tools print-bar"><h1>${title}</h1>!${languageLinks(request)}
!${request.canWrite ? printForm(request, forms) : ''}</div>
!${await sheets(request, forms)}`
  return { kind: 'page', title, bodyHasHeading: true, body }
}

async function sheets(request: TenantRequest, forms: HandOverForm[]): Promise<string> {
  const { deps, tenant, query } = request
  const branchIds = forms.map(({ person }) => Number(person.customer_id))
  const branches = await readRecords(request, 'customers', branchIds)
  const names = await namesOf(request, forms)
  const texts = formTexts(request)
  const now = deps.now().toISOString()
  const { body } = await deps.engine.run(tenant, settingsOperations.settings, { name: tenant.name })
  const { form_text: text, form_shows_cost: showsCost } = JSON.parse(body)
  const rendered = forms.map((each) =>
    sheet(each, {
      texts,
      company: tenant.name,
      now,
      text,
      showsCost,
      branch: branches.get(Number(each.person.customer_id)) ?? null,
      by: names.get(each.by ?? '') ?? '',
    }),
  )
  return html`<div!${query.has('print') ? ' data-print' : ''}>!${rendered}</div>`
}

/** Returns the texts in the language that the URL names, or else in the panel's language. */
function formTexts({ query, texts }: TenantRequest): Texts {
  const language = query.get('lang') ?? ''
  if (!isLanguage(language)) return texts
  const chosen: Texts = languages[language]
  return texts.conventions ? withConventions(chosen, texts.conventions) : chosen
}

/** Returns the names of the users who made the changes, by user id. Only administrators see administrators' names.
 *  Other users see the tenant's name instead. */
async function namesOf(request: TenantRequest, forms: HandOverForm[]): Promise<Map<string, string>> {
  const ids = new Set(forms.flatMap(({ by }) => by ?? []))
  const users = await findUsers(request.deps.catalog, [...ids])
  const namedUsers = users.filter(({ role }) => role !== 'administrator' || isAdministrator(request))
  return new Map(namedUsers.map((user) => [user.id, displayName(user)]))
}

function languageLinks({ texts, query }: TenantRequest): string {
  const current = query.get('lang') ?? languageOf(texts)
  const items = Object.entries(languages).map(([lang, { handOver, locale }]) => {
    const attribute = lang === current ? ' aria-current="true"' : ''
    const url = pageUrl('hand_over.php', { ...Object.fromEntries(query), print: null, lang })
    return html`<li><a href="${url}" lang="${locale}" hreflang="${locale}"!${attribute}>${handOver.language}</a></li>`
  })
  return html`<nav aria-label="${texts.handOver.inLanguage}"><ul class="languages">!${items}</ul></nav>`
}

function printForm(request: TenantRequest, forms: HandOverForm[]): string {
  const { texts, query } = request
  const action = pageUrl('hand_over.php', { ...Object.fromEntries(query), print: null })
  const button = submitButton(texts.handOver.print, { kind: 'main' })
  const hint = html`<noscript><p class="hint">${texts.handOver.printHint}</p></noscript>`
  const hidden = onceField() + hiddenField('forms', fingerprintOf(forms))
  return form(request, action, hidden + button + hint, { className: 'inline' })
}
