// /users.php: shows all accounts to administrators. If `tenant` is given, shows the users with a role in that tenant.
// The tenant's managers can also see this list.

import { html } from 'ghtml'
import { inviteByEmail } from '../../../accounts/edit-user.ts'
import { createUser, displayName, listUsers, listUsersOfTenant, type User } from '../../../accounts/users.ts'
import type { Role } from '../../../catalog/roles.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { stateBadge } from '../../components/badge.ts'
import { timeOrNever } from '../../components/days.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { formatDuration, type Texts } from '../../i18n/index.ts'
import { toLocalizedRequestIfAvailable } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import { type FormErrors, FormRefused, requirePassword, submitForm } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { submitUser, userPage } from './detail.ts'
import { describeRoles, inviteForm, linkPage, readRole, roleField, tenantField } from './fields.ts'
import { rolePage, submitRole } from './role.ts'

export async function showUsers(request: SignedInRequest): Promise<PageResponse> {
  const id = request.query.get('id')
  if (isForAllTenants(request)) return id === null ? usersPage(request) : userPage(request, id)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  return id === null ? tenantUsersPage(tenantRequest) : rolePage(tenantRequest, id)
}

export async function submitUsers(request: SignedInRequest): Promise<PageResponse> {
  const id = request.query.get('id')
  if (isForAllTenants(request))
    return id === null ? submitForm(request, submitInvitation, usersPage) : submitUser(request, id)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  return id === null ? submitForm(tenantRequest, inviteToTenant, tenantUsersPage) : submitRole(tenantRequest, id)
}

function isForAllTenants(request: SignedInRequest): boolean {
  return isAdministrator(request) && !request.query.has('tenant')
}

async function submitInvitation(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: formValues, texts, actor } = request
  const [email = '', name = '', slug = ''] = ['email', 'name', 'tenant'].map((each) => formValues.get(each) ?? '')
  const role = roles.find((each) => each === formValues.get('role')) ?? 'viewer'
  if (role !== 'administrator' && slug === '') throw new FormRefused({ errorMessage: texts.apiKeys.choose })
  await requirePassword(request)
  const slugs = role === 'administrator' ? [] : [slug]
  const { user, token } = await createUser(deps.catalog, { email, name, role, slugs }, actor)
  return linkPage(request, user.email, token, 'users.php')
}

async function usersPage(request: SignedInRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, form: formValues } = request
  const [users, tenants] = await Promise.all([listUsers(deps.catalog), listTenants(deps.catalog)])
  const { role, state, secondFactor, lastSignIn, invite } = texts.users
  const access = [roleField(texts, formValues.get('role'), { roles }), tenantField(request, tenants)].join('\n')
  return listPage(request, {
    title: texts.frame.users,
    icon: 'people',
    items: users,
    searchText: (user) => `${user.name ?? ''} ${user.email} ${describeRoles(texts, user)}`,
    head: labelColumns(texts.profile.name, texts.email, role, state, secondFactor, lastSignIn),
    row: (user) => [
      html`<a dir="auto" href="${pageUrl('users.php', { id: user.id })}">${displayName(user)}</a>`,
      html`${user.email}`,
      html`${describeRoles(texts, user)}`,
      stateBadge(user.state, texts.users.states[user.state]),
      user.has_second_factor ? html`${texts.yes}` : html`<span class="none">${texts.no}</span>`,
      timeOrNever(texts, user.last_signed_in_at),
    ],
    empty: '',
    add: { label: invite, form: inviteForm(request, 'users.php', access, errors), errors },
  })
}

const roles: readonly Role[] = ['manager', 'viewer', 'administrator']

/** Creates an account. Only administrators can add an existing account to another tenant. If managers could do so too,
 *  a manager could invite another person's email address, choose the password by opening the link, and later sign in to
 *  every tenant that invites this address. */
async function inviteToTenant(request: TenantRequest): Promise<PageResponse> {
  const { deps, tenant, form: formValues, texts, actor, baseParams } = request
  const [email = '', name = ''] = ['email', 'name'].map((each) => formValues.get(each) ?? '')
  const role = readRole(formValues.get('role'))
  await requirePassword(request)
  const invitation = await inviteByEmail(deps.catalog, { email, name, role, slug: tenant.slug }, actor)
  if (invitation.outcome === 'invited')
    return linkPage(request, invitation.user.email, invitation.token, pageUrl('users.php', baseParams))
  const { users, login } = texts
  const errorMessage =
    invitation.outcome === 'refused' ? users.cannotInvite : login.throttled(formatDuration(texts, invitation.seconds))
  throw new FormRefused({ errorMessage })
}

async function tenantUsersPage(request: TenantRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams, form: formValues } = request
  const { role, state, lastSignIn, invite, empty } = texts.users
  const access = roleField(texts, formValues.get('role'))
  return listPage(request, {
    title: texts.frame.users,
    icon: 'people',
    items: await listUsersOfTenant(deps.catalog, { tenantId: tenant.id, includesAdministrators: false }),
    searchText: (user) => `${user.name ?? ''} ${user.email}`,
    head: labelColumns(texts.profile.name, texts.email, role, state, lastSignIn),
    row: (user) => [
      html`<a dir="auto" href="${pageUrl('users.php', { ...baseParams, id: user.id })}">${displayName(user)}</a>`,
      html`${user.email}`,
      html`${roleName(texts, user, tenant.id)}`,
      stateBadge(user.state, texts.users.states[user.state]),
      timeOrNever(texts, user.last_signed_in_at),
    ],
    empty,
    add: { label: invite, form: inviteForm(request, pageUrl('users.php', baseParams), access, errors), errors },
  })
}

function roleName(texts: Texts, { roles }: User, tenantId: string): string {
  const membership = roles.find(({ tenant_id }) => tenant_id === tenantId)
  return membership ? texts.roles[membership.role] : texts.none
}
