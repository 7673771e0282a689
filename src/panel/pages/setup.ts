// /setup.php: opens a one-time link that creates the first administrator or sets a password.

import { html } from 'ghtml'
import { renameUser } from '../../accounts/edit-user.ts'
import {
  findLink,
  type OneTimeLink,
  recordRefusedLink,
  usePasswordLink,
  useSetupLink,
} from '../../accounts/one-time-links/one-time-links.ts'
import { issueDeviceCookie, startSession } from '../../accounts/sign-in/sign-in.ts'
import { readUserName, requireUser, setPreferences, type User } from '../../accounts/users.ts'
import { createDemoTenant, demoSlug } from '../../tenants/demo/create-demo-tenant.ts'
import { findTenant } from '../../tenants/tenants.ts'
import {
  errorSummary,
  form,
  hiddenField,
  passwordField,
  selectField,
  submitButton,
  textField,
} from '../components/forms/forms.ts'
import { chosenTimeZone, timeZoneField } from '../components/forms/time-zone-field.ts'
import { buttonRow } from '../components/sections.ts'
import { isLanguage, type Language, languageOf, languages } from '../i18n/index.ts'
import { currencyIn } from '../i18n/time-zones.ts'
import type { PageRequest } from '../requests/request.ts'
import { type FormErrors, statusFor, submitForm } from '../requests/submit.ts'
import { type PageResponse, redirectTo } from '../responses.ts'
import { pageUrl } from '../urls.ts'

/** The query makes this URL differ from that of a one-time link. If only the fragment differed, the browser would not
 *  reload the page when the user pastes another one-time link into the address bar. */
const target = 'setup.php?opened=1'

/** The token is in the link's fragment, which browsers do not send to the server. panel.js therefore copies the token
 *  into this form and submits it. If scripts are disabled, the user pastes the link into the form. */
export function showSetup(request: PageRequest): PageResponse {
  const { texts } = request
  const token = textField({ name: 'token', label: texts.setup.link, hint: texts.setup.linkHint })
  const fields = token + buttonRow(submitButton(texts.setup.linkSubmit, { kind: 'main' }))
  const body = html`<p>${texts.setup.linkIntro}</p>!${form(request, target, fields, { className: 'one-time-link' })}`
  return { kind: 'page', title: texts.setup.linkTitle, body }
}

/** A form with only the token opens the link. A form that also has a password redeems the link. */
export async function submitSetup(request: PageRequest): Promise<PageResponse> {
  const { deps, form: formValues } = request
  const token = tokenIn(formValues.get('token') ?? '')
  if (token === '') return showSetup(request)
  const link = await findLink(deps.catalog, token, deps.now())
  if (!link) return refuseLink(request)
  if (!formValues.has('password')) return setupPage(request, { link, token })
  return submitForm(request, redeemLink, setupPage, { link, token })
}

type OpenLink = { link: OneTimeLink; token: string }

/** Accepts the whole link or just the part after `token=`. */
function tokenIn(pasted: string): string {
  return pasted.trim().replace(/^.*token=/s, '')
}

async function redeemLink(request: PageRequest, openLink: OpenLink): Promise<PageResponse> {
  const { deps, actor, form: formValues } = request
  const user = await useLink(request, openLink)
  const language = chosenLanguage(request)
  if (isNewAccount(openLink.link)) await setPreferences(deps.catalog, user.id, { language })
  if (user.has_second_factor) return redirectTo('login.php')
  const session = await startSession(deps.catalog, user.id, actor)
  const device = await issueDeviceCookie(deps.catalog, deps.pepper, user.id, actor)
  if (openLink.link.purpose === 'password') return { kind: 'redirect', to: './', session, device }
  const timeZone = chosenTimeZone(request)
  const preferences = { 'time-zone': timeZone }
  if (!formValues.has('demo')) return { kind: 'redirect', to: './', session, device, preferences }
  const options = { language, timeZone, currency: currencyIn(timeZone), actor: { userId: user.id } }
  if (!(await findTenant(deps.catalog, demoSlug))) await createDemoTenant(deps, options, { ...actor, by: user.id })
  return { kind: 'redirect', to: pageUrl('', { tenant: demoSlug }), session, device, preferences }
}

async function useLink({ deps, form, actor }: PageRequest, { link, token }: OpenLink): Promise<User> {
  const { catalog } = deps
  const [name, email, password] = ['name', 'email', 'password'].map((field) => form.get(field) ?? '') as NewAccount
  if (link.purpose === 'setup') return useSetupLink(catalog, token, { email, name, password }, actor)
  const isRenamed = isNewAccount(link) && readUserName(name) !== link.user.name
  const user = await usePasswordLink(catalog, token, password, actor)
  if (isRenamed) await renameUser(catalog, user.id, name, { ...actor, by: user.id })
  return requireUser(catalog, user.id)
}

type NewAccount = [name: string, email: string, password: string]

/** Whether the link's user has never signed in. */
function isNewAccount(link: OneTimeLink): boolean {
  return link.purpose === 'setup' || link.user.state === 'invited'
}

function chosenLanguage({ form, texts }: PageRequest): Language {
  const language = form.get('language') ?? ''
  return isLanguage(language) ? language : languageOf(texts)
}

function setupPage(request: PageRequest, { link, token }: OpenLink, errors: FormErrors = {}): PageResponse {
  const { texts } = request
  const { setup } = texts
  const isFirst = link.purpose === 'setup'
  const isNew = isNewAccount(link)
  const hasFocus = errors.errorMessage === undefined
  const newPassword = passwordField(texts, {
    name: 'password',
    label: isNew ? texts.password : texts.newPassword,
    hint: texts.passwordHint,
    autocomplete: 'new-password',
    autofocus: hasFocus && !isNew,
  })
  const fields = [
    hiddenField('token', token),
    isNew ? nameField(request, link, hasFocus) : '',
    isFirst
      ? emailField(request)
      : html`<input type="hidden" name="username" value="${link.user.email}" autocomplete="username">`,
    newPassword,
    isNew ? languageField(request) : '',
    isFirst ? timeZoneField(request, setup.timeZoneHint) + demoField(request) : '',
    buttonRow(submitButton(isFirst ? setup.submit : setup.passwordSubmit, { kind: 'main' })),
  ]
  const intro = isFirst ? setup.intro : setup.passwordIntro(link.user.email)
  const setupForm = form(request, target, fields.join('\n'))
  return {
    kind: 'page',
    title: isFirst ? setup.title : setup.passwordTitle,
    body: html`<p>${intro}</p>!${errorSummary(errors.errorMessage)}!${setupForm}`,
    status: statusFor(errors),
  }
}

function nameField({ texts, form: formValues }: PageRequest, link: OneTimeLink, autofocus: boolean): string {
  const { name: label, nameHint: hint } = texts.profile
  const value = formValues.get('name') ?? (link.purpose === 'setup' ? '' : (link.user.name ?? ''))
  return textField({ name: 'name', label, hint, value, autocomplete: 'name', autofocus })
}

function emailField({ texts, form: formValues }: PageRequest): string {
  const value = formValues.get('email') ?? ''
  return textField({ name: 'email', label: texts.email, type: 'email', value, autocomplete: 'username' })
}

function languageField(request: PageRequest): string {
  const choices = Object.entries(languages).map(([name, { language }]) => [name, language] as const)
  const value = chosenLanguage(request)
  return selectField({ name: 'language', label: request.texts.profile.language, choices, value })
}

function demoField({ texts, form: formValues }: PageRequest): string {
  const checked = formValues.has('demo') ? ' checked' : ''
  return html`<div class="field check"><input type="checkbox" id="demo" name="demo" value="1"!${checked}
 aria-describedby="demo-hint">
<label for="demo">${texts.setup.demo}</label><p class="hint" id="demo-hint">${texts.setup.demoHint}</p></div>`
}

async function refuseLink({ texts, deps, actor }: PageRequest): Promise<PageResponse> {
  await recordRefusedLink(deps.catalog, actor)
  const body = html`<p class="lead">${texts.reasons.link_expired}</p>
<p>${texts.setup.expiredHelp}</p>
<p><a href="./">${texts.frame.home}</a></p>`
  return { kind: 'page', title: texts.refusalTitles.refused, body, status: 410 }
}
