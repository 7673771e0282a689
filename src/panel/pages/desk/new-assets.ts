// Rows of a form for assets that do not exist yet: type, model, serial number and tag.

import { html } from 'ghtml'
import { hardware } from '../../../resources/declarations/hardware.ts'
import { validateNew } from '../../../resources/validate.ts'
import type { DeskStep, FailedStep } from '../../../storage/operations/desk.ts'
import { choiceOptions, hiddenField } from '../../components/forms.ts'
import { choiceLabel, fieldLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../request.ts'
import { toInvalidOutcome } from '../records/mutations.ts'
import { suggestTags } from './run.ts'

const fields = ['type', 'model', 'serial_number', 'asset_tag'] as const
type FieldName = (typeof fields)[number]

/** The types that the rows begin with: what most joiners get. */
const types = ['laptop', 'phone', 'monitor'] as const

/** What is wrong, by the name of the input. */
type Errors = Record<string, string>

type Creation = Extract<DeskStep, { kind: 'create' }>

/** The steps that create the assets, and the row of each. */
export type NewAssets = { steps: Creation[]; rows: number[]; errors: Errors }

const inputName = (row: number, field: FieldName) => `new.${row}.${field}`
const suggestedName = (row: number) => `new.${row}.suggested`

/** Reads the rows with a model or serial number, or a tag that was not suggested; the others are left out. */
export function readNewAssets(request: TenantRequest, holder: NonNullable<Creation['holder']>): NewAssets {
  const read: NewAssets = { steps: [], rows: [], errors: {} }
  for (const row of types.keys()) {
    const given = rowOf(request.form, row)
    if (given.model === '' && given.serial_number === '' && given.asset_tag === suggestedIn(request.form, row)) continue
    try {
      const { values } = validateNew(hardware, { ...given, employee_id: anyone })
      read.steps.push({ kind: 'create', resource: 'hardware', values, holder })
      read.rows.push(row)
    } catch (error) {
      Object.assign(read.errors, rowErrors(request, row, toInvalidOutcome(error)))
    }
  }
  return read
}

/** Stands for the holder, whom the step names. */
const anyone = 1

function rowOf(form: URLSearchParams, row: number): Record<FieldName, string> {
  const given = fields.map((field) => [field, (form.get(inputName(row, field)) ?? '').trim()] as const)
  return Object.fromEntries(given) as Record<FieldName, string>
}

function suggestedIn(form: URLSearchParams, row: number): string {
  return form.get(suggestedName(row)) ?? ''
}

/** The errors of a row that was refused. */
export function failureErrors(request: TenantRequest, row: number, failure: FailedStep): Errors {
  return rowErrors(request, row, { errors: failure.errors ?? {} })
}

function rowErrors({ texts }: TenantRequest, row: number, outcome: object): Errors {
  const errors = 'errors' in outcome ? (outcome.errors as Record<string, { code: string }>) : {}
  return Object.fromEntries(
    Object.entries(errors).map(([name, { code }]) => [
      inputName(row, name as FieldName),
      (texts.errors as Record<string, string>)[code] ?? texts.errors.required,
    ]),
  )
}

/** Renders the rows. A tag that was suggested and is used by now gives way to the next one. */
export async function newAssetRows(request: TenantRequest, errors: Errors): Promise<string> {
  const { form: sent, texts } = request
  const tags = await suggestTags(request, types.length)
  const rows = [...types.keys()].map((row) => {
    const given = rowOf(sent, row)
    const wasSuggested = !sent.has(suggestedName(row)) || given.asset_tag === suggestedIn(sent, row)
    const tag = wasSuggested ? (tags[row] ?? '') : given.asset_tag
    const tagError = inputName(row, 'asset_tag')
    if (errors[tagError] && wasSuggested && tag !== '') errors[tagError] = texts.verbs.tagTaken(given.asset_tag)
    const type = given.type || types[row]!
    const cells = fields.map((field) => cell(request, row, field, { ...given, type, asset_tag: tag }[field], errors))
    return html`<fieldset class="asset-row"><legend class="hidden">${texts.verbs.newAsset(row + 1)}</legend>
!${hiddenField(suggestedName(row), tags[row] ?? '')}<div class="grid">!${cells}</div></fieldset>`
  })
  return rows.join('')
}

function cell({ texts }: TenantRequest, row: number, field: FieldName, value: string, errors: Errors): string {
  const name = inputName(row, field)
  const error = errors[name]
  const described = error ? html` aria-invalid="true" aria-describedby="${name}-error"` : ''
  const control =
    field === 'type'
      ? html`<select id="${name}" name="${name}"!${described}>!${choiceOptions(typeChoices(texts), value)}</select>`
      : html`<input id="${name}" name="${name}" value="${value}" autocomplete="off"!${described}>`
  const message = error ? html`<p class="error" id="${name}-error">${error}</p>` : ''
  return html`<div class="field"><label for="${name}">${fieldLabel(texts, field)}</label>!${control}!${message}</div>`
}

function typeChoices(texts: TenantRequest['texts']) {
  return hardware.fields.type.of.map((each) => [each, choiceLabel(texts, each)] as const)
}
