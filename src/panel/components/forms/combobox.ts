// A field for choosing a record by name. If scripts are disabled, a button runs the search, and the results are radio
// buttons. Otherwise, combobox.js replaces the button and the results with a list that opens while the user types.

import { html } from 'ghtml'
import type { Texts } from '../../i18n/index.ts'
import { describeControl, hiddenField, requiredMark } from './forms.ts'

/** A record that the user can choose. `more`: details that distinguish records with the same title. */
export type Option = { id: number; title: string; more: string }

/** `words`: the text in the field. `options`: the search results for the text; empty before a search. `source`: the
 *  URL, including query parameters, that returns the options for a text. */
export type ComboboxState = {
  name: string
  label: string
  required?: boolean | undefined
  hint?: string | undefined
  error?: string | undefined
  autofocus?: boolean | undefined
  words: string
  chosen: Option | undefined
  options: Option[]
  source: string
}

/** The names of a combobox's form fields. `typed`: the text in the field. `searched`: the text of the last search. */
export function comboboxFields(name: string): { typed: string; searched: string } {
  return { typed: `find.${name}`, searched: `was.${name}` }
}

export function combobox(texts: Texts, state: ComboboxState): string {
  const { name, label, words, source } = state
  const { typed, searched } = comboboxFields(name)
  const description = describeControl(name, state)
  const isRequired = state.required ? ' aria-required="true"' : ''
  const attributes = description.attributes + isRequired + (state.autofocus ? ' autofocus' : '')
  return html`<div class="field combobox" data-source="${source}" data-name="${name}">
<label for="${name}">${label}!${requiredMark(state.required ? texts.required : undefined)}</label>
<div class="find">
<input id="${name}" name="${typed}" value="${words}" dir="auto" autocomplete="off" spellcheck="false"!${attributes}>
<button name="find" value="${name}" formnovalidate>${texts.records.search}</button>
</div>
!${hiddenField(searched, words)}
!${radios(state)}
!${description.below}
</div>`
}

function radios({ name, label, chosen, options }: ComboboxState): string {
  const others = options.filter(({ id }) => id !== chosen?.id)
  const choices = [...(chosen ? [chosen] : []), ...others]
  if (choices.length === 0) return ''
  const items = choices.map(
    (each) => html`<label><input type="radio" name="${name}" value="${each.id}"!${each === chosen ? ' checked' : ''}>
<span dir="auto" data-title="${each.title}">${each.title}</span> <small>${each.more}</small></label>`,
  )
  return html`<div class="options" role="radiogroup" aria-label="${label}">!${items}</div>`
}

/** Renders the options for combobox.js, and the text that screen readers announce with them. */
export function comboboxOptions(options: Option[], announcement: string): string {
  const items = options.map(
    ({ id, title, more }) => html`<li role="option" data-value="${id}" data-title="${title}">
<span dir="auto">${title}</span> <small>${more}</small></li>`,
  )
  return html`!${items}<li role="presentation" class="announcement">${announcement}</li>`
}
