// The cards on the account page: the user's name, password, preferences and sessions.

import { html } from 'ghtml'
import { renameUser } from '../../../accounts/edit-user.ts'
import { changePassword } from '../../../accounts/sign-in/change-password.ts'
import { endOtherSessions, endSession, listSessions } from '../../../accounts/sign-in/sessions.ts'
import { issueDeviceCookie } from '../../../accounts/sign-in/sign-in.ts'
import { setPreferences } from '../../../accounts/users.ts'
import { browserName } from '../../../lib/user-agent.ts'
import {
  confirmPasswordField,
  errorSummary,
  form,
  passwordField,
  selectField,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { buttonRow, relatedList } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { isLanguage, isTheme, languageOf, languages, type Texts } from '../../i18n/index.ts'
import { rowSizes, type SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, requirePassword } from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import type { NoticeName } from '../../toasts.ts'
import { pageUrl, safePagePath } from '../../urls.ts'

/** `actions`: the actions of the card's buttons, by button name. If an action refuses the form, the page shows the card
 *  again, with the errors. */
export type AccountCard = {
  title(texts: Texts): string
  show(request: SignedInRequest, errors: FormErrors): Promise<string> | string
  actions: Record<string, (request: SignedInRequest) => Promise<PageResponse>>
}

/** Returns the page's URL. A page that was opened from a tenant's page stays in that tenant. */
export function profileUrl({ query }: SignedInRequest, parameters: Record<string, number> = {}): string {
  return pageUrl('profile.php', { tenant: query.get('tenant'), ...parameters })
}

export function backToProfile({ query }: SignedInRequest, notice: NoticeName): PageResponse & { kind: 'redirect' } {
  return redirectTo('profile.php', { tenant: query.get('tenant'), notice })
}

export const nameCard: AccountCard = {
  title: (texts) => texts.profile.account,
  show: nameForm,
  actions: { do_name: saveName },
}

function nameForm(request: SignedInRequest, { errorMessage: error }: FormErrors): string {
  const { texts, session, form: formValues } = request
  const value = formValues.get('name') ?? session.user.name ?? ''
  const field = textField({
    name: 'name',
    label: texts.profile.name,
    hint: texts.profile.nameHint,
    value,
    error,
    autocomplete: 'name',
  })
  return form(request, profileUrl(request), field + buttonRow(submitButton(texts.save, { name: 'do_name' })))
}

async function saveName(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  await renameUser(deps.catalog, session.user.id, formValues.get('name') ?? '', actor)
  return backToProfile(request, 'saved')
}

export const passwordCard: AccountCard = {
  title: (texts) => texts.profile.changePassword,
  show: (request, { errorMessage }) => errorSummary(errorMessage) + passwordForm(request),
  actions: { do_password: savePassword },
}

function passwordForm(request: SignedInRequest): string {
  const { texts } = request
  const fields = [
    textField({
      name: 'password',
      type: 'password',
      label: texts.profile.currentPassword,
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
  return form(request, profileUrl(request), fields.join('\n'))
}

async function savePassword(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  const input = {
    current: formValues.get('password') ?? '',
    next: formValues.get('new_password') ?? '',
    sessionId: session.id,
  }
  request.cookies.session = await changePassword(deps, session.user.id, input, actor)
  const device = await issueDeviceCookie(deps.catalog, deps.pepper, session.user.id, actor)
  return { ...backToProfile(request, 'passwordChanged'), device }
}

export const preferencesCard: AccountCard = {
  title: (texts) => texts.profile.preferences,
  show: preferencesForm,
  actions: { do_preferences: savePreferences },
}

function preferencesForm(request: SignedInRequest): string {
  const { texts, session, rowSize } = request
  const languageChoices = Object.entries(languages).map(([name, { language }]) => [name, language] as const)
  const theme = session.user.theme ?? 'system'
  const fields = [
    selectField({
      name: 'language',
      label: texts.profile.language,
      choices: languageChoices,
      value: languageOf(texts),
    }),
    selectField({ name: 'theme', label: texts.layout.theme, choices: Object.entries(texts.themes), value: theme }),
    selectField({
      name: 'rows',
      label: texts.layout.rowHeight,
      value: rowSize,
      hint: texts.layout.rowHeightHint,
      choices: rowSizes.map((each) => [each, texts.layout.rowSizes[each]] as const),
    }),
    buttonRow(submitButton(texts.save, { name: 'do_preferences' })),
  ]
  return form(request, profileUrl(request), fields.join('\n'))
}

/** Handles two forms: this page's form, and the form in the account menu. Only the latter has a `back` field,
 *  which names the page to return to. */
async function savePreferences(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues } = request
  const [language, theme, rows, back] = ['language', 'theme', 'rows', 'back'].map((name) => formValues.get(name))
  const isInvalid =
    (language && !isLanguage(language)) ||
    (theme && !isTheme(theme)) ||
    (rows && !rowSizes.some((each) => each === rows))
  if (isInvalid || !(language || theme || rows)) throw new PageError(400, 'bad_request')
  if (language || theme)
    await setPreferences(deps.catalog, session.user.id, { ...(language && { language }), ...(theme && { theme }) })
  const to = typeof back === 'string' ? { kind: 'redirect' as const, to: safePagePath(back) } : null
  const preferences = rows ? { preferences: { rows } } : {}
  return { ...(to ?? backToProfile(request, 'saved')), ...preferences }
}

export const sessionsCard: AccountCard = {
  title: (texts) => texts.profile.sessions,
  show: sessionList,
  actions: { do_end: endOne, do_end_others: endOthers },
}

async function sessionList(request: SignedInRequest, { passwordError }: FormErrors): Promise<string> {
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
  const confirm = confirmPasswordField(request, passwordError, 'password-sessions')
  const button = buttonRow(submitButton(texts.profile.endOthers, { name: 'do_end_others' }))
  return form(request, profileUrl(request), list + confirm + button)
}

async function endOne(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  await requirePassword(request)
  await endSession(deps.catalog, { id: formValues.get('do_end') ?? '', userId: session.user.id }, actor)
  return backToProfile(request, 'sessionEnded')
}

async function endOthers(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, actor } = request
  await requirePassword(request)
  await endOtherSessions(deps.catalog, session, actor)
  return backToProfile(request, 'sessionEnded')
}
