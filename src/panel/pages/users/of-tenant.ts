// The list of users with a role in a tenant, and the form that invites a user. Administrators are not listed.

import { html } from 'ghtml'
import { createUser, displayName, listUsersOfTenant, type User } from '../../../accounts/users.ts'
import { tenantRoles } from '../../../catalog/roles.ts'
import { UserError } from '../../../lib/user-error.ts'
import { stateBadge } from '../../components/badge.ts'
import {
  type Choice,
  confirmPasswordField,
  form,
  selectField,
  submitButton,
  textField,
} from '../../components/forms.ts'
import { listPage } from '../../components/list-page.ts'
import { buttonRow } from '../../components/sections.ts'
import { labelColumns } from '../../components/table.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import type { Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { type FormErrors, FormRefused, requirePassword } from '../../submit.ts'
import { pageUrl } from '../../urls.ts'
import { linkPage } from './link.ts'

/** Creates an account. Only administrators can add an existing account to another tenant. Otherwise a manager could
 *  invite another person's email address, set a password with the link, and later sign in to every tenant that invites
 *  this address. */
export async function inviteToTenant(request: TenantRequest): Promise<PageResponse> {
  const { deps, tenant, form: formValues, texts, origin, baseParams } = request
  const [email = '', name = ''] = ['email', 'name'].map((each) => formValues.get(each) ?? '')
  const role = readRole(formValues.get('role'))
  await requirePassword(request)
  try {
    const { user, token } = await createUser(deps.catalog, { email, name, role, slugs: [tenant.slug] }, origin)
    return linkPage(request, user.email, token, pageUrl('users.php', baseParams))
  } catch (error) {
    const isTaken = error instanceof UserError && error.reason === 'email_taken'
    throw isTaken ? new FormRefused({ errorMessage: texts.users.taken }) : error
  }
}

export async function tenantUsersPage(request: TenantRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps, tenant, baseParams } = request
  const { role, state, lastSignIn, inviteTitle, empty } = texts.users
  const inviteForm = form(request, pageUrl('users.php', baseParams), inviteFields(request, errors.passwordError))
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
    add: { label: inviteTitle, form: inviteForm, errors },
  })
}

function roleName(texts: Texts, { roles }: User, tenantId: string): string {
  const membership = roles.find(({ tenant_id }) => tenant_id === tenantId)
  return membership ? texts.roles[membership.role] : texts.none
}

function inviteFields(request: TenantRequest, passwordError: string | undefined): string {
  const { texts, form: formValues } = request
  const value = (name: string) => formValues.get(name) ?? ''
  return html`!${textField({ name: 'email', label: texts.email, value: value('email') })}
!${textField({ name: 'name', label: texts.profile.name, value: value('name') })}
!${roleField(texts, value('role') || 'viewer')}
!${confirmPasswordField(request, passwordError)}
!${buttonRow(submitButton(texts.users.invite, { kind: 'main' }))}`
}

export function roleField(texts: Texts, value: string): string {
  const choices = tenantRoles.map((role): Choice => [role, `${texts.roles[role]}: ${texts.users.roleHelp[role]}`])
  return selectField({ name: 'role', label: texts.users.role, choices, value })
}

/** Throws a PageError with 400 for an unknown role. */
export function readRole(given: string | null): (typeof tenantRoles)[number] {
  const role = tenantRoles.find((each) => each === given)
  if (!role) throw new PageError(400, 'bad_request')
  return role
}
