// /profile.php: the user's own password, two-factor authentication, sessions, language and theme.

import { html } from 'ghtml'
import encodeQR from 'qr'
import { endOtherSessions, endSession, listSessions } from '../../accounts/sessions.ts'
import { changePassword, issueDeviceCookie } from '../../accounts/sign-in.ts'
import { newSecret, secretUri, turnOffSecondFactor, turnOnSecondFactor } from '../../accounts/two-factor.ts'
import { setPreferences } from '../../accounts/users.ts'
import {
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  form,
  messageFor,
  textField,
} from '../components/forms.ts'
import { browserName } from '../components/user-agent.ts'
import { formatDateTime, isLanguage, languages } from '../i18n/index.ts'
import {
  lacksSecondFactor,
  needsSecondFactor,
  PageError,
  type PageResponse,
  pageUrl,
  redirectTo,
  type SignedInRequest,
} from '../request.ts'

export function showProfile(request: SignedInRequest): Promise<PageResponse> | PageResponse {
  if (request.query.has('second_factor')) return secondFactorPage(request, newSecret().secret)
  return profilePage(request)
}

type Submit = (request: SignedInRequest) => Promise<PageResponse> | PageResponse

/** The handler of each form on the page, by the name of its button. */
const submits: Record<string, Submit> = {
  preferences: savePreferences,
  password: savePassword,
  turn_on: turnOn,
  turn_off: turnOff,
  end: endOne,
  end_others: endOthers,
}

export function submitProfile(request: SignedInRequest): Promise<PageResponse> | PageResponse {
  const name = Object.keys(submits).find((each) => request.form.has(`do_${each}`))
  if (!name) throw new PageError(400, 'bad_request')
  return submits[name]!(request)
}

async function savePreferences({ deps, session, form: sent }: SignedInRequest): Promise<PageResponse> {
  const [language = '', theme = ''] = [sent.get('language') ?? '', sent.get('theme') ?? '']
  if (!isLanguage(language) || !['system', 'light', 'dark'].includes(theme)) throw new PageError(400, 'bad_request')
  await setPreferences(deps.catalog, session.user.id, { language, theme })
  return redirectTo('profile.php', { notice: 'saved' })
}

async function savePassword(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: sent, origin, texts } = request
  const input = { current: sent.get('password') ?? '', next: sent.get('new_password') ?? '', sessionId: session.id }
  try {
    request.cookies.session = await changePassword(deps.catalog, deps.pepper, session.user.id, input, origin)
    const device = await issueDeviceCookie(deps.catalog, deps.pepper, session.user.id, origin)
    return { kind: 'redirect', to: pageUrl('profile.php', { notice: 'passwordChanged' }), device }
  } catch (error) {
    return profilePage(request, { password: messageFor(texts, error) })
  }
}

/** The form sends the secret back; a correct code proves that the authenticator app has it. */
async function turnOn(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: sent, origin, texts } = request
  const [secret, code] = [sent.get('secret') ?? '', sent.get('code') ?? '']
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return secondFactorPage(request, secret, { passwordError: passwordError })
  try {
    const codes = await turnOnSecondFactor(deps.catalog, deps.pepper, session.user.id, secret, code, origin)
    return codesPage(request, codes)
  } catch (error) {
    return secondFactorPage(request, secret, { codeError: messageFor(texts, error) })
  }
}

async function turnOff(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, origin, texts } = request
  if (needsSecondFactor(request)) return profilePage(request, { secondFactor: texts.profile.secondFactorRequired })
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return profilePage(request, { secondFactor: passwordError })
  await turnOffSecondFactor(deps.catalog, session.user.id, origin)
  return redirectTo('profile.php', { notice: 'saved' })
}

async function endOne(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: sent, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return profilePage(request, { sessions: passwordError })
  await endSession(deps.catalog, sent.get('do_end') ?? '', session.user.id, origin)
  return redirectTo('profile.php', { notice: 'sessionEnded' })
}

async function endOthers(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return profilePage(request, { sessions: passwordError })
  await endOtherSessions(deps.catalog, session, origin)
  return redirectTo('profile.php', { notice: 'sessionEnded' })
}

type FormErrors = { password?: string; secondFactor?: string; sessions?: string }

async function profilePage(request: SignedInRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, session } = request
  const body = html`<p>${texts.roles[session.user.role]} <b>${session.user.tenant_slug ?? ''}</b></p>
<div class="columns">
<section class="card"><h2>${texts.profile.preferences}</h2>!${preferencesForm(request)}</section>
<section class="card"><h2>${texts.profile.changePassword}</h2>!${errorSummary(errors.password)}!${passwordForm(request)}</section>
<section class="card"><h2>${texts.profile.secondFactor}</h2>!${secondFactorState(request, errors.secondFactor)}</section>
<section class="card"><h2>${texts.profile.sessions}</h2>!${await sessionList(request, errors.sessions)}</section>
</div>`
  const isRefused = Object.keys(errors).length > 0
  return { kind: 'page', title: session.user.email, body, status: isRefused ? 422 : 200 }
}

function preferencesForm(request: SignedInRequest): string {
  const { texts, session } = request
  const select = (name: string, label: string, present: string, options: [string, string][]) => {
    const items = options.map(
      ([value, text]) => html`<option value="${value}"!${value === present ? ' selected' : ''}>${text}</option>`,
    )
    return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">!${items.join('')}</select></div>`
  }
  const spoken = Object.entries(languages).map(([name, { language }]): [string, string] => [name, language])
  const present = Object.entries(languages).find(([, each]) => each === texts)?.[0] ?? 'en'
  const fields = html`!${select('language', texts.profile.language, present, spoken)}
!${select('theme', texts.frame.theme, session.user.theme ?? 'system', Object.entries(texts.themes))}
<p class="actions"><button name="do_preferences" value="1">${texts.save}</button></p>`
  return form(request, 'profile.php', fields)
}

function passwordForm(request: SignedInRequest): string {
  const { texts } = request
  const fields = html`!${textField({ name: 'password', label: texts.profile.presentPassword, type: 'password', autocomplete: 'current-password' })}
!${textField({ name: 'new_password', label: texts.newPassword, type: 'password', hint: texts.passwordHint, autocomplete: 'new-password' })}
<p class="actions"><button name="do_password" value="1">${texts.profile.changePassword}</button></p>`
  return form(request, 'profile.php', fields)
}

function secondFactorState(request: SignedInRequest, error: string | undefined): string {
  const { texts, session } = request
  if (!session.user.has_second_factor) {
    return html`<p>${texts.profile.secondFactorOff}</p><p class="actions"><a class="button" href="profile.php?second_factor=1">${texts.profile.turnOn}</a></p>`
  }
  if (needsSecondFactor(request)) {
    return html`!${errorSummary(error)}<p>${texts.profile.secondFactorOn}</p>!${error ? '' : html`<p>${texts.profile.secondFactorRequired}</p>`}`
  }
  const fields = html`!${confirmPasswordFieldAs(request, 'off', error)}<p class="actions"><button name="do_turn_off" value="1">${texts.profile.turnOff}</button></p>`
  return html`<p>${texts.profile.secondFactorOn}</p>!${form(request, 'profile.php', fields)}`
}

/** Makes the ids unique, because the page has several of these fields. */
function confirmPasswordFieldAs(request: SignedInRequest, end: string, error: string | undefined): string {
  return confirmPasswordField(request, error)
    .replaceAll(/(id|for)="password"/g, `$1="password-${end}"`)
    .replaceAll('"password-error"', `"password-${end}-error"`)
}

async function sessionList(request: SignedInRequest, error: string | undefined): Promise<string> {
  const { texts, deps, session } = request
  const sessions = await listSessions(deps.catalog, session.user.id, deps.now())
  const items = sessions.map(({ id, last_seen_at, address: from, agent }) => {
    const end =
      id === session.id
        ? html`<b>${texts.profile.thisSession}</b>`
        : html`<button class="link" name="do_end" value="${id}">${texts.profile.endSession}</button>`
    return html`<li>${from ?? ''} <small>${browserName(agent ?? '')}, ${formatDateTime(texts, last_seen_at)}</small> !${end}</li>`
  })
  const list = html`<ul class="related">!${items.join('')}</ul>`
  if (sessions.length < 2) return list
  const others = html`!${confirmPasswordFieldAs(request, 'sessions', error)}<p class="actions"><button name="do_end_others" value="1">${texts.profile.endOthers}</button></p>`
  return form(request, 'profile.php', list + others)
}

type FactorErrors = { codeError?: string; passwordError?: string }

function secondFactorPage(
  request: SignedInRequest,
  secret: string,
  { codeError, passwordError }: FactorErrors = {},
): PageResponse {
  const { texts, session } = request
  if (!/^[A-Z2-7]{32}$/.test(secret)) throw new PageError(400, 'bad_request')
  const isRequired = lacksSecondFactor(request)
  const groups = secret.match(/.{4}/g)!.join(' ')
  const fields = html`<input type="hidden" name="secret" value="${secret}">
!${textField({ name: 'code', label: texts.login.codeLabel, autocomplete: 'one-time-code', error: codeError })}!${confirmPasswordField(request, passwordError)}
<p class="actions"><button class="main" name="do_turn_on" value="1">${texts.profile.turnOn}</button>!${isRequired ? '' : html` <a href="profile.php">${texts.cancel}</a>`}</p>`
  const required = isRequired ? html`<p class="lead">${texts.profile.secondFactorRequired}</p>` : ''
  const body = html`!${required}<p>${texts.profile.scan}</p><div class="qr" role="img" aria-label="QR">!${encodeQR(secretUri(secret, session.user.email), 'svg')}</div>
<p>${texts.profile.orType}</p><p class="secret">${groups}</p>!${form(request, 'profile.php', fields)}`
  return { kind: 'page', title: texts.profile.secondFactor, body, status: codeError || passwordError ? 422 : 200 }
}

/** Shows the recovery codes, which appear only in this response. */
function codesPage({ texts }: SignedInRequest, codes: string[]): PageResponse {
  const body = html`<p class="lead">${texts.profile.codesHelp}</p>!${copyable(texts, 'codes', codes.join('\n'))}
<p class="actions"><a class="button" href="profile.php">${texts.profile.codesKept}</a></p>`
  return { kind: 'page', title: texts.profile.codes, body }
}
