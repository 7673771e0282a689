// Renders what several import pages share.

import { html } from 'ghtml'
import { type Field, type Resource, stockFieldOf } from '../../../domain/declarations/resource.ts'
import type { ImportView } from '../../../domain/imports/import.ts'
import { hiddenField } from '../../components/forms/forms.ts'
import { stepper } from '../../components/sections.ts'
import { choiceLabel, fieldLabel, formatNumber, ownText, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'

export function importUrl(
  { baseParams }: TenantRequest,
  id: number,
  more: Record<string, string | number> = {},
): string {
  return pageUrl('import.php', { ...baseParams, id, ...more })
}

/** An import's steps: file, columns, values, check, import. `id`: an import whose questions can be answered again. */
export function steps(request: TenantRequest, current: 0 | 1 | 2 | 3 | 4, id?: number): string {
  const linkTo = (step: string) => (id === undefined ? undefined : importUrl(request, id, { step }))
  return stepper(request.texts.imports.steps, current, [undefined, linkTo('columns'), linkTo('values')])
}

export function headingOf({ texts }: TenantRequest, { resource }: Pick<ImportView, 'resource'>): string {
  return resourceTexts(texts, resource).import
}

/** Returns a column target's label. The target is a field, or a value that identifies a referenced record. */
export function targetLabel(
  texts: Texts,
  target: { name: string; field?: string; by?: string; readings?: readonly string[] },
): string {
  if (target.name === 'id') return texts.imports.id
  if (target.field === undefined || target.by === undefined) return fieldLabel(texts, target.name)
  if (target.readings) return fieldLabel(texts, target.field)
  const by = target.by === 'id' ? texts.imports.id : fieldLabel(texts, target.by)
  return `${fieldLabel(texts, target.field)}: ${by}`
}

/** Characters. Longer texts would break the layout. */
const maxShownCharacters = 60

/** Shortens a text from the file, such as a column title, because such texts can have any length. */
export function shortenCell(text: string, length = maxShownCharacters): string {
  const characters = [...text.slice(0, 4 * length)]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text
}

/** Lists how many rows are new, changed, unchanged and invalid. */
export function countList(texts: Texts, report: ImportView): string {
  const items = (['created', 'updated', 'unchanged', 'invalid'] as const).map(
    (name) => html`<li data-count="${name}"><b>${formatNumber(texts, report[name])}</b>
${texts.imports.counts[name]}</li>`,
  )
  return html`<ul class="figures">!${items}</ul>`
}

/** Renders a form with one button. `button` and `fields` are HTML. */
export function buttonForm(request: TenantRequest, id: number, button: string, fields = ''): string {
  return html`<form method="post" action="${importUrl(request, id)}">
!${hiddenField('form_token', request.csrfToken)}!${fields}!${button}</form>`
}

/** A cell with an error: its text, the field that it sets, and the field by which its record was looked up. */
export type FailedCell = { text: string; field: string | null; by: string | null }

/** `column`: the title of the column. `field`: the field that an error without a column is about. */
export type ShownError = {
  code: string
  column: string | null
  message: string
  field?: string | null | undefined
  cell?: FailedCell | undefined
}

/** An error with its column, or with the field that it is about. */
export function errorSentence(texts: Texts, resource: Resource, error: ShownError): string {
  const subject = error.column ?? (error.field ? fieldLabel(texts, error.field) : null)
  const text = cellText(texts, resource, error) ?? errorText(texts, error)
  return subject === null ? text : `${shortenCell(subject)}: ${text}`
}

/** Returns the text for an error code, or the API's English message if the panel has no text for this code. */
function errorText(texts: Texts, { code, message }: ShownError): string {
  return ownText(texts.imports.codes, code) ?? ownText(texts.errors, code) ?? message
}

/** Says which record was looked for, which words are known, or that there is no such country; undefined if the error
 *  code says enough. */
function cellText(texts: Texts, resource: Resource, { code, cell, field: named }: ShownError): string | undefined {
  const { text = '', field: name = named, by } = cell ?? {}
  const field = shownFields(resource).find(([each]) => each === name)?.[1]
  if (field?.kind === 'text' && field.holds === 'country') return texts.imports.noCountry
  if (!field || text === '') return undefined
  const word = shortenCell(text)
  if (field.kind === 'reference' && by) {
    const lookup = by === 'id' ? texts.imports.id : fieldLabel(texts, by)
    return ownText(texts.imports.lookups, code)?.(word, lookup, resourceTexts(texts, field.to).many)
  }
  if (code !== 'not_in_list' || field.kind !== 'choice') return undefined
  return texts.imports.knownWords(word, field.of.map((choice) => choiceLabel(texts, choice)).join(', '))
}

/** The fields, and the member for a stock that must be created. */
export function shownFields(resource: Resource): [name: string, field: Field][] {
  const { stock } = stockFieldOf(resource) ?? {}
  const fields = Object.entries<Field>(resource.fields)
  if (!stock) return fields
  return [[stock.member, { kind: 'reference', to: stock.of, missingCode: stock.missingCode }], ...fields]
}
