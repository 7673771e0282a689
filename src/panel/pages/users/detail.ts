// The page for one account, which only administrators can open. It shows the account's name, tenants, sessions and API
// keys, with forms that change them.

import { html } from 'ghtml'
import { type CreatedApiKey, listApiKeysCreatedBy } from '../../../access/api-key-creators.ts'
import { renameUser, setTenantRole } from '../../../accounts/edit-user.ts'
import { createPasswordLink } from '../../../accounts/one-time-links/one-time-links.ts'
import { endAllSessions, listSessions, type Session } from '../../../accounts/sign-in/sessions.ts'
import { deleteUser, displayName, findUser, type User } from '../../../accounts/users.ts'
import { browserName } from '../../../lib/user-agent.ts'
import { findTenant, listTenants } from '../../../tenants/tenants.ts'
import { stateBadge } from '../../components/badge.ts'
import {
  confirmPasswordField,
  errorSummary,
  form,
  statusMessage,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { buttonRow, card, dangerCard, pageHead, relatedList } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import {
  type FormErrors,
  FormRefused,
  requireAction,
  requirePassword,
  statusFor,
  submitForm,
} from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { describeRoles, linkPage, readRole, roleField, tenantField } from './fields.ts'

const actions = { reset, end_sessions: endSessions, delete: remove, rename, add_tenant: addTenant }

export async function submitUser(request: SignedInRequest, id: string): Promise<PageResponse> {
  return submitForm(request, requireAction(request, actions), userPage, id)
}

async function rename(request: SignedInRequest, id: string): Promise<PageResponse> {
  await renameUser(request.deps.catalog, id, request.form.get('name') ?? '', request.actor)
  return redirectTo('users.php', { id, notice: 'saved' })
}

async function addTenant(request: SignedInRequest, id: string): Promise<PageResponse> {
  const { deps, form: formValues, texts, actor } = request
  const user = await requireUser(request, id)
  const [role, slug] = [readRole(formValues.get('role')), formValues.get('tenant') ?? '']
  if (slug === '') throw new FormRefused({ errorMessage: texts.apiKeys.choose })
  await requirePassword(request)
  const token = await setTenantRole(deps.catalog, id, { slug, role }, actor)
  const name = (await findTenant(deps.catalog, slug))?.name ?? slug
  const text = texts.users.done.added(displayName(user), name)
  const back = pageUrl('users.php', { id })
  return token === null ? redirectTo('users.php', { id }, { text }) : linkPage(request, user.email, token, back)
}

async function reset(request: SignedInRequest, id: string): Promise<PageResponse> {
  const user = await requireUser(request, id)
  await requirePassword(request)
  const token = await createPasswordLink(request.deps.catalog, id, request.actor)
  return linkPage(request, user.email, token, 'users.php')
}

async function endSessions(request: SignedInRequest, id: string): Promise<PageResponse> {
  const user = await requireUser(request, id)
  await requirePassword(request)
  await endAllSessions(request.deps.catalog, id, request.actor)
  const text = request.texts.users.done.sessionsEnded(displayName(user))
  return redirectTo('users.php', { id }, { text })
}

async function remove(request: SignedInRequest, id: string): Promise<PageResponse> {
  const { deps } = request
  const user = await requireUser(request, id)
  await requirePassword(request)
  await deleteUser(deps.catalog, id, request.actor)
  const keys = await listApiKeysCreatedBy(deps.catalog, id, deps.now())
  const text = request.texts.users.done.deleted(displayName(user))
  return keys.length === 0 ? redirectTo('users.php', {}, { text }) : deletedPage(request, user, keys)
}

/** Lists the API keys that the deleted user created, because they still work. */
function deletedPage({ texts }: SignedInRequest, user: User, keys: CreatedApiKey[]): PageResponse {
  const back = html`<a href="users.php">${texts.frame.users}</a>`
  const body = statusMessage(texts.users.done.deleted(displayName(user))) + keyList(texts, keys) + buttonRow(back)
  return { kind: 'page', title: displayName(user), body }
}

/** The maximum number of a user's API keys that a page lists. */
const maxKeys = 50

function keyList(texts: Texts, keys: CreatedApiKey[]): string {
  if (keys.length === 0) return ''
  const items = keys.slice(0, maxKeys).map(({ id, name, display, tenant_slug: tenant }) => {
    const link = html`<a href="${pageUrl('api_keys.php', { tenant, key: id })}">${name}</a>`
    return html`<li>!${link} <small><code>${display}</code> ${tenant}</small></li>`
  })
  const rest = keys.length - items.length
  const more = rest > 0 ? html`<p>${texts.users.moreKeys(rest)}</p>` : ''
  return card(texts.users.keys, html`<p class="hint">${texts.users.keysHelp}</p>!${relatedList(items)}!${more}`)
}

async function requireUser({ deps }: SignedInRequest, id: string): Promise<User> {
  const user = await findUser(deps.catalog, id)
  if (!user) throw new PageError(404, 'not_found')
  return user
}

export async function userPage(request: SignedInRequest, id: string, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps } = request
  const user = await requireUser(request, id)
  const sessions = await listSessions(deps.catalog, id, deps.now())
  const keys = await listApiKeysCreatedBy(deps.catalog, id, deps.now())
  const buttons = [
    sessions.length > 0 ? submitButton(texts.users.endSessions, { name: 'end_sessions' }) : '',
    submitButton(texts.users.reset, { name: 'reset' }),
  ]
  const fields = confirmPasswordField(request, errors.passwordError) + buttonRow(...buttons)
  const head = pageHead({
    crumbs: [['users.php', texts.frame.users]],
    icon: 'person',
    title: displayName(user),
    badges: stateBadge(user.state, texts.users.states[user.state]),
    about: html`<span dir="auto">${user.email} · ${describeRoles(texts, user)}</span>`,
    actions: [html`<a class="button" href="${pageUrl('events.php', { user: id })}">${texts.frame.events}</a>`],
  })
  const accountForm = form(request, pageUrl('users.php', { id }), fields)
  const account = html`<p class="hint">${texts.users.resetHelp}</p>!${accountForm}`
  const body = html`!${head}!${errorSummary(errors.errorMessage)}
<div class="columns"><div>!${card(texts.profile.account, nameForm(request, user))}
!${card(texts.users.sessions, sessionList(texts, sessions) + account)}
!${deleteCard(request, user, errors.passwordError)}</div>
<div>!${await tenantsCard(request, user, errors.passwordError)}!${keyList(texts, keys)}</div></div>`
  return { kind: 'page', title: displayName(user), bodyHasHeading: true, body, status: statusFor(errors) }
}

function deleteCard(request: SignedInRequest, user: User, passwordError: string | undefined): string {
  const { delete: action, deleteQuestion, deleteNow: button } = request.texts.users
  const password = confirmPasswordField(request, passwordError, 'password-delete')
  const [question, url] = [deleteQuestion(displayName(user)), pageUrl('users.php', { id: user.id })]
  return dangerCard(request, { action, question, url, button, name: 'delete', password })
}

function nameForm(request: SignedInRequest, { id, name }: User): string {
  const { texts } = request
  const field = textField({ name: 'name', label: texts.profile.name, value: name ?? '' })
  const button = buttonRow(submitButton(texts.save, { name: 'rename' }))
  return form(request, pageUrl('users.php', { id }), field + button)
}

/** Lists the tenants of a user who is not an administrator. Each tenant links to the page that changes the user's
 *  role in that tenant. */
async function tenantsCard(request: SignedInRequest, user: User, passwordError?: string): Promise<string> {
  const { texts, deps } = request
  if (user.role === 'administrator') return ''
  const items = user.roles.map(({ tenant_slug: tenant, tenant_name, role }) => {
    const url = pageUrl('users.php', { tenant, id: user.id })
    return html`<li><a href="${url}">${tenant_name}</a> <small>${texts.roles[role]}</small></li>`
  })
  const others = (await listTenants(deps.catalog)).filter(({ id }) => !user.roles.some((each) => each.tenant_id === id))
  const confirm = confirmPasswordField(request, passwordError, 'password-tenant')
  const button = buttonRow(submitButton(texts.users.addTenant, { name: 'add_tenant' }))
  const fields = tenantField(request, others) + roleField(texts, 'viewer') + confirm + button
  const add = others.length === 0 ? '' : form(request, pageUrl('users.php', { id: user.id }), fields)
  return card(texts.frame.tenants, relatedList(items) + add)
}

function sessionList(texts: Texts, sessions: Session[]): string {
  if (sessions.length === 0) return html`<p>${texts.users.noSessions}</p>`
  const items = sessions.map(({ address, agent, last_seen_at }) => {
    const seen = `${browserName(agent ?? '')}, ${formatDateTime(texts, last_seen_at)}`
    return html`<li>${address ?? ''} <small>${seen}</small></li>`
  })
  return relatedList(items)
}
