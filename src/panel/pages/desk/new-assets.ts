// Renders and reads a form's rows for new assets. Each row has a type, model, serial number and tag, and says where the
// asset is: with the person whom the form is about, or in stock.

import { html } from 'ghtml'
import { hardware } from '../../../domain/declarations/hardware.ts'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type DeskStep, deskOperations } from '../../../domain/equipment/operations.ts'
import type { FieldError } from '../../../domain/fields/field-values.ts'
import { validateNew } from '../../../domain/fields/validate.ts'
import { type Choice, hiddenField, selectField, textField } from '../../components/forms/forms.ts'
import { fieldMessage } from '../../components/forms/record-inputs.ts'
import { icon } from '../../components/icons.ts'
import { choiceLabel, fieldLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { toInvalidOutcome } from '../records/mutations.ts'
import { readList } from '../records/queries.ts'
import { type ChooserField, chooser, readChosen } from '../search/choices.ts'
import type { Errors } from './desk-page.ts'
import { membersFor } from './places.ts'
import { choosers } from './questions.ts'

const fields = ['type', 'model', 'serial_number', 'asset_tag'] as const
type FieldName = (typeof fields)[number]

/** The types preselected in the first rows, because most new employees receive these. Each further row starts with the
 *  type of the row above it. */
const firstTypes = ['laptop', 'phone', 'monitor'] as const

/** A form has at most this many rows. Users import larger numbers of assets from a file. */
const maxRows = 50

/** The name of the field that contains the number of rows, and the name of the button that adds a row. */
const [countName, moreName] = ['rows', 'more_rows']
const rowsId = 'new-assets'

type Creation = Extract<DeskStep, { kind: 'create' }>

/** The steps that create the assets. `rows`: for each step, the index of its row in the form. `inStock`: how many of
 *  the assets go to stock. */
export type NewAssets = { steps: Creation[]; rows: number[]; inStock: number; errors: Errors }

const inputName = (row: number, field: string) => `new.${row}.${field}`
/** The field that says where the asset is. It is empty if the asset is with the person. If there are too many places to
 *  choose from, it may say `elsewhere`; another field then asks for the branch. */
const placeField = 'place'
export const elsewhere = 'elsewhere'
const branchOf = (row: number): ChooserField => ({ ...choosers.branch, name: inputName(row, 'branch') })
const suggestedName = (row: number) => `new.${row}.suggested`

/** Reads the rows in which the user has entered a model, a serial number or a different tag. All other rows are
 *  skipped. */
export async function readNewAssets(
  request: TenantRequest,
  holder: NonNullable<Creation['holder']>,
): Promise<NewAssets> {
  const result: NewAssets = { steps: [], rows: [], inStock: 0, errors: {} }
  for (const row of preselectedTypes(request.form).keys()) {
    const answers = rowOf(request.form, row)
    if (answers.model === '' && answers.serial_number === '' && answers.asset_tag === suggestedIn(request.form, row))
      continue
    const place = request.form.get(inputName(row, placeField)) ?? ''
    const branch = place === elsewhere ? await readChosen(request, branchOf(row)) : undefined
    const stock = place === '' ? undefined : await membersFor(request, String(branch?.id ?? place))
    if (place !== '' && !stock)
      result.errors[inputName(row, branch ? 'branch' : placeField)] = request.texts.search.choose.customers.empty
    try {
      const where = stock ? { ...stock, status: 'spare' } : { employee_id: placeholderHolder }
      const input = validateNew(hardware, { ...answers, ...where })
      result.steps.push({ kind: 'create', resource: 'hardware', ...input, ...(!stock && { holder }) })
      result.rows.push(row)
      if (stock) result.inStock++
    } catch (error) {
      Object.assign(result.errors, rowErrors(request, row, toInvalidOutcome(error).errors))
    }
  }
  return result
}

/** Returns the errors of valid rows whose tag another record or an earlier row has. The operation would report them,
 *  too, but it does not run for a form with other errors. */
export async function takenTagErrors(
  request: TenantRequest,
  { steps, rows }: Pick<NewAssets, 'steps' | 'rows'>,
): Promise<Errors> {
  const tags = steps.map(({ values }) => values.asset_tag)
  const isTaken = async (tag: unknown, index: number) =>
    typeof tag === 'string' && (tags.indexOf(tag) < index || (await isTagUsed(request, tag)))
  const taken = await Promise.all(tags.map(isTaken))
  const errors = rows.filter((_, index) => taken[index]).map((row) => rowErrors(request, row, tagTaken))
  return Object.assign({}, ...errors)
}

const tagTaken = { asset_tag: { code: 'duplicate' } } as const

async function isTagUsed(request: TenantRequest, tag: string): Promise<boolean> {
  const resource = resourceNamed(request.resources, hardware.name)
  return (await readList(request, resource, { asset_tag: tag, limit: '1' })).records.length > 0
}

/** Whether the form was submitted to add a row. */
export function asksForRow(form: URLSearchParams): boolean {
  return form.has(moreName)
}

function preselectedTypes(form: URLSearchParams): string[] {
  const submittedCount = Number(/^\d{1,3}$/.exec(form.get(countName) ?? '')?.[0] ?? firstTypes.length)
  const count = Math.min(Math.max(submittedCount, firstTypes.length) + (asksForRow(form) ? 1 : 0), maxRows)
  const types: string[] = []
  for (let row = 0; row < count; row++) {
    const previous = row === 0 ? '' : rowOf(form, row - 1).type || types[row - 1]!
    types.push(firstTypes[row] ?? previous)
  }
  return types
}

/** Needed only because validation requires a holder. The step of a person's asset contains the real one. */
const placeholderHolder = 1

function rowOf(form: URLSearchParams, row: number): Record<FieldName, string> {
  const read = (field: FieldName) => (form.get(inputName(row, field)) ?? '').trim()
  return {
    type: read('type'),
    model: read('model'),
    serial_number: read('serial_number'),
    asset_tag: read('asset_tag'),
  }
}

function suggestedIn(form: URLSearchParams, row: number): string {
  return form.get(suggestedName(row)) ?? ''
}

export function rowErrors(
  { texts }: TenantRequest,
  row: number,
  errors: Record<string, Pick<FieldError, 'code'>>,
): Errors {
  return Object.fromEntries(
    Object.entries(errors).map(([name, { code }]) => [
      inputName(row, name),
      fieldMessage(texts, hardware.fields[name as FieldName], code),
    ]),
  )
}

/** Renders the rows. `places`: the choices of where an asset is. If someone else has since taken a suggested tag, the
 *  next free tag replaces it. */
export async function newAssetRows(request: TenantRequest, places: readonly Choice[], errors: Errors): Promise<string> {
  const { form: formValues, texts } = request
  const startTypes = preselectedTypes(formValues)
  const types = hardware.fields.type.of.map((each) => [each, choiceLabel(texts, each)] as const)
  const tags = await suggestTags(request, startTypes.length)
  // The first text field of a row that the user has just added receives the focus.
  const added = asksForRow(formValues) ? startTypes.length - 1 : null
  const rows = startTypes.map(async (startType, row) => {
    const answers = rowOf(formValues, row)
    const wasSuggested = !formValues.has(suggestedName(row)) || answers.asset_tag === suggestedIn(formValues, row)
    const tag = wasSuggested ? (tags[row] ?? '') : answers.asset_tag
    const tagError = inputName(row, 'asset_tag')
    if (errors[tagError] && wasSuggested && tag !== '') errors[tagError] = texts.verbs.tagTaken(answers.asset_tag)
    const type = answers.type || startType
    const values = { ...answers, type, asset_tag: tag }
    const cells = fields.map((field) => {
      const name = inputName(row, field)
      const common = { name, label: fieldLabel(texts, field), value: values[field], error: errors[name] }
      if (field === 'type') return selectField({ ...common, choices: types })
      return textField({ ...common, autofocus: row === added && field === 'model' })
    })
    const where = await placeCell(request, row, places, errors)
    return html`<fieldset class="asset-row"><legend class="hidden">${texts.verbs.newAsset(row + 1)}</legend>
!${hiddenField(suggestedName(row), tags[row] ?? '')}<div class="grid">!${cells}!${where}</div></fieldset>`
  })
  const more = html`<p><button name="!${moreName}" value="1" formnovalidate data-adds-row="!${rowsId}">
!${icon('add')}${texts.verbs.moreAssets}</button></p>`
  return html`<div id="!${rowsId}">!${hiddenField(countName, String(rows.length))}!${await Promise.all(rows)}</div>
!${rows.length < maxRows ? more : ''}`
}

async function placeCell(
  request: TenantRequest,
  row: number,
  choices: readonly Choice[],
  errors: Errors,
): Promise<string> {
  const { texts, form } = request
  const name = inputName(row, placeField)
  const { legend: label } = texts.recordPages.where
  const select = selectField({ name, label, choices, value: form.get(name) ?? '', error: errors[name] })
  if (!choices.some(([value]) => value === elsewhere)) return select
  const branch = branchOf(row)
  const labelled = { ...branch, label: fieldLabel(texts, 'customer_id'), required: true, error: errors[branch.name] }
  return html`!${select}<div class="elsewhere">!${await chooser(request, labelled, form.get(branch.name))}</div>`
}

/** Returns the tags that forms suggest for new assets. Returns an empty list if the tenant has not set a tag format. */
export function suggestTags({ deps, tenant }: TenantRequest, count: number): Promise<string[]> {
  return deps.engine.run(tenant, deskOperations.nextTags, { count })
}
