// The list of users with a role in a tenant, and the form that invites a user. Administrators are not listed.

import { html } from 'ghtml'
import { inviteByEmail } from '../../../accounts/edit-user.ts'
import { displayName, listUsersOfTenant, type User } from '../../../accounts/users.ts'
import { stateBadge } from '../../components/badge.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { formatDuration, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type FormErrors, FormRefused, requirePassword } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { inviteForm, linkPage, readRole, roleField } from './fields.ts'

/** Creates an account. Only administrators can add an existing account to another tenant. If managers could do so too,
 *  a manager could invite another person's email address, choose the password by opening the link, and later sign in to
 *  every tenant that invites this address. */
export async function inviteToTenant(request: TenantRequest): Promise<PageResponse> {
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

export async function tenantUsersPage(request: TenantRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams, form: formValues } = request
  const { role, state, lastSignIn, inviteTitle, empty } = texts.users
  const access = roleField(texts, formValues.get('role') || 'viewer')
  return listPage(request, {
    title: texts.frame.users,
    icon: 'people',
    items: await listUsersOfTenant(deps.catalog, { tenantId: tenant.id, withAdministrators: false }),
    searchText: (user) => `${user.name ?? ''} ${user.email}`,
    head: labelColumns(texts.profile.name, texts.email, role, state, lastSignIn),
    row: (user) => [
      html`<a dir="auto" href="${pageUrl('users.php', { ...baseParams, id: user.id })}">${displayName(user)}</a>`,
      html`${user.email}`,
      html`${roleName(texts, user, tenant.id)}`,
      stateBadge(user.state, texts.users.states[user.state]),
      html`${user.last_signed_in_at ? formatDateTime(texts, user.last_signed_in_at) : texts.never}`,
    ],
    empty,
    add: { label: inviteTitle, form: inviteForm(request, pageUrl('users.php', baseParams), access, errors), errors },
  })
}

function roleName(texts: Texts, { roles }: User, tenantId: string): string {
  const membership = roles.find(({ tenant_id }) => tenant_id === tenantId)
  return membership ? texts.roles[membership.role] : texts.none
}
