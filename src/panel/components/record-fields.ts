// Renders a record's field values.

import { html } from 'ghtml'
import type { Field } from '../../domain/declarations/resource.ts'
import type { FieldValue } from '../../domain/fields/field-values.ts'
import { memberName } from '../../domain/lists/request/options.ts'
import { formatAmount } from '../i18n/conventions.ts'
import { countryName } from '../i18n/countries.ts'
import { choiceLabel, formatDate, formatNumber, ownText, type Texts } from '../i18n/index.ts'
import { stateBadge, toneOf } from './badge.ts'
import { showTime } from './days.ts'

/** A record with the records that it references. */
export type PanelRecord = { id: number; created_at: string; updated_at: string } & {
  [name: string]: FieldValue | PanelRecord
}

/** Titles of people and branches are names. The title of another record may be a choice, whose label is in `texts`. */
type TitleFields = [title?: readonly ('name' | 'email')[]] | [title: readonly string[] | undefined, texts: Texts]

/** Returns the value of the first title field that is set, or the record's id, such as `#12`. A choice is returned as
 *  its label: the type of an asset without a name. */
export function titleOf(
  record: { id?: unknown; [name: string]: unknown },
  ...[title = ['name'], texts]: TitleFields
): string {
  const name = titleFieldOf(record, title)
  const text = name ? String(record[name]) : `#${record.id}`
  return texts && name !== title[0] ? (ownText<string>(texts.choices, text) ?? text) : text
}

/** Returns the name of the first title field that is set. */
export function titleFieldOf(
  record: { [name: string]: unknown },
  title: readonly string[] = ['name'],
): string | undefined {
  return title.find((each) => typeof record[each] === 'string' && record[each] !== '')
}

/** Returns a holder's name. A storage location's name follows its branch's: several branches may have a "Storage
 *  room". */
export function placeTitle(holder: PanelRecord, branch: PanelRecord): string {
  const [name, branchName] = [titleOf(holder, ['name', 'email']), titleOf(branch)]
  return holder.kind === 'storage' && name !== branchName ? `${branchName} · ${name}` : name
}

/** Renders the code on a record's label, to be shown beside `title`. Returns an empty string for a record without a
 *  code, and if the title is the code. `codeField`: see Presentation.code. */
export function codeBeside(record: { [name: string]: unknown }, title: string, codeField: string | undefined): string {
  const code = codeField === undefined ? null : record[codeField]
  return typeof code === 'string' && code !== '' && code !== title ? html` <code>${code}</code>` : ''
}

/** Returns a title for texts. Many records can share a title that is not their name, such as a model, so the code on
 *  the record's label follows it. */
export function fullTitleOf(
  texts: Texts,
  record: { id?: unknown; [name: string]: unknown },
  title: readonly string[] = ['name'],
  codeField?: string,
): string {
  const text = titleOf(record, title, texts)
  const code = codeField === undefined ? null : record[codeField]
  return typeof code !== 'string' || [record[title[0]!], code].includes(text) ? text : `${text} ${code}`
}

/** Stands between parts of a line. It never begins a line. */
export const dot = '\u00a0· '

/** Stands between values in a line. Screen readers skip it. */
export const separator = `<span class="dot" aria-hidden="true">${dot}</span>`

/** Stands for a value that is missing. */
export function noValue(texts: Texts): string {
  return html`<span class="none">${texts.none}</span>`
}

/** Renders a value as HTML. A reference is shown as an id, because only the referenced record contains the title. */
export function showValue(texts: Texts, field: Field, value: unknown): string {
  if (value === null || value === undefined) return noValue(texts)
  switch (field.kind) {
    case 'text':
      return showText(texts, field.holds, String(value))
    case 'email':
      return html`<a href="mailto:${encodeURIComponent(String(value)).replaceAll('%40', '@')}">${String(value)}</a>`
    case 'integer':
      return html`${field.isAmount ? formatAmount(texts, value) : formatNumber(texts, Number(value))}`
    case 'date':
      return html`<time datetime="${String(value)}">${formatDate(texts, String(value))}</time>`
    case 'timestamp':
      return showTime(texts, String(value))
    case 'boolean':
      return html`${value ? texts.yes : texts.no}`
    case 'choice':
      return showChoice(texts, String(value))
    case 'reference':
      return html`#${String(value)}`
  }
}

function showText(texts: Texts, holds: 'phone' | 'country' | undefined, text: string): string {
  if (holds === 'country') return html`${countryName(texts, text)}`
  const number = holds === 'phone' ? callNumber(text) : undefined
  return number === undefined ? html`<bdi>${text}</bdi>` : html`<a href="tel:${number}"><bdi>${text}</bdi></a>`
}

/** Returns the number to dial, without the (0) that callers from abroad omit. An extension becomes `;ext=`. */
function callNumber(text: string): string | undefined {
  const [main = '', extension] = text.replaceAll('(0)', '').split(/(?:ext|dahili|durchwahl)\.?/i)
  const [digits, more] = [main, extension ?? ''].map((each) => each.replaceAll(/\D/g, '')) as [string, string]
  if (digits.length < 3) return undefined
  return `${main.trim().startsWith('+') ? '+' : ''}${digits}${more && `;ext=${more}`}`
}

/** Renders a choice as a badge if the choice is a state; otherwise as plain text. */
function showChoice(texts: Texts, choice: string): string {
  const label = choiceLabel(texts, choice)
  return toneOf(choice) === 'neutral' && choice !== 'retired' ? html`${label}` : stateBadge(choice, label)
}

/** Returns the record that a reference points to; null if `record` does not include that record. */
export function includedRecord(record: PanelRecord, reference: string): PanelRecord | null {
  const member = record[memberName(reference)]
  return isRecord(member) ? member : null
}

export function isRecord(value: FieldValue | PanelRecord | undefined): value is PanelRecord {
  return typeof value === 'object' && value !== null
}
