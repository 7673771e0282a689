// /profile.php: the user's own password, two-factor authentication, sessions, language and theme.

import { html } from 'ghtml'
import encodeQR from 'qr'
import { changePassword } from '../../accounts/change-password.ts'
import { renameUser } from '../../accounts/edit-user.ts'
import { endOtherSessions, endSession, listSessions } from '../../accounts/sessions.ts'
import { issueDeviceCookie } from '../../accounts/sign-in.ts'
import { newSecret, secretUri, turnOffSecondFactor, turnOnSecondFactor } from '../../accounts/two-factor.ts'
import { displayName, setPreferences } from '../../accounts/users.ts'
import { lacksSecondFactor, needsSecondFactor } from '../authorize.ts'
import {
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  form,
  hiddenField,
  messageFor,
  passwordField,
  selectField,
  submitButton,
  textField,
} from '../components/forms.ts'
import { pageHead } from '../components/page-parts.ts'
import { buttonRow, card, relatedList } from '../components/sections.ts'
import { browserName } from '../components/user-agent.ts'
import { describeRoles } from '../components/user-roles.ts'
import { formatDateTime } from '../i18n/conventions.ts'
import { isLanguage, isTheme, languages } from '../i18n/index.ts'
import { rowSizes, type SignedInRequest } from '../request.ts'
import { PageError, type PageResponse, redirectTo } from '../responses.ts'
import { pagePath } from '../urls.ts'

export function showProfile(request: SignedInRequest): Promise<PageResponse> | PageResponse {
  if (request.query.has('second_factor')) return secondFactorPage(request, newSecret().secret)
  return profilePage(request)
}

type Submit = (request: SignedInRequest) => Promise<PageResponse> | PageResponse

/** The handler of each form on the page, by the name of its button. */
const submits: Record<string, Submit> = {
  name: saveName,
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

async function saveName(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: sent, origin, texts } = request
  try {
    await renameUser(deps.catalog, session.user.id, sent.get('name') ?? '', origin)
    return redirectTo('profile.php', { notice: 'saved' })
  } catch (error) {
    return profilePage(request, { name: messageFor(texts, error) })
  }
}

/** Sent from this page, and from the menu on every page, which leads back to where it was opened. */
async function savePreferences({ deps, session, form: sent }: SignedInRequest): Promise<PageResponse> {
  const [language, theme, rows, back] = ['language', 'theme', 'rows', 'back'].map((name) => sent.get(name))
  const isWrong = (language && !isLanguage(language)) || (theme && !isTheme(theme)) || (rows && !isRowSize(rows))
  if (isWrong || !(language || theme || rows)) throw new PageError(400, 'bad_request')
  if (language || theme)
    await setPreferences(deps.catalog, session.user.id, { ...(language && { language }), ...(theme && { theme }) })
  const to = typeof back === 'string' ? { kind: 'redirect' as const, to: pagePath(back) } : null
  const preferences = rows ? { preferences: { rows } } : {}
  return { ...(to ?? redirectTo('profile.php', { notice: 'saved' })), ...preferences }
}

function isRowSize(value: string): boolean {
  return rowSizes.some((each) => each === value)
}

async function savePassword(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: sent, origin, texts } = request
  const input = { current: sent.get('password') ?? '', next: sent.get('new_password') ?? '', sessionId: session.id }
  try {
    request.cookies.session = await changePassword(deps.catalog, deps.pepper, session.user.id, input, origin)
    const device = await issueDeviceCookie(deps.catalog, deps.pepper, session.user.id, origin)
    return { ...redirectTo('profile.php', { notice: 'passwordChanged' }), device }
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

type ProfileErrors = { name?: string; password?: string; secondFactor?: string; sessions?: string }

async function profilePage(request: SignedInRequest, errors: ProfileErrors = {}): Promise<PageResponse> {
  const { texts, session } = request
  const { email, name } = session.user
  const about = [name ? email : '', describeRoles(texts, session.user)].filter(Boolean).join(' · ')
  const title = displayName(session.user)
  const head = pageHead({ icon: 'person', title, about: html`<span dir="auto">${about}</span>` })
  const body = html`!${head}<div class="columns">
<div>!${card(texts.profile.name, nameForm(request, errors.name))}
!${card(texts.profile.preferences, preferencesForm(request))}
!${card(texts.profile.sessions, await sessionList(request, errors.sessions))}</div>
<div>!${card(texts.profile.changePassword, errorSummary(errors.password) + passwordForm(request))}
!${card(texts.profile.secondFactor, secondFactorState(request, errors.secondFactor))}</div>
</div>`
  const isRefused = Object.keys(errors).length > 0
  return { kind: 'page', title: texts.layout.profile, hasHead: true, body, status: isRefused ? 422 : 200 }
}

/** The name appears in the history of the user's tenants. */
function nameForm(request: SignedInRequest, error: string | undefined): string {
  const { texts, session, form: sent } = request
  const value = sent.get('name') ?? session.user.name ?? ''
  const field = textField({
    ...{ name: 'name', label: texts.profile.name, hint: texts.profile.nameHint, value, error },
    autocomplete: 'name',
  })
  return form(request, 'profile.php', field + buttonRow(submitButton(texts.save, { name: 'do_name' })))
}

function preferencesForm(request: SignedInRequest): string {
  const { texts, session, rows } = request
  const languageChoices = Object.entries(languages).map(([name, { language }]) => [name, language] as const)
  const [language] = Object.entries(languages).find(([, each]) => each === texts) ?? ['en']
  const theme = session.user.theme ?? 'system'
  const fields = [
    selectField({ name: 'language', label: texts.profile.language, choices: languageChoices, value: language }),
    selectField({ name: 'theme', label: texts.frame.theme, choices: Object.entries(texts.themes), value: theme }),
    selectField({
      ...{ name: 'rows', label: texts.layout.rows, value: rows, hint: texts.layout.rowsHint },
      choices: rowSizes.map((each) => [each, texts.layout.rowSizes[each]] as const),
    }),
    buttonRow(submitButton(texts.save, { name: 'do_preferences' })),
  ]
  return form(request, 'profile.php', fields.join('\n'))
}

function passwordForm(request: SignedInRequest): string {
  const { texts } = request
  const fields = [
    passwordField(texts, {
      name: 'password',
      label: texts.profile.presentPassword,
      autocomplete: 'current-password',
    }),
    passwordField(texts, {
      name: 'new_password',
      label: texts.newPassword,
      hint: texts.passwordHint,
      autocomplete: 'new-password',
    }),
    buttonRow(submitButton(texts.profile.changePassword, { name: 'do_password' })),
  ]
  return form(request, 'profile.php', fields.join('\n'))
}

function secondFactorState(request: SignedInRequest, error: string | undefined): string {
  const { texts, session } = request
  const { secondFactorOff, secondFactorOn, secondFactorRequired, turnOn, turnOff } = texts.profile
  if (!session.user.has_second_factor) {
    const link = html`<a class="button" href="profile.php?second_factor=1">${turnOn}</a>`
    return html`<p>${secondFactorOff}</p>!${buttonRow(link)}`
  }
  if (needsSecondFactor(request)) {
    const required = error ? '' : html`<p>${secondFactorRequired}</p>`
    return html`!${errorSummary(error)}<p>${secondFactorOn}</p>!${required}`
  }
  const confirm = confirmPasswordField(request, error, 'password-off')
  const button = buttonRow(submitButton(turnOff, { name: 'do_turn_off' }))
  return html`<p>${secondFactorOn}</p>!${form(request, 'profile.php', confirm + button)}`
}

async function sessionList(request: SignedInRequest, error: string | undefined): Promise<string> {
  const { texts, deps, session } = request
  const sessions = await listSessions(deps.catalog, session.user.id, deps.now())
  const items = sessions.map(({ id, last_seen_at, address: from, agent }) => {
    const end =
      id === session.id
        ? html`<b>${texts.profile.thisSession}</b>`
        : html`<button class="link" name="do_end" value="${id}">${texts.profile.endSession}</button>`
    const seen = html`<small>${browserName(agent ?? '')}, ${formatDateTime(texts, last_seen_at)}</small>`
    return html`<li>${from ?? ''} !${seen} !${end}</li>`
  })
  const list = relatedList(items)
  if (sessions.length < 2) return list
  const confirm = confirmPasswordField(request, error, 'password-sessions')
  const button = buttonRow(submitButton(texts.profile.endOthers, { name: 'do_end_others' }))
  return form(request, 'profile.php', list + confirm + button)
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
  const cancel = isRequired ? '' : html`<a href="profile.php">${texts.cancel}</a>`
  const fields = [
    hiddenField('secret', secret),
    textField({
      name: 'code',
      label: texts.login.codeLabel,
      autocomplete: 'one-time-code',
      error: codeError,
    }),
    confirmPasswordField(request, passwordError),
    buttonRow(submitButton(texts.profile.turnOn, { name: 'do_turn_on', kind: 'main' }), cancel),
  ]
  const required = isRequired ? html`<p class="lead">${texts.profile.secondFactorRequired}</p>` : ''
  const body = html`!${required}<p>${texts.profile.scan}</p>
<div class="qr" role="img" aria-label="QR">!${encodeQR(secretUri(secret, session.user.email), 'svg')}</div>
<p>${texts.profile.orType}</p>
<p class="secret">${groups}</p>
!${form(request, 'profile.php', fields.join('\n'))}`
  return { kind: 'page', title: texts.profile.secondFactor, body, status: codeError || passwordError ? 422 : 200 }
}

/** Shows the recovery codes, which appear only in this response. */
function codesPage({ texts }: SignedInRequest, codes: string[]): PageResponse {
  const body = html`<p class="lead">${texts.profile.codesHelp}</p>!${copyable(texts, 'codes', codes.join('\n'))}
!${buttonRow(html`<a class="button" href="profile.php">${texts.profile.codesKept}</a>`)}`
  return { kind: 'page', title: texts.profile.codes, body }
}
