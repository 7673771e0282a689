// Renders the fields of a record, as values and as form inputs. Each switch covers every kind of field.

import { html } from 'ghtml'
import type { FieldValue } from '../../resources/field-values.ts'
import { memberName } from '../../resources/lists/options.ts'
import type { Field, WritableField } from '../../resources/resource.ts'
import { amountInput, currencyOf, formatAmount, formatDateTime } from '../i18n/conventions.ts'
import { choiceLabel, fieldLabel, formatDate, formatNumber, type Texts } from '../i18n/index.ts'
import { stateBadge, toneOf } from './badge.ts'
import { choiceOptions } from './forms.ts'

/** A record with the records that it references. */
export type PanelRecord = { id: number; created_at: string; updated_at: string } & {
  [name: string]: FieldValue | PanelRecord
}

/** Returns the first title field of the record that is set, or its id such as `#12`. */
export function titleOf(
  record: { id?: unknown; [name: string]: unknown },
  title: readonly string[] = ['name'],
): string {
  const name = title.find((each) => typeof record[each] === 'string' && record[each] !== '')
  return name ? String(record[name]) : `#${record.id}`
}

/** Renders a value as HTML. A reference shows only its id, because the title needs the referenced record. */
export function showValue(texts: Texts, field: Field, value: unknown): string {
  if (value === null || value === undefined) return html`<span class="none">${texts.none}</span>`
  switch (field.kind) {
    case 'text':
      return html`${String(value)}`
    case 'email':
      return html`<a href="mailto:${encodeURIComponent(String(value)).replaceAll('%40', '@')}">${String(value)}</a>`
    case 'integer':
      return html`${field.isAmount ? formatAmount(texts, value) : formatNumber(texts, Number(value))}`
    case 'date':
      return html`<time datetime="${String(value)}">${formatDate(texts, String(value))}</time>`
    case 'timestamp':
      return html`<time datetime="${String(value)}">${formatDateTime(texts, String(value))}</time>`
    case 'boolean':
      return html`${value ? texts.yes : texts.no}`
    case 'choice':
      return showChoice(texts, String(value))
    case 'reference':
      return html`#${String(value)}`
  }
}

/** A badge for a choice that is a state; other choices are plain words. */
function showChoice(texts: Texts, choice: string): string {
  const label = choiceLabel(texts, choice)
  return toneOf(choice) === 'neutral' && choice !== 'retired' ? html`${label}` : stateBadge(choice, label)
}

/** Text fields that allow more code points than this get a textarea. */
const textareaThreshold = 200

/** `value` is stored or comes from a form. `options` is the HTML of the whole field for a reference. */
export type InputOptions = {
  name: string
  field: WritableField
  value: unknown
  error?: string | undefined
  options?: string
}

/** Renders a label, an input and the error of the field. */
export function input(texts: Texts, { name, field, value, error, options }: InputOptions): string {
  const describedBy = error ? html` aria-invalid="true" aria-describedby="${name}-error"` : ''
  const summary = error ? html`<p class="error" id="${name}-error">${error}</p>` : ''
  if (field.kind === 'reference') return options ?? ''
  if (field.kind === 'boolean') {
    const checked = isTrue(value) ? ' checked' : ''
    return html`<div class="field check">
<input type="hidden" name="${name}" value="0">
<input type="checkbox" id="${name}" name="${name}" value="1"!${checked}!${describedBy}>
<label for="${name}">${fieldLabel(texts, name)}</label>!${summary}</div>`
  }
  const size = field.kind === 'text' && field.max > textareaThreshold ? ' wide' : ''
  return html`<div class="field${size}"><label for="${name}">!${label(texts, name, field)}</label>
!${control(texts, name, field, value, describedBy)}!${summary}</div>`
}

function label(texts: Texts, name: string, field: Field): string {
  const unit = field.kind === 'integer' && field.isAmount ? html` <small>${currencyOf(texts)}</small>` : ''
  return html`${fieldLabel(texts, name)}!${unit}!${field.required ? html` <small>${texts.required}</small>` : ''}`
}

/** Renders no `required` or `pattern`: the server validates, and its messages are translated. */
function control(
  texts: Texts,
  name: string,
  field: Exclude<WritableField, { kind: 'reference' | 'boolean' }>,
  value: unknown,
  more: string,
): string {
  const text = value === null || value === undefined ? '' : String(value)
  const common = html`id="${name}" name="${name}"!${more}!${field.required ? ' aria-required="true"' : ''}`
  switch (field.kind) {
    case 'text':
      if (field.max > textareaThreshold) return html`<textarea !${common} rows="4">${text}</textarea>`
      return html`<input !${common} value="${text}" autocomplete="off">`
    case 'email':
      return html`<input !${common} type="text" inputmode="email" value="${text}" autocomplete="off">`
    case 'integer':
      if (!field.isAmount) return html`<input !${common} inputmode="numeric" value="${text}" autocomplete="off">`
      return html`<input !${common} inputmode="decimal" value="${typedAmount(texts, value)}" autocomplete="off">`
    case 'date':
      return html`<input !${common} type="date" value="${text}">`
    case 'choice': {
      const choices = field.of.map((each) => [each, choiceLabel(texts, each)] as const)
      return html`<select !${common}>!${choiceOptions(choices, text)}</select>`
    }
  }
}

/** A stored amount is a number of minor units; one that was typed is shown as it was. */
function typedAmount(texts: Texts, value: unknown): string {
  return typeof value === 'number' ? amountInput(texts, value) : String(value ?? '')
}

function isTrue(value: unknown): boolean {
  return value === true || value === '1' || value === 'true'
}

/** Returns the record that a reference points to, if the list included it. */
export function included(record: PanelRecord, reference: string): PanelRecord | null {
  const member = record[memberName(reference)]
  return typeof member === 'object' ? member : null
}
