// /users.php: who may use the panel. For administrators.

import { html } from 'ghtml'
import { type CreatedApiKey, listApiKeysCreatedBy } from '../../access/api-key-creators.ts'
import { createPasswordLink, linkAddress } from '../../accounts/one-time-links.ts'
import { endAllSessions, listSessions, type Session } from '../../accounts/sessions.ts'
import { createUser, deleteUser, listUsers, type User } from '../../accounts/users.ts'
import type { Role } from '../../catalog/roles.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import {
  checkPasswordAgain,
  copyable,
  errorSummary,
  form,
  messageFor,
  passwordAgain,
  textField,
} from '../components/forms.ts'
import { pageOf, searchOf } from '../components/pagination.ts'
import { agentName } from '../components/user-agent.ts'
import { type Texts, writeMoment, writeNumber } from '../i18n/index.ts'
import { PageError, type PageResponse, pageUrl, redirectTo, type SignedInRequest } from '../request.ts'

export async function showUsers(visit: SignedInRequest): Promise<PageResponse> {
  const id = visit.query.get('id')
  return id === null ? usersPage(visit) : userPage(visit, id)
}

export async function submitUsers(visit: SignedInRequest): Promise<PageResponse> {
  const { query, form: sent } = visit
  const id = query.get('id')
  if (id === null) return invite(visit)
  if (sent.has('reset')) return reset(visit, id)
  if (sent.has('end_sessions')) return endTheirSessions(visit, id)
  if (sent.has('delete')) return remove(visit, id)
  throw new PageError(400, 'bad_request')
}

async function invite(visit: SignedInRequest): Promise<PageResponse> {
  const { parts, form: sent, texts, origin } = visit
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return usersPage(visit, { passwordError: wrong })
  const role: Role = sent.get('role') === 'administrator' ? 'administrator' : 'manager'
  const slug = sent.get('tenant') ?? ''
  if (role === 'manager' && slug === '') return usersPage(visit, { sentence: texts.users.tenantMissing })
  try {
    const wish = { email: sent.get('email') ?? '', role, ...(role === 'manager' && { slug }) }
    const { user, token } = await createUser(parts.catalog, wish, origin)
    return linkPage(visit, user.email, token)
  } catch (error) {
    return usersPage(visit, { sentence: messageFor(texts, error) })
  }
}

async function reset(visit: SignedInRequest, id: string): Promise<PageResponse> {
  const user = await requireListed(visit, id)
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return userPage(visit, id, wrong)
  return linkPage(visit, user.email, await createPasswordLink(visit.parts.catalog, id, visit.origin))
}

async function endTheirSessions(visit: SignedInRequest, id: string): Promise<PageResponse> {
  await requireListed(visit, id)
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return userPage(visit, id, wrong)
  await endAllSessions(visit.parts.catalog, id, visit.origin)
  return redirectTo('users.php', { id, said: 'sessionsEnded' })
}

async function remove(visit: SignedInRequest, id: string): Promise<PageResponse> {
  const { parts } = visit
  const user = await requireListed(visit, id)
  const wrong = await checkPasswordAgain(visit)
  if (wrong) return userPage(visit, id, wrong)
  try {
    await deleteUser(parts.catalog, id, visit.origin)
    const keys = await listApiKeysCreatedBy(parts.catalog, id, parts.now())
    return keys.length === 0 ? redirectTo('users.php', { said: 'deleted' }) : deletedPage(visit, user, keys)
  } catch (error) {
    return userPage(visit, id, undefined, messageFor(visit.texts, error))
  }
}

/** The account is gone; the keys that it made are not. */
function deletedPage({ texts }: SignedInRequest, { email }: User, keys: CreatedApiKey[]): PageResponse {
  const body = html`<p class="said" role="status">${texts.said.deleted}</p>!${keyList(texts, keys)}<p class="actions"><a href="users.php">${texts.frame.users}</a></p>`
  return { kind: 'page', title: email, body }
}

/** A page lists at most this many of the keys that someone made. */
const maxKeys = 50

function keyList(texts: Texts, keys: CreatedApiKey[]): string {
  if (keys.length === 0) return ''
  const items = keys
    .slice(0, maxKeys)
    .map(
      ({ id, name, display, tenant_slug: tenant }) =>
        html`<li><a href="${pageUrl('api_keys.php', { tenant, key: id })}">${name}</a> <small><code>${display}</code> ${tenant}</small></li>`,
    )
  const rest = keys.length - items.length
  const more = rest > 0 ? html`<p>${texts.users.moreKeys(writeNumber(texts, rest))}</p>` : ''
  return html`<h2>${texts.users.keys}</h2><p class="hint">${texts.users.keysHelp}</p><ul class="related">!${items.join('')}</ul>!${more}`
}

async function requireListed({ parts }: SignedInRequest, id: string): Promise<User> {
  const user = (await listUsers(parts.catalog)).find((each) => each.id === id)
  if (!user) throw new PageError(404, 'not_found')
  return user
}

/** The link is in this answer alone. */
function linkPage({ texts, rootUrl }: SignedInRequest, email: string, token: string): PageResponse {
  const body = html`<p>${texts.users.linkHelp(email)}</p>!${copyable(texts, 'link', linkAddress(rootUrl, token))}<p class="actions"><a href="users.php">${texts.frame.users}</a></p>`
  return { kind: 'page', title: texts.users.linkTitle, body }
}

type Refusals = { sentence?: string; passwordError?: string }

async function usersPage(visit: SignedInRequest, { sentence, passwordError }: Refusals = {}): Promise<PageResponse> {
  const { texts, parts, form: sent } = visit
  const [users, tenants] = await Promise.all([listUsers(parts.catalog), listTenants(parts.catalog)])
  const { found, form: search } = searchOf(visit, users, ({ email, tenant_slug }) => `${email} ${tenant_slug ?? ''}`)
  const { shown, paging } = pageOf(visit, found)
  const rows = shown.map(
    ({ id, email, role, tenant_slug, state, has_second_factor, last_signed_in_at }) =>
      html`<tr><th scope="row"><a href="${pageUrl('users.php', { id })}">${email}</a></th><td data-label="${texts.users.role}">${texts.roles[role]}</td><td data-label="${texts.frame.tenant}">${tenant_slug ?? texts.none}</td><td data-label="${texts.users.state}"><span class="state" data-state="${state}">${texts.users.states[state]}</span></td><td data-label="${texts.users.secondFactor}">${has_second_factor ? texts.yes : texts.no}</td><td data-label="${texts.users.lastSignIn}">${last_signed_in_at ? writeMoment(texts, last_signed_in_at) : texts.never}</td></tr>`,
  )
  const heads = [
    texts.email,
    texts.users.role,
    texts.frame.tenant,
    texts.users.state,
    texts.users.secondFactor,
    texts.users.lastSignIn,
  ]
  const roles = (['manager', 'administrator'] as const).map(
    (role) =>
      html`<option value="${role}"!${sent.get('role') === role ? ' selected' : ''}>${texts.roles[role]}: ${texts.users.roleHelp[role]}</option>`,
  )
  const fields = html`<div class="grid">!${textField({ name: 'email', label: texts.email, value: sent.get('email') ?? '' })}
<div class="field"><label for="role">${texts.users.role}</label><select id="role" name="role">!${roles.join('')}</select></div>
!${tenantField(visit, tenants)}
!${passwordAgain(visit, passwordError)}</div><p class="actions"><button class="main">${texts.users.invite}</button></p>`
  const body = html`!${search}<table class="records"><thead><tr>!${heads.map((each) => html`<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table>!${paging}
<section class="card"><h2>${texts.users.inviteTitle}</h2>!${errorSummary(sentence)}!${form(visit, 'users.php', fields)}</section>`
  return { kind: 'page', title: texts.frame.users, body, status: sentence || passwordError ? 422 : 200 }
}

/** More than a list to choose from are named by their short name. */
const choosable = 100

function tenantField({ texts, form: sent }: SignedInRequest, tenants: Tenant[]): string {
  const chosen = sent.get('tenant') ?? ''
  if (tenants.length > choosable)
    return textField({ name: 'tenant', label: texts.users.tenantOf, value: chosen, hint: texts.tenants.slug })
  const options = tenants.map(
    ({ slug, name }) => html`<option value="${slug}"!${chosen === slug ? ' selected' : ''}>${name}</option>`,
  )
  return html`<div class="field"><label for="tenant">${texts.users.tenantOf}</label><select id="tenant" name="tenant"><option value=""></option>!${options.join('')}</select></div>`
}

async function userPage(
  visit: SignedInRequest,
  id: string,
  passwordError?: string,
  sentence?: string,
): Promise<PageResponse> {
  const { texts, parts } = visit
  const user = await requireListed(visit, id)
  const sessions = await listSessions(parts.catalog, id, parts.now())
  const keys = await listApiKeysCreatedBy(parts.catalog, id, parts.now())
  const to = pageUrl('users.php', { id })
  const again = passwordAgain(visit, passwordError)
  const endButton =
    sessions.length > 0 ? html`<button name="end_sessions" value="1">${texts.users.endSessions}</button>` : ''
  const buttons = html`<p class="actions">!${endButton}<button name="reset" value="1">${texts.users.reset}</button><button class="danger" name="delete" value="1">${texts.users.delete}</button></p>`
  const body = html`!${errorSummary(sentence)}<p>${texts.roles[user.role]} <b>${user.tenant_slug ?? ''}</b></p>
!${sessionList(texts, sessions)}!${keyList(texts, keys)}<p class="hint">${texts.users.resetHelp}</p>!${form(visit, to, again + buttons)}
<p class="actions"><a href="users.php">${texts.frame.users}</a> <a href="${pageUrl('events.php', { user: id })}">${texts.frame.events}</a></p>`
  return { kind: 'page', title: user.email, body, status: sentence || passwordError ? 422 : 200 }
}

function sessionList(texts: Texts, sessions: Session[]): string {
  if (sessions.length === 0) return html`<p>${texts.users.noSessions}</p>`
  const items = sessions.map(
    ({ address, agent, last_seen_at }) =>
      html`<li>${address ?? ''} <small>${agentName(agent ?? '')}, ${writeMoment(texts, last_seen_at)}</small></li>`,
  )
  return html`<h2>${texts.users.sessions}</h2><ul class="related">!${items.join('')}</ul>`
}
