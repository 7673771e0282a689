// What forms of the panel have in common.

import { html } from 'ghtml'
import { isConfirmed } from '../../accounts/sessions.ts'
import { confirmPassword } from '../../accounts/sign-in.ts'
import { UserError } from '../../lib/user-error.ts'
import { formatDuration, type Texts } from '../i18n/index.ts'
import type { PageRequest, SignedInRequest } from '../request.ts'

/** A form that is sent to `action`; `body` is HTML. Every form carries the token that says it is ours. */
export function form({ csrfToken }: PageRequest, action: string, body: string, name = ''): string {
  const kind = name && html` class="${name}"`
  return html`<form method="post" action="${action}"!${kind} novalidate><input type="hidden" name="form_token" value="${csrfToken}">!${body}</form>`
}

/** A label with a line of text. */
export function textField(options: {
  name: string
  label: string
  value?: string
  type?: 'text' | 'email' | 'password' | 'date' | 'search'
  hint?: string
  error?: string | undefined
  autocomplete?: string
  required?: boolean
}): string {
  const { name, label, value = '', type = 'text', hint, error, autocomplete = 'off', required = false } = options
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  const more = html`!${described && html` aria-describedby="${described}"`}!${error ? ' aria-invalid="true"' : ''}!${required ? ' aria-required="true"' : ''}`
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}" autocomplete="${autocomplete}"!${more}>!${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ''}!${error ? html`<p class="error" id="${name}-error">${error}</p>` : ''}</div>`
}

/** What is wrong with a whole form. */
export function errorSummary(errorMessage: string | undefined): string {
  return errorMessage === undefined ? '' : html`<div class="error-summary" role="alert"><p>${errorMessage}</p></div>`
}

/** Before something weighty the password is asked for once more, unless that was minutes ago. */
export function confirmPasswordField({ session, texts, deps }: SignedInRequest, error?: string): string {
  if (isConfirmed(session, deps.now())) return ''
  return textField({
    name: 'password',
    label: texts.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    error,
  })
}

/** Whether the form came with the password, or needs none; else the errorMessage that says why not. */
export async function checkConfirmedPassword(request: SignedInRequest): Promise<string | undefined> {
  const { session, texts, deps, form, origin } = request
  if (isConfirmed(session, deps.now())) return undefined
  const outcome = await confirmPassword(deps.catalog, deps.pepper, session, form.get('password') ?? '', origin)
  if (outcome === 'refused') return texts.passwordRefused
  if ('throttledFor' in outcome) return texts.login.throttled(formatDuration(texts, outcome.throttledFor))
  request.cookies.session = outcome.token
  return undefined
}

/** Why a options was refused, in the reader's language where it is known. Throws what is no refusal. */
export function messageFor(texts: Texts, error: unknown): string {
  if (!(error instanceof UserError)) throw error
  const { reason } = error
  const known = reason === undefined ? undefined : (texts.reasons as Record<string, string>)[reason]
  return known ?? error.message
}

/** Something to be taken away, with a button that copies it where scripts are on. */
export function copyable(texts: Texts, id: string, content: string): string {
  return html`<div class="copy"><pre id="${id}">${content}</pre><button type="button" data-copy="${id}" hidden>${texts.copy}</button></div>`
}
