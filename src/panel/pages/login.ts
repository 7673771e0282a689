// /login.php: signs in with an email address, a password and, if it is turned on, a second factor. /logout.php signs
// out.

import { html } from 'ghtml'
import { endSession } from '../../accounts/sign-in/sessions.ts'
import { issueDeviceCookie, signIn } from '../../accounts/sign-in/sign-in.ts'
import { hasUsers } from '../../accounts/users.ts'
import { textFormats } from '../../domain/fields/text-formats.ts'
import { errorSummary, form, passwordField, submitButton, textField } from '../components/forms/forms.ts'
import { browserZoneInput } from '../components/forms/time-zone-field.ts'
import { buttonRow } from '../components/sections.ts'
import { formatDuration } from '../i18n/index.ts'
import type { PageRequest, SignedInRequest } from '../requests/request.ts'
import { type PageResponse, redirectTo } from '../responses.ts'
import { pageUrl, safePagePath } from '../urls.ts'

export async function showLogin(request: PageRequest | SignedInRequest): Promise<PageResponse> {
  if ('session' in request) return { kind: 'redirect', to: './' }
  return (await hasUsers(request.deps.catalog)) ? loginPage(request, {}) : firstStartPage(request)
}

/** Says how to create the first administrator. Nobody can sign in before. */
function firstStartPage({ texts }: PageRequest): PageResponse {
  const { noAdministrator, openLink, orCommand } = texts.login
  const command = html`<pre>tenantdesk user create you@example.com --role administrator</pre>`
  const body = html`<p class="lead">${openLink}</p><p>${orCommand}</p>!${command}`
  return { kind: 'page', title: noAdministrator, body }
}

export async function submitLogin(request: PageRequest | SignedInRequest): Promise<PageResponse> {
  const { deps, form: formValues, texts, actor } = request
  const input = { email: formValues.get('email') ?? '', password: formValues.get('password') ?? '' }
  const code = formValues.get('code')?.trim()
  const zone = formValues.get('time_zone') ?? ''
  const result = await signIn(deps.catalog, deps.pepper, { ...input, ...(code && { code }) }, actor)
  switch (result.outcome) {
    case 'signed_in':
      request.logFields.user = result.user.id
      // The new cookie replaces the old session's cookie. End the old session, because no browser can use it any more.
      if ('session' in request) await endCurrentSession(request, 'session_ended')
      return {
        kind: 'redirect',
        to: safePagePath(request.query.get('next') ?? ''), // the page that the user requested before signing in
        session: result.token,
        ...(textFormats.time_zone.matches(zone) && { preferences: { 'time-zone': zone } }),
        device: await issueDeviceCookie(deps.catalog, deps.pepper, result.user.id, actor),
      }
    case 'second_factor':
      return loginPage(request, { asksCode: true })
    case 'refused':
      return loginPage(request, { asksCode: formValues.has('code'), errorMessage: texts.login.refused, status: 403 })
    case 'throttled':
      return loginPage(request, {
        errorMessage: texts.login.throttled(formatDuration(texts, result.seconds)),
        status: 429,
      })
  }
}

type LoginPageOptions = { asksCode?: boolean; errorMessage?: string | undefined; status?: number }

/** Together with the code, the form asks for the email address and password again, so that the server stores nothing
 *  between the two requests. */
function loginPage(
  request: PageRequest,
  { asksCode = false, errorMessage, status = 200 }: LoginPageOptions,
): PageResponse {
  const { texts, form: formValues, query } = request
  const code = asksCode
    ? textField({
        name: 'code',
        label: texts.login.codeLabel,
        hint: texts.login.codeHint,
        autocomplete: 'one-time-code',
      })
    : ''
  const email = formValues.get('email') ?? ''
  const fields = [
    textField({ name: 'email', label: texts.email, type: 'email', value: email, autocomplete: 'username' }),
    passwordField(texts, { name: 'password', label: texts.password, autocomplete: 'current-password' }),
    code,
    browserZoneInput,
    buttonRow(submitButton(texts.login.submit, { kind: 'main' })),
    html`<p class="hint">${texts.layout.cannotSignIn}</p>`,
  ]
  const codePrompt = asksCode && errorMessage === undefined ? html`<p role="status">${texts.login.asksCode}</p>` : ''
  const action = pageUrl('login.php', { next: query.get('next') })
  return {
    kind: 'page',
    title: texts.login.title,
    body: errorSummary(errorMessage) + codePrompt + form(request, action, fields.join('\n')),
    status,
  }
}

function endCurrentSession(
  { deps, session, actor }: SignedInRequest,
  event: 'session_ended' | 'signed_out',
): Promise<void> {
  return endSession(deps.catalog, { id: session.id, userId: session.user.id, event }, actor)
}

export async function submitLogout(request: SignedInRequest): Promise<PageResponse> {
  await endCurrentSession(request, 'signed_out')
  return { ...redirectTo('login.php', { notice: 'signedOut' }), session: null }
}
