// /setup.php: opens a one-time link that creates the first administrator or sets a password.

import { html } from 'ghtml'
import {
  findLink,
  type OneTimeLink,
  recordRefusedLink,
  usePasswordLink,
  useSetupLink,
} from '../../accounts/one-time-links/one-time-links.ts'
import { issueDeviceCookie, startSession } from '../../accounts/sign-in/sign-in.ts'
import type { User } from '../../accounts/users.ts'
import { errorSummary, form, hiddenField, passwordField, submitButton, textField } from '../components/forms/forms.ts'
import { buttonRow } from '../components/sections.ts'
import { createDemoTenant } from '../demo/create-demo-tenant.ts'
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
  const { deps, texts, actor, form: formValues } = request
  const user = await useLink(request, openLink)
  if (user.has_second_factor) return redirectTo('login.php')
  const session = await startSession(deps.catalog, user.id, actor)
  const wantsDemo = openLink.link.purpose === 'setup' && formValues.has('demo')
  const to = wantsDemo ? pageUrl('', { tenant: await createDemoTenant(deps, user, actor, texts.locale) }) : './'
  const device = await issueDeviceCookie(deps.catalog, deps.pepper, user.id, actor)
  return { kind: 'redirect', to, session, device }
}

function useLink({ deps, form, actor }: PageRequest, { link, token }: OpenLink): Promise<User> {
  const password = form.get('password') ?? ''
  if (link.purpose === 'password') return usePasswordLink(deps.catalog, token, password, actor)
  return useSetupLink(deps.catalog, token, { email: form.get('email') ?? '', password }, actor)
}

function setupPage(request: PageRequest, { link, token }: OpenLink, errors: FormErrors = {}): PageResponse {
  const { texts, form: formValues } = request
  const isFirst = link.purpose === 'setup'
  const email = isFirst
    ? textField({
        name: 'email',
        label: texts.email,
        type: 'email',
        value: formValues.get('email') ?? '',
        autocomplete: 'username',
      })
    : html`<input type="hidden" name="username" value="${link.user.email}" autocomplete="username">`
  const checked = formValues.has('demo') ? ' checked' : ''
  const demo = isFirst
    ? html`<div class="field check"><input type="checkbox" id="demo" name="demo" value="1"!${checked}>
<label for="demo">${texts.setup.demo}</label></div>`
    : ''
  const newPassword = passwordField(texts, {
    name: 'password',
    label: texts.newPassword,
    hint: texts.passwordHint,
    autocomplete: 'new-password',
  })
  const button = submitButton(isFirst ? texts.setup.submit : texts.setup.passwordSubmit, { kind: 'main' })
  const fields = [hiddenField('token', token), email, newPassword, demo, buttonRow(button)].join('\n')
  const intro = isFirst ? texts.setup.intro : texts.setup.passwordIntro(link.user.email)
  return {
    kind: 'page',
    title: isFirst ? texts.setup.title : texts.setup.passwordTitle,
    body: html`<p>${intro}</p>!${errorSummary(errors.errorMessage)}!${form(request, target, fields)}`,
    status: statusFor(errors),
  }
}

async function refuseLink({ texts, deps, actor }: PageRequest): Promise<PageResponse> {
  await recordRefusedLink(deps.catalog, actor)
  const body = html`<p class="lead">${texts.setup.expired}</p>
<p>${texts.setup.expiredHelp}</p>
<p><a href="./">${texts.frame.home}</a></p>`
  return { kind: 'page', title: texts.refusalTitles.refused, body, status: 410 }
}
