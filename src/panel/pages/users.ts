// /users.php: user accounts, for administrators.

import { html } from 'ghtml'
import { type CreatedApiKey, listApiKeysCreatedBy } from '../../access/api-key-creators.ts'
import { createPasswordLink, linkAddress } from '../../accounts/one-time-links.ts'
import { endAllSessions, listSessions, type Session } from '../../accounts/sessions.ts'
import { createUser, deleteUser, findUser, listUsers, type User } from '../../accounts/users.ts'
import type { Role } from '../../catalog/roles.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import {
  type Choice,
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  type FormErrors,
  form,
  messageFor,
  selectField,
  submitButton,
  textField,
} from '../components/forms.ts'
import { paginate, searchItems } from '../components/pagination.ts'
import { buttonRow, card, relatedList } from '../components/sections.ts'
import { labelled, table } from '../components/table.ts'
import { browserName } from '../components/user-agent.ts'
import { formatDateTime } from '../i18n/conventions.ts'
import type { Texts } from '../i18n/index.ts'
import type { SignedInRequest } from '../request.ts'
import { PageError, type PageResponse, redirectTo } from '../responses.ts'
import { pageUrl } from '../urls.ts'

export async function showUsers(request: SignedInRequest): Promise<PageResponse> {
  const id = request.query.get('id')
  return id === null ? usersPage(request) : userPage(request, id)
}

export async function submitUsers(request: SignedInRequest): Promise<PageResponse> {
  const { query, form: sent } = request
  const id = query.get('id')
  if (id === null) return invite(request)
  if (sent.has('reset')) return reset(request, id)
  if (sent.has('end_sessions')) return endSessions(request, id)
  if (sent.has('delete')) return remove(request, id)
  throw new PageError(400, 'bad_request')
}

async function invite(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: sent, texts, origin } = request
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return usersPage(request, { passwordError: passwordError })
  const role: Role = sent.get('role') === 'administrator' ? 'administrator' : 'manager'
  const slug = sent.get('tenant') ?? ''
  if (role === 'manager' && slug === '') return usersPage(request, { errorMessage: texts.users.tenantMissing })
  try {
    const input = { email: sent.get('email') ?? '', role, ...(role === 'manager' && { slug }) }
    const { user, token } = await createUser(deps.catalog, input, origin)
    return linkPage(request, user.email, token)
  } catch (error) {
    return usersPage(request, { errorMessage: messageFor(texts, error) })
  }
}

async function reset(request: SignedInRequest, id: string): Promise<PageResponse> {
  const user = await requireUser(request, id)
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return userPage(request, id, passwordError)
  return linkPage(request, user.email, await createPasswordLink(request.deps.catalog, id, request.origin))
}

async function endSessions(request: SignedInRequest, id: string): Promise<PageResponse> {
  await requireUser(request, id)
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return userPage(request, id, passwordError)
  await endAllSessions(request.deps.catalog, id, request.origin)
  return redirectTo('users.php', { id, notice: 'sessionsEnded' })
}

async function remove(request: SignedInRequest, id: string): Promise<PageResponse> {
  const { deps } = request
  const user = await requireUser(request, id)
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return userPage(request, id, passwordError)
  try {
    await deleteUser(deps.catalog, id, request.origin)
    const keys = await listApiKeysCreatedBy(deps.catalog, id, deps.now())
    return keys.length === 0 ? redirectTo('users.php', { notice: 'deleted' }) : deletedPage(request, user, keys)
  } catch (error) {
    return userPage(request, id, undefined, messageFor(request.texts, error))
  }
}

/** Lists the API keys that the deleted user created, because they still work. */
function deletedPage({ texts }: SignedInRequest, { email }: User, keys: CreatedApiKey[]): PageResponse {
  const back = html`<a href="users.php">${texts.frame.users}</a>`
  const notice = html`<p class="notice" role="status">${texts.notices.deleted}</p>`
  const body = notice + keyList(texts, keys) + buttonRow(back)
  return { kind: 'page', title: email, body }
}

/** A page lists at most this many API keys of a user. */
const maxKeys = 50

function keyList(texts: Texts, keys: CreatedApiKey[]): string {
  if (keys.length === 0) return ''
  const items = keys.slice(0, maxKeys).map(({ id, name, display, tenant_slug: tenant }) => {
    const link = html`<a href="${pageUrl('api_keys.php', { tenant, key: id })}">${name}</a>`
    return html`<li>!${link} <small><code>${display}</code> ${tenant}</small></li>`
  })
  const rest = keys.length - items.length
  const more = rest > 0 ? html`<p>${texts.users.moreKeys(rest)}</p>` : ''
  return html`<h2>${texts.users.keys}</h2><p class="hint">${texts.users.keysHelp}</p>!${relatedList(items)}!${more}`
}

async function requireUser({ deps }: SignedInRequest, id: string): Promise<User> {
  const user = await findUser(deps.catalog, id)
  if (!user) throw new PageError(404, 'not_found')
  return user
}

/** The link is shown only in this response. */
function linkPage({ texts, rootUrl }: SignedInRequest, email: string, token: string): PageResponse {
  const body = html`<p>${texts.users.linkHelp(email)}</p>
!${copyable(texts, 'link', linkAddress(rootUrl, token))}
!${buttonRow(html`<a href="users.php">${texts.frame.users}</a>`)}`
  return { kind: 'page', title: texts.users.linkTitle, body }
}

async function usersPage(
  request: SignedInRequest,
  { errorMessage, passwordError }: FormErrors = {},
): Promise<PageResponse> {
  const { texts, deps } = request
  const [users, tenants] = await Promise.all([listUsers(deps.catalog), listTenants(deps.catalog)])
  const inviteForm = form(request, 'users.php', inviteFields(request, tenants, passwordError))
  const body = userTable(request, users) + card(texts.users.inviteTitle, errorSummary(errorMessage) + inviteForm)
  return { kind: 'page', title: texts.frame.users, body, status: errorMessage || passwordError ? 422 : 200 }
}

function userTable(request: SignedInRequest, users: User[]): string {
  const { texts } = request
  const searchText = ({ email, tenant_slug }: User) => `${email} ${tenant_slug ?? ''}`
  const { found, form: search } = searchItems(request, users, searchText)
  const { shown, paging } = paginate(request, found)
  const rows = shown.map(({ id, email, role, tenant_slug, state, has_second_factor, last_signed_in_at }) => [
    html`<a href="${pageUrl('users.php', { id })}">${email}</a>`,
    html`${texts.roles[role]}`,
    html`${tenant_slug ?? texts.none}`,
    html`<span class="state" data-state="${state}">${texts.users.states[state]}</span>`,
    html`${has_second_factor ? texts.yes : texts.no}`,
    html`${last_signed_in_at ? formatDateTime(texts, last_signed_in_at) : texts.never}`,
  ])
  const { role, state, secondFactor, lastSignIn } = texts.users
  const head = labelled(texts.email, role, texts.frame.tenant, state, secondFactor, lastSignIn)
  return search + table({ head, rows, name: 'records' }) + paging
}

function inviteFields(request: SignedInRequest, tenants: Tenant[], passwordError: string | undefined): string {
  const { texts, form: sent } = request
  const roles = (['manager', 'administrator'] as const).map(
    (role): Choice => [role, `${texts.roles[role]}: ${texts.users.roleHelp[role]}`],
  )
  return html`<div class="grid">!${textField({ name: 'email', label: texts.email, value: sent.get('email') ?? '' })}
!${selectField({ name: 'role', label: texts.users.role, choices: roles, value: sent.get('role') ?? '' })}
!${tenantField(request, tenants)}
!${confirmPasswordField(request, passwordError)}
</div>
!${buttonRow(submitButton(texts.users.invite, { kind: 'main' }))}`
}

/** Above this many tenants, the form asks for the short name instead of showing a list. */
const maxTenantOptions = 100

function tenantField({ texts, form: sent }: SignedInRequest, tenants: Tenant[]): string {
  const chosen = sent.get('tenant') ?? ''
  if (tenants.length > maxTenantOptions)
    return textField({ name: 'tenant', label: texts.users.tenantOf, value: chosen, hint: texts.tenants.slug })
  const choices = tenants.map(({ slug, name }): Choice => [slug, name])
  return selectField({ name: 'tenant', label: texts.users.tenantOf, choices: [['', ''], ...choices], value: chosen })
}

async function userPage(
  request: SignedInRequest,
  id: string,
  passwordError?: string,
  errorMessage?: string,
): Promise<PageResponse> {
  const { texts, deps } = request
  const user = await requireUser(request, id)
  const sessions = await listSessions(deps.catalog, id, deps.now())
  const keys = await listApiKeysCreatedBy(deps.catalog, id, deps.now())
  const buttons = [
    sessions.length > 0 ? submitButton(texts.users.endSessions, { name: 'end_sessions' }) : '',
    submitButton(texts.users.reset, { name: 'reset' }),
    submitButton(texts.users.delete, { name: 'delete', kind: 'danger' }),
  ]
  const fields = confirmPasswordField(request, passwordError) + buttonRow(...buttons)
  const body = html`!${errorSummary(errorMessage)}<p>${texts.roles[user.role]} <b>${user.tenant_slug ?? ''}</b></p>
!${sessionList(texts, sessions)}!${keyList(texts, keys)}
<p class="hint">${texts.users.resetHelp}</p>
!${form(request, pageUrl('users.php', { id }), fields)}
<p class="actions"><a href="users.php">${texts.frame.users}</a>
<a href="${pageUrl('events.php', { user: id })}">${texts.frame.events}</a></p>`
  return { kind: 'page', title: user.email, body, status: errorMessage || passwordError ? 422 : 200 }
}

function sessionList(texts: Texts, sessions: Session[]): string {
  if (sessions.length === 0) return html`<p>${texts.users.noSessions}</p>`
  const items = sessions.map(({ address, agent, last_seen_at }) => {
    const seen = `${browserName(agent ?? '')}, ${formatDateTime(texts, last_seen_at)}`
    return html`<li>${address ?? ''} <small>${seen}</small></li>`
  })
  return html`<h2>${texts.users.sessions}</h2>!${relatedList(items)}`
}
