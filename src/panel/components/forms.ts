// Form elements that several pages share.

import { html } from 'ghtml'
import { isConfirmed } from '../../accounts/sessions.ts'
import { confirmPassword } from '../../accounts/sign-in.ts'
import { UserError } from '../../lib/user-error.ts'
import { formatDuration, type Texts } from '../i18n/index.ts'
import type { PageRequest, SignedInRequest } from '../request.ts'

/** Renders a form that posts to `action`, with a CSRF token. `body` is HTML. */
export function form({ csrfToken }: PageRequest, action: string, body: string, name = ''): string {
  const kind = name && html` class="${name}"`
  return html`<form method="post" action="${action}"!${kind} novalidate><input type="hidden" name="form_token" value="${csrfToken}">!${body}</form>`
}

/** Renders a label and a single-line input. */
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

/** Renders an error message about the form as a whole. */
export function errorSummary(errorMessage: string | undefined): string {
  return errorMessage === undefined ? '' : html`<div class="error-summary" role="alert"><p>${errorMessage}</p></div>`
}

/** Asks for the password before a sensitive action, unless it was confirmed a few minutes ago. */
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

/** Returns an error message unless the password is correct or was confirmed recently. */
export async function checkConfirmedPassword(request: SignedInRequest): Promise<string | undefined> {
  const { session, texts, deps, form, origin } = request
  if (isConfirmed(session, deps.now())) return undefined
  const outcome = await confirmPassword(deps.catalog, deps.pepper, session, form.get('password') ?? '', origin)
  if (outcome === 'refused') return texts.passwordRefused
  if ('throttledFor' in outcome) return texts.login.throttled(formatDuration(texts, outcome.throttledFor))
  request.cookies.session = outcome.token
  return undefined
}

/** Returns the translated message of a UserError. Rethrows everything else. */
export function messageFor(texts: Texts, error: unknown): string {
  if (!(error instanceof UserError)) throw error
  const { reason } = error
  const known = reason === undefined ? undefined : (texts.reasons as Record<string, string>)[reason]
  return known ?? error.message
}

/** Renders text with a copy button; panel.js makes the button visible. */
export function copyable(texts: Texts, id: string, content: string): string {
  return html`<div class="copy"><pre id="${id}">${content}</pre><button type="button" data-copy="${id}" hidden>${texts.copy}</button></div>`
}
