// Renders a record's fields as form inputs.

import { html } from 'ghtml'
import { type Field, isMultiline, type WritableField } from '../../../domain/declarations/resource.ts'
import type { FieldError } from '../../../domain/fields/field-values.ts'
import { withLineFeeds } from '../../../lib/text.ts'
import { amountInput, amountMessage, currencyOf } from '../../i18n/conventions.ts'
import { countries } from '../../i18n/countries.ts'
import { choiceLabel, fieldLabel, formatNumber, type Texts } from '../../i18n/index.ts'
import { currencyIn, timeZones } from '../../i18n/time-zones.ts'
import { icon, isIcon } from '../icons.ts'
import { choiceOptions, describeControl, requiredMark } from './forms.ts'

/** Text fields that allow at most this many code points, except names, share a row with another field. */
const halfRowLength = 100

/** `value`: a stored value, or the text from a submitted form. `referenceField`: the input's HTML, if the field is a
 *  reference. `suggestions`: values that other records have in this field. `errorLink`: the URL of the record that the
 *  error is about. */
export type InputOptions = {
  name: string
  field: WritableField
  value: unknown
  error?: string | undefined
  errorLink?: string | undefined
  hint?: string | undefined
  referenceField?: string
  suggestions?: readonly string[] | undefined
  as?: 'radios' | 'country' | undefined
  autofocus?: boolean
  /** HTML below the input. */
  more?: string
}

export function input(texts: Texts, options: InputOptions): string {
  const { name, field, errorLink, autofocus, more = '' } = options
  const link = errorLink ? html` <a href="${errorLink}">${texts.recordPages.open}</a>` : ''
  const description = describeControl(name, options, link)
  const described = description.attributes + (autofocus ? ' autofocus' : '')
  const below = description.below + more
  if (field.kind === 'reference') return options.referenceField ?? ''
  if (field.kind === 'choice' && options.as === 'radios') {
    return html`<fieldset class="field wide" id="${name}" tabindex="-1"!${described}>
<legend>!${label(texts, name, field)}</legend>!${radios(texts, options, field.of)}!${below}</fieldset>`
  }
  if (field.kind === 'boolean') {
    const isChecked = [true, '1', 'true'].some((each) => each === options.value)
    return html`<div class="field check wide">
<input type="hidden" name="${name}" value="0">
<input type="checkbox" id="${name}" name="${name}" value="1"!${isChecked ? ' checked' : ''}!${described}>
<label for="${name}">${fieldLabel(texts, name)}</label>!${below}</div>`
  }
  return html`<div class="field!${isHalf(name, field) ? '' : ' wide'}">
<label for="${name}">!${label(texts, name, field)}</label>
!${control(texts, options, field, described)}!${below}</div>`
}

function isHalf(name: string, field: WritableField): boolean {
  return field.kind !== 'text' || (field.max <= halfRowLength && name !== 'name')
}

function label(texts: Texts, name: string, field: WritableField): string {
  const unit = field.kind === 'integer' && field.isAmount ? html` <small>${currencyOf(texts)}</small>` : ''
  return html`${fieldLabel(texts, name)}!${unit}!${requiredMark(field.required ? texts.required : undefined)}`
}

function radios(texts: Texts, { name, value }: InputOptions, of: readonly string[]): string {
  const items = of.map((each) => {
    return html`<label><input type="radio" name="${name}" value="${each}"!${each === value ? ' checked' : ''}>
!${isIcon(each) ? icon(each) : ''} ${choiceLabel(texts, each)}</label>`
  })
  return html`<div class="radios">!${items}</div>`
}

/** Omits `required` and `pattern`, because the server validates the input and translates the messages. */
function control(
  texts: Texts,
  { name, value, suggestions, as }: InputOptions,
  field: Exclude<WritableField, { kind: 'reference' | 'boolean' }>,
  described: string,
): string {
  const text = value === null || value === undefined ? '' : String(value)
  const common = html`id="${name}" name="${name}"!${described}!${field.required ? ' aria-required="true"' : ''}`
  switch (field.kind) {
    case 'text': {
      if (as === 'country') return countrySelect(texts, common, text)
      if (field.format === 'time_zone') return timeZoneSelect(common, text)
      if (isMultiline(field)) return html`<textarea !${common} rows="4" dir="auto">${text}</textarea>`
      const input = html`<input !${common} value="${text}" autocomplete="off" dir="auto"`
      return withSuggestions(input, name, suggestions ?? [])
    }
    case 'email':
      return html`<input !${common} type="text" inputmode="email" value="${text}" autocomplete="off">`
    case 'integer': {
      if (!field.isAmount) return html`<input !${common} inputmode="numeric" value="${text}" autocomplete="off">`
      // A stored amount is a number of minor units. A typed amount is shown as it was typed.
      const amount = typeof value === 'number' ? amountInput(texts, value) : text
      return html`<input !${common} inputmode="decimal" value="${amount}" autocomplete="off">`
    }
    case 'date':
      return html`<input !${common} type="date" value="${text}">`
    case 'choice': {
      const choices = field.of.map((each) => [each, choiceLabel(texts, each)] as const)
      return html`<select !${common}>!${choiceOptions(choices, text)}</select>`
    }
  }
}

/** Renders a text field that suggests values while the user types. `input`: the `input` tag without its final `>`. */
export function withSuggestions(input: string, name: string, suggestions: readonly string[]): string {
  if (suggestions.length === 0) return `${input}>`
  const options = suggestions.map((each) => html`<option value="${each}">`)
  return html`!${input} list="${name}-list"><datalist id="${name}-list">!${options}</datalist>`
}

/** The stored text is an option, also if it is in lower case or not a country code, so that saving the form does not
 *  change it. */
function countrySelect(texts: Texts, common: string, text: string): string {
  const code = text.toUpperCase()
  const known = countries(texts).map(([each, name]) => [each === code ? text : each, name] as const)
  const isKnown = known.some(([each]) => each === text)
  const unknown = text === '' || isKnown ? [] : [[text, text] as const]
  return html`<select !${common}>!${choiceOptions([['', ''], ...unknown, ...known], text)}</select>`
}

/** `attributes`: the select's attributes, as HTML. If `chosen` is an alias of a time zone, or a text that will be
 *  refused, it becomes an option. Each option names the currency that people use in the time zone (suggestions.js). */
export function timeZoneSelect(attributes: string, chosen: string): string {
  const other = chosen === '' || timeZones.includes(chosen) ? [] : [chosen]
  const options = [...other, ...timeZones].map((zone) => {
    const chosenAttribute = zone === chosen ? ' selected' : ''
    const currency = currencyIn(zone)
    const currencyAttribute = currency === 'EUR' ? '' : html` data-currency="${currency}"`
    const label = zone.replaceAll('_', ' ')
    return html`<option value="${zone}"!${currencyAttribute}!${chosenAttribute}>${label}</option>`
  })
  return html`<select !${attributes}>!${options.join('')}</select>`
}

/** Returns the submitted values of those fields that the form has. A hidden input submits 0 for an unticked checkbox. A
 *  ticked checkbox submits a second value, so the last value is used. Browsers submit line breaks as CRLF. */
export function readFields(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  const submitted = names.filter((name) => form.has(name))
  return Object.fromEntries(submitted.map((name) => [name, withLineFeeds(form.getAll(name).at(-1)!)]))
}

/** Returns the message for a field's error, which says what would be right. `typed`: the text that was refused. */
export function fieldMessage(texts: Texts, field: Field | undefined, code: FieldError['code'], typed = ''): string {
  const { tooLong, tooShort, wholeNumber } = texts.recordPages.errors
  if (field?.kind === 'integer' && field.isAmount) return amountMessage(texts, typed)
  if (code === 'too_long' && field && 'max' in field) return tooLong(Number(field.max))
  if (code === 'too_short' && field && 'min' in field) return tooShort(Number(field.min))
  if (code !== 'invalid_int' || field?.kind !== 'integer' || field.max === undefined) return texts.errors[code]
  return wholeNumber(formatNumber(texts, field.min ?? 0), formatNumber(texts, field.max))
}
