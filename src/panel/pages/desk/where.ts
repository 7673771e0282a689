// The question where an asset is, in forms for equipment: in stock at a branch, or with a person. The stylesheet shows
// only the field that belongs to the chosen answer, so the question also works without scripts.

import { html } from 'ghtml'
import { type Resource, resourceNamed, stockFieldOf } from '../../../domain/declarations/resource.ts'
import { type HolderKind, holderKindOf } from '../../../domain/equipment/verbs.ts'
import { icon } from '../../components/icons.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { buttonRow } from '../../components/sections.ts'
import { fieldLabel, resourceTexts } from '../../i18n/index.ts'
import type { RecordRequest, TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { listUrl } from '../../urls.ts'
import { readLastAsset } from '../records/form/last-asset.ts'
import { findById, readList } from '../records/queries.ts'
import { type ChooserField, chooser } from '../search/choices.ts'
import type { Errors } from './desk-page.ts'
import { findOpenPlace } from './places.ts'
import { choosers, findPerson, leftMessage } from './questions.ts'
import { readStock, stockChooser, stockInput } from './stock-field.ts'

/** The names of the inputs: the radio buttons, and the person. */
const [whereName, personName] = ['where', choosers.person.name] as const

/** Whether the field's place in a form is taken by the question. */
export function asksWhere(resource: Resource, field: string): boolean {
  return stockFieldOf(resource)?.name === field
}

/** Returns the fields of the question in which the user chooses a record by its name: only those of the chosen answer,
 *  because the others are hidden. */
export function whereChoosers(form: URLSearchParams): ChooserField[] {
  return isPutInStock(form) ? [stockChooser] : [choosers.person]
}

/** Whether the submitted form says that the asset is in stock. */
export function isPutInStock(form: URLSearchParams): boolean {
  return form.get(whereName) === 'storage'
}

/** `values`: the asset's values. `formValues`: the submitted form, if the values come from one. `isOptional`: the user
 *  may leave the question open. */
type WhereDraft = { values: Record<string, unknown>; formValues?: URLSearchParams | undefined; isOptional?: boolean }

/** Renders the question. Something new is in stock, unless a holder is given. */
export async function whereField(request: TenantRequest, draft: WhereDraft, errors: Errors): Promise<string> {
  const { texts } = request
  const { formValues, isOptional = false } = draft
  const holder = await findHolder(request, draft.values[personName])
  const answer = formValues?.get(whereName) ?? (formValues || holder ? holderKindOf(holder ?? {}) : 'storage')
  const isPlace = holder?.kind === 'storage'
  const stockDraft = { place: isPlace ? holder : undefined, formValues, isOptional }
  const personId = isPlace ? null : draft.values[personName]
  const radio = (kind: HolderKind, label: string) => {
    const checked = kind === answer ? ' checked' : ''
    const { fitting, unfit } = statuses[kind]
    return html`<label><input type="radio" name="${whereName}" value="${kind}"!${checked}
 data-unfit="${unfit}" data-fitting="${fitting}">
!${icon(kind)} ${label}</label>`
  }
  const personLabel = { label: fieldLabel(texts, personName), required: !isOptional, error: errors[personName] }
  const person = { ...choosers.person, ...personLabel }
  const { legend, inStock, withPerson } = texts.recordPages.where
  return html`<fieldset class="field wide where" id="${whereName}" tabindex="-1">
<legend>${legend}!${isOptional ? '' : html` <small>${texts.required}</small>`}</legend>
<div class="radios">!${radio('storage', inStock)}!${radio('person', withPerson)}</div>
<div class="in-stock">!${await stockInput(request, stockDraft, errors)}</div>
<div class="with-person">!${await chooser(request, person, personId, formValues ?? new URLSearchParams())}</div>
</fieldset>`
}

/** Returns the values of something new. It is in stock, where the user last added an asset, unless the URL names its
 *  holder. There it is spare, unless the URL names its status. */
export async function newValues(request: RecordRequest, given: Record<string, unknown>) {
  const { stock } = stockFieldOf(request.resource) ?? {}
  if (!stock) return given
  const holder = await findHolder(request, given[personName])
  if (holder?.kind === 'person') return given
  const place = holder ?? (await findOpenPlace(request, readLastAsset(request).place))
  const values = { ...given, ...(place && { [personName]: place.id }) }
  const implied = Object.entries(stock.sets).filter(([name]) => !request.query.has(name))
  return { ...values, ...Object.fromEntries(implied) }
}

/** Returns the page that asks the user to add a branch before an asset; undefined if there is one, and for records of
 *  other resources. */
export async function branchNeeded(request: RecordRequest): Promise<PageResponse | undefined> {
  const { texts, resource } = request
  const { stock } = stockFieldOf(resource) ?? {}
  if (!stock) return undefined
  const branches = resourceNamed(request.resources, stock.of)
  const { records } = await readList(request, branches, { limit: '1' })
  if (records.length > 0) return undefined
  const url = listUrl(request, stock.of, { new: 1 })
  const link = html`<a class="button main" href="${url}">${resourceTexts(texts, stock.of).add}</a>`
  const body = html`<p class="lead">${texts.recordPages.where.needsBranch}</p>!${buttonRow(link)}`
  return { kind: 'page', title: resourceTexts(texts, resource.name).new, body }
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
  if (isPutInStock(form)) {
    const stock = await readStock(request, former)
    return 'errors' in stock ? refused(stock.errors) : answered(stock.members)
  }
  const person = await findPerson(request, form.getAll(personName).at(-1) ?? '')
  if (!person)
    return form.has(whereName) ? refused({ [personName]: texts.recordPages.where.choosePerson }) : refused({})
  const left = person.id === former ? undefined : leftMessage(request, person)
  if (left !== undefined) return refused({ [personName]: left })
  return form.has(whereName) ? answered({ [personName]: String(person.id) }) : refused({})
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
  const isInStock = isPutInStock(form)
  const { unfit, fitting } = statuses[isInStock ? 'storage' : 'person']
  const isUnfit = status === undefined || status === unfit
  return { ...(isUnfit && { status: fitting }), ...(isInStock && { due_back: '' }) }
}
