// The list of all accounts in the installation, and the form that invites a user.

import { html } from 'ghtml'
import { createUser, displayName, listUsers } from '../../../accounts/users.ts'
import type { Role } from '../../../catalog/roles.ts'
import { listTenants } from '../../../tenants/tenants.ts'
import { stateBadge } from '../../components/badge.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, FormRefused, requirePassword } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { describeRoles, inviteForm, linkPage, roleField, tenantField } from './fields.ts'

export async function submitInvitation(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: formValues, texts, actor } = request
  const [email = '', name = '', slug = ''] = ['email', 'name', 'tenant'].map((each) => formValues.get(each) ?? '')
  const role = roles.find((each) => each === formValues.get('role')) ?? 'viewer'
  if (role !== 'administrator' && slug === '') throw new FormRefused({ errorMessage: texts.users.tenantMissing })
  await requirePassword(request)
  const slugs = role === 'administrator' ? [] : [slug]
  const { user, token } = await createUser(deps.catalog, { email, name, role, slugs }, actor)
  return linkPage(request, user.email, token, 'users.php')
}

export async function usersPage(request: SignedInRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, form: formValues } = request
  const [users, tenants] = await Promise.all([listUsers(deps.catalog), listTenants(deps.catalog)])
  const { role, state, secondFactor, lastSignIn, inviteTitle } = texts.users
  const access = [roleField(texts, formValues.get('role') ?? '', roles), tenantField(request, tenants)].join('\n')
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
      html`${user.last_signed_in_at ? formatDateTime(texts, user.last_signed_in_at) : texts.never}`,
    ],
    empty: '',
    add: { label: inviteTitle, form: inviteForm(request, 'users.php', access, errors), errors },
  })
}

const roles: readonly Role[] = ['manager', 'viewer', 'administrator']
