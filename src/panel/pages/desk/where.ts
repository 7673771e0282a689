// The question where an asset is, in forms for equipment: in stock at a branch, or with a person. The stylesheet shows
// only the field that belongs to the chosen answer, so the question also works without scripts.

import { html } from 'ghtml'
import { type Resource, resourceNamed, stockFieldOf } from '../../../domain/declarations/resource.ts'
import { type HolderKind, holderKindOf } from '../../../domain/equipment/verbs.ts'
import { type Choice, choiceOptions } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { fieldLabel, resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { findById, readList } from '../records/queries.ts'
import type { RecordRequest } from '../records/request.ts'
import { type ChooserField, chooser } from '../search/choices.ts'
import type { Errors } from './desk-page.ts'
import { choosers, findOpenBranch, findPerson, leftMessage } from './questions.ts'

/** The names of the inputs: the radio buttons, the branch, and the person. */
const [whereName, stockName, personName] = ['where', 'stock_customer_id', choosers.person.name] as const

/** The value of the branch's input for a storage location that exists. Otherwise, the value is the branch's id. */
const placeValue = ({ id }: PanelRecord) => `place-${id}`
const placePattern = /^place-(\d+)$/

/** Whether the field's place in a form is taken by the question. */
export function asksWhere(resource: Resource, field: string): boolean {
  return stockFieldOf(resource)?.name === field
}

/** Returns the fields of the question in which the user chooses a record by its name: only those of the chosen answer,
 *  because the others are hidden. */
export function whereChoosers(form: URLSearchParams): ChooserField[] {
  return form.get(whereName) === 'storage' ? [{ ...choosers.branch, name: stockName }] : [choosers.person]
}

/** `values`: the asset's values. `formValues`: the submitted form, if the values come from one. */
type WhereDraft = { values: Record<string, unknown>; formValues?: URLSearchParams | undefined }

/** Renders the question. Something new is in stock, unless a holder is given. */
export async function whereField(request: TenantRequest, draft: WhereDraft, errors: Errors): Promise<string> {
  const { texts } = request
  const holder = await findHolder(request, draft.values[personName])
  const answer =
    draft.formValues?.get(whereName) ?? (draft.formValues || holder ? holderKindOf(holder ?? {}) : 'storage')
  const personId = holder?.kind === 'storage' ? null : draft.values[personName]
  const radio = (kind: HolderKind, label: string) => {
    const checked = kind === answer ? ' checked' : ''
    const { fitting, unfit } = statuses[kind]
    return html`<label><input type="radio" name="${whereName}" value="${kind}"!${checked}
 data-unfit="${unfit}" data-fitting="${fitting}">
!${icon(kind)} ${label}</label>`
  }
  const person = { ...choosers.person, label: fieldLabel(texts, personName), required: true, error: errors[personName] }
  const { legend, inStock, withPerson } = texts.recordPages.where
  return html`<fieldset class="field wide where" id="${whereName}" tabindex="-1">
<legend>${legend} <small>${texts.required}</small></legend>
<div class="radios">!${radio('storage', inStock)}!${radio('person', withPerson)}</div>
<div class="in-stock">!${await stockInput(request, draft, holder, errors[stockName])}</div>
<div class="with-person">!${await chooser(request, person, personId, draft.formValues ?? new URLSearchParams())}</div>
</fieldset>`
}

/** Renders a select, or a field for the branch's name if there are too many branches. */
async function stockInput(
  request: TenantRequest,
  { formValues }: WhereDraft,
  holder: PanelRecord | undefined,
  error: string | undefined,
): Promise<string> {
  const { texts } = request
  const place = holder?.kind === 'storage' ? holder : undefined
  const choices = await readPlaces(request, place)
  const label = fieldLabel(texts, stockName)
  if (choices === null) {
    const value = formValues?.get(stockName) ?? place?.customer_id
    return chooser(request, { ...choosers.branch, name: stockName, label, required: true, error }, value, formValues)
  }
  const only = choices.length === 1 ? choices[0]![0] : ''
  const value = formValues?.get(stockName) ?? (place ? placeValue(place) : only)
  const options = choices.some(([each]) => each === value) ? choices : [['', ''] as const, ...choices]
  const described = error ? html` aria-invalid="true" aria-describedby="${stockName}-error"` : ''
  return html`<div class="field"><label for="${stockName}">${label} <small>${texts.required}</small></label>
<select id="${stockName}" name="${stockName}" aria-required="true"!${described}>
!${choiceOptions(options, value)}</select>
!${error && html`<p class="error" id="${stockName}-error">${error}</p>`}</div>`
}

/** Returns the values of something new. In stock, it is spare, unless the URL names its holder or its status. */
export async function newValues(request: RecordRequest, values: Record<string, unknown>) {
  const { stock } = stockFieldOf(request.resource) ?? {}
  const holder = stock && (await findHolder(request, values[personName]))
  if (!stock || holder?.kind === 'person') return values
  const implied = Object.entries(stock.sets).filter(([name]) => !request.query.has(name))
  return { ...values, ...Object.fromEntries(implied) }
}

/** Returns the page that asks the user to add a branch before an asset; undefined if there is one, and for records of
 *  other resources. */
export async function branchNeeded(request: RecordRequest): Promise<PageResponse | undefined> {
  const { texts, resource, baseParams } = request
  const { stock } = stockFieldOf(resource) ?? {}
  if (!stock) return undefined
  const branches = resourceNamed(request.resources, stock.of)
  const { records } = await readList(request, branches, { limit: '1' })
  if (records.length > 0) return undefined
  const url = pageUrl('records.php', { ...baseParams, resource: stock.of, new: 1 })
  const link = html`<a class="button main" href="${url}">${resourceTexts(texts, stock.of).add}</a>`
  const body = html`<p class="lead">${texts.recordPages.where.needsBranch}</p>!${buttonRow(link)}`
  return { kind: 'page', title: resourceTexts(texts, resource.name).new, body }
}

/** A select offers at most this many branches, and this many storage locations. */
const maxOffered = 200

/** Returns a choice for each storage location of an open branch, and for each branch that has none. Returns null if
 *  there are too many. `current`: a location that is offered in any case. */
async function readPlaces(request: TenantRequest, current: PanelRecord | undefined): Promise<Choice[] | null> {
  const read = (resource: string, params: Record<string, string>) => {
    const all = { ...params, is_active: 'true', sort: 'name', limit: String(maxOffered) }
    return readList(request, resourceNamed(request.resources, resource), all)
  }
  const [branches, locations] = await Promise.all([read('customers', {}), read('employees', { kind: 'storage' })])
  if (branches.next !== null || locations.next !== null) return null
  const choices = branches.records.flatMap((branch): Choice[] => {
    const places = locations.records.filter(({ customer_id: id }) => id === branch.id)
    if (places.length === 0) return [[String(branch.id), titleOf(branch)]]
    return places.map((place) => [placeValue(place), placeTitle(titleOf(place), titleOf(branch))])
  })
  const isMissing = current && !choices.some(([value]) => value === placeValue(current))
  return isMissing ? [...choices, [placeValue(current), titleOf(current)]] : choices
}

function placeTitle(place: string, branch: string): string {
  return place === branch ? branch : `${branch} · ${place}`
}

/** The answer in a submitted form. `values`: members of a request's body. `isMoved`: whether the asset's holder
 *  changes. */
export type WhereAnswer = { values: Record<string, string>; isMoved: boolean; errors: Errors }

/** Reads the answer. `stored`: the asset, unless it is new. A form without the question may name a person. */
export async function readWhere(request: TenantRequest, stored: PanelRecord | undefined): Promise<WhereAnswer> {
  const { form, texts } = request
  const former = stored?.[personName] ?? null
  const answered = (values: Record<string, string>): WhereAnswer => {
    return { values, isMoved: values[personName] !== String(former), errors: {} }
  }
  const refused = (errors: Errors): WhereAnswer => ({ values: {}, isMoved: false, errors })
  if (form.get(whereName) === 'storage') {
    const values = await readStock(request, former)
    return values ? answered(values) : refused({ [stockName]: texts.verbs.chooseBranch })
  }
  const person = await findPerson(request, form.getAll(personName).at(-1) ?? '')
  if (!person) return form.has(whereName) ? refused({ [personName]: texts.verbs.choosePerson }) : refused({})
  const left = person.id === former ? undefined : leftMessage(request, person)
  if (left !== undefined) return refused({ [personName]: left })
  return form.has(whereName) ? answered({ [personName]: String(person.id) }) : refused({})
}

/** Returns undefined if no branch was chosen. If the asset is already in stock at the branch, it stays where it is. */
async function readStock(request: TenantRequest, former: unknown): Promise<Record<string, string> | undefined> {
  const text = request.form.getAll(stockName).at(-1) ?? ''
  const [, placeId] = placePattern.exec(text) ?? []
  if (placeId !== undefined) {
    const place = await findHolder(request, placeId)
    return place?.kind === 'storage' ? { [personName]: placeId } : undefined
  }
  const branch = await findOpenBranch(request, text)
  if (!branch) return undefined
  const holder = await findHolder(request, former)
  const isThere = holder?.kind === 'storage' && holder.customer_id === branch.id
  return isThere ? { [personName]: String(holder.id) } : { [personName]: '', [stockName]: String(branch.id) }
}

async function findHolder(request: TenantRequest, id: unknown): Promise<PanelRecord | undefined> {
  return (await findById(request, 'employees', String(id ?? '')))?.record
}

/** `fitting`: the status that an asset gets if it has the `unfit` one. forms.js already changes it in the form. */
const statuses = {
  storage: { unfit: 'in_use', fitting: 'spare' },
  person: { unfit: 'spare', fitting: 'in_use' },
} as const satisfies Record<HolderKind, object>

/** Returns the values that an asset gets at its new place, unless the form gives a fitting status. In stock, a loan
 *  ends. */
export function valuesThere({ form }: TenantRequest, status: string | undefined): Record<string, string> {
  const isInStock = form.get(whereName) === 'storage'
  const { unfit, fitting } = statuses[isInStock ? 'storage' : 'person']
  const isUnfit = status === undefined || status === unfit
  return { ...(isUnfit && { status: fitting }), ...(isInStock && { due_back: '' }) }
}
