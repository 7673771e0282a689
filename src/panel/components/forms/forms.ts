// Renders form elements that several pages share.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { isConfirmed } from '../../../accounts/sign-in/sessions.ts'
import { fieldLabel, type Texts } from '../../i18n/index.ts'
import type { PageRequest, SignedInRequest, TenantRequest } from '../../requests/request.ts'
import { changeSetUrl } from '../../urls.ts'

/** Renders a form that posts to `action`, with a CSRF token. `body` and `attributes` are HTML. */
export function form(
  { csrfToken }: PageRequest,
  action: string,
  body: string,
  { className = '', attributes = '' }: { className?: string; attributes?: string } = {},
): string {
  const classAttribute = className && html` class="${className}"`
  return html`<form method="post" action="${action}"!${classAttribute}!${attributes} novalidate>
<input type="hidden" name="form_token" value="${csrfToken}">!${body}</form>`
}

/** Renders a form that undoes a change set, or that undoes the undo. `controls`: its button and what else it has. */
export function undoForm(request: TenantRequest, changeSet: string, controls: string): string {
  return form(request, changeSetUrl(request, changeSet), onceField() + controls)
}

export type TextField = {
  name: string
  label: string
  value?: string
  type?: 'text' | 'email' | 'password' | 'date' | 'search'
  hint?: string
  error?: string | undefined
  autocomplete?: string
  /** Marks the field as required with this word. */
  required?: string | undefined
  autofocus?: boolean
  /** Further attributes, as HTML. */
  attributes?: string
  /** The label of a checkbox that shows the form's passwords. It works only if scripts are enabled. */
  reveal?: string
  /** Required if a page has several fields with the same name. */
  id?: string
  /** Whether the text may have several lines. */
  hasLines?: boolean
  /** HTML below the field. */
  more?: string
}

export function textField(options: TextField): string {
  const { name, label, value = '', type = 'text', autocomplete = 'off', id = name, required } = options
  const description = describeControl(id, options)
  const attributes = [
    description.attributes,
    required && ' aria-required="true"',
    options.autofocus && ' autofocus',
    options.attributes,
  ].filter(Boolean)
  const initialValue = type === 'password' ? '' : value
  const control = options.hasLines
    ? html`<textarea id="${id}" name="${name}" rows="4" dir="auto"!${attributes}>${value}</textarea>`
    : html`<input id="${id}" name="${name}" type="${type}" value="${initialValue}" dir="auto"
 autocomplete="${autocomplete}"!${attributes}>`
  const reveal =
    options.reveal && html`<label class="reveal" hidden><input type="checkbox" data-reveal>${options.reveal}</label>`
  const className = options.hasLines ? 'field wide' : 'field'
  return html`<div class="${className}"><label for="${id}">${label}!${requiredMark(required)}</label>
!${control}!${reveal}
!${description.below}
!${options.more ?? ''}</div>`
}

/** `attributes`: refer a control to its hint and its error. `below`: the hint and the error, as HTML to show below the
 *  control. `link`: HTML after the error. */
export function describeControl(
  id: string,
  { hint, error }: { hint?: string | undefined; error?: string | undefined },
  link = '',
): { attributes: string; below: string } {
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const attributes = [describedBy && html` aria-describedby="${describedBy}"`, error && ' aria-invalid="true"']
  const below = html`!${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
!${error && html`<p class="error" id="${id}-error">${error}!${link}</p>`}`
  return { attributes: attributes.filter(Boolean).join(''), below }
}

/** Renders the word that marks a field as required, next to its label. */
export function requiredMark(word: string | undefined): string {
  return word === undefined ? '' : html` <small>${word}</small>`
}

/** Renders a password field with a checkbox that shows the password, because people often mistype on phones. */
export function passwordField(texts: Texts, options: Omit<TextField, 'type' | 'reveal'>): string {
  return textField({ ...options, type: 'password', reveal: texts.showPassword })
}

/** Renders a titled section of a long form. `name` is part of the heading's id. `body` is HTML. */
export function formSection(name: string, title: string, body: string, className = ''): string {
  return html`<section class="form-section${className && ` ${className}`}" aria-labelledby="section-${name}">
<h2 id="section-${name}">${title}</h2>!${body}</section>`
}

export type Choice = readonly [value: string, label: string]

export function yesNoChoices(texts: Texts): Choice[] {
  return [
    ['true', texts.yes],
    ['false', texts.no],
  ]
}

export function choiceOptions(choices: readonly Choice[], selected: string | null | undefined): string {
  const items = choices.map(
    ([value, label]) => html`<option value="${value}"!${value === selected ? ' selected' : ''}>${label}</option>`,
  )
  return items.join('')
}

export function selectField(
  options: Pick<TextField, 'name' | 'label' | 'hint' | 'error' | 'required'> & {
    choices: readonly Choice[]
    value: string
  },
): string {
  const { name, label, choices, value, required } = options
  const description = describeControl(name, options)
  const attributes = description.attributes + (required === undefined ? '' : ' aria-required="true"')
  return html`<div class="field"><label for="${name}">${label}!${requiredMark(required)}</label>
<select id="${name}" name="${name}"!${attributes}>!${choiceOptions(choices, value)}</select>
!${description.below}</div>`
}

/** Renders a select for a filter form. `any`: the first choice's label, which turns the filter off. */
export function filterSelect(options: {
  name: string
  label: string
  any: string
  choices: Choice[]
  value: string | null | undefined
}): string {
  const { name, label, any, choices, value } = options
  return html`<label>${label}<select name="${name}">
<option value="">${any}</option>!${choiceOptions(choices, value)}</select></label>`
}

/** Renders a field for a day in a filter form. */
export function filterDay(name: string, label: string, value: string | null | undefined): string {
  return html`<label>${label}<input type="date" name="${name}" value="${value ?? ''}"></label>`
}

/** Renders a submit button. If a page has several forms, `name` tells the server which one was submitted. `hasFocus`:
 *  whether Enter presses the button as soon as the page has loaded. */
export function submitButton(
  label: string,
  options: { name?: string; kind?: 'main' | 'danger'; hasFocus?: boolean } = {},
): string {
  const { name, kind, hasFocus } = options
  const attributes = [kind && html` class="${kind}"`, name && html` name="${name}" value="1"`, hasFocus && ' autofocus']
  return html`<button!${attributes.filter(Boolean)}>${label}</button>`
}

/** Pressing Enter activates a form's first button. Put this hidden button first if Enter must not activate a visible
 *  button. */
export const defaultButton = '<button hidden tabindex="-1"></button>'

/** Like defaultButton, with a name. */
export function hiddenButton(name: string): string {
  return html`<button hidden tabindex="-1" name="${name}" value="1"></button>`
}

export function hiddenField(name: string, value: string): string {
  return html`<input type="hidden" name="${name}" value="${value}">`
}

/** Renders the hidden field that makes a form count only once, however often it is submitted. */
export function onceField(): string {
  return hiddenField('once', randomUUID())
}

/** Renders hidden fields that keep the current URL's parameters. */
export function hiddenFields(parameters: Record<string, string | undefined>): string {
  const fields = Object.entries(parameters).map(([name, value]) =>
    value === undefined ? '' : hiddenField(name, value),
  )
  return fields.join('')
}

/** Renders an error message about the form as a whole. The message receives the focus. `details` is HTML. */
export function errorSummary(errorMessage: string | undefined, details = ''): string {
  if (errorMessage === undefined) return ''
  return html`<div class="error-summary" role="alert" tabindex="-1" autofocus><p>${errorMessage}</p>!${details}</div>`
}

/** Lists the errors of a form, each linked to its field. The name of a field may contain dots: `new.0.model`. */
export function errorList(texts: Texts, errors: Record<string, string>): string {
  const items = Object.entries(errors).map(
    ([name, errorMessage]) =>
      html`<li><a href="#${name}">${fieldLabel(texts, name.split('.').at(-1)!)}</a>: ${errorMessage}</li>`,
  )
  return items.length > 0 ? html`<ul>!${items}</ul>` : ''
}

/** Renders a message that is not an error. */
export function statusMessage(text: string | undefined): string {
  return text === undefined ? '' : html`<p class="notice" role="status">${text}</p>`
}

/** Asks for the password before a sensitive action, unless the user confirmed it a few minutes ago. */
export function confirmPasswordField(request: SignedInRequest, error?: string, id = 'password'): string {
  const { session, texts, deps } = request
  if (isConfirmed(session, deps.now())) return ''
  const { currentPassword: label, passwordReason: hint } = texts
  return passwordField(texts, { id, name: 'password', label, hint, autocomplete: 'current-password', error })
}

/** Renders text with a copy button; panel.js makes the button visible. */
export function copyable(texts: Texts, id: string, content: string): string {
  return html`<div class="copy"><pre id="${id}">${content}</pre>
<button type="button" data-copy="${id}" hidden>${texts.copy}</button></div>`
}

/** `name`: unique among the tenant's forms. `isSubmitted`: whether the form shows submitted values instead of stored
 *  ones. A draft must not replace submitted values. */
export function draftAttributes({ session, tenant, texts }: TenantRequest, name: string, isSubmitted: boolean): string {
  const key = `${session.user.id} ${tenant.slug} ${name}`
  if (isSubmitted) return html` data-draft="${key}"`
  const { restored, discard } = texts.recordPages.draft
  return html` data-draft="${key}" data-restore data-restored="${restored}" data-discard="${discard}"`
}
