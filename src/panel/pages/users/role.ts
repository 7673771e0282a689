// The page for one user's role in a tenant, with forms that change the role or remove the user.

import { html } from 'ghtml'
import { removeFromTenant, setTenantRole } from '../../../accounts/edit-user.ts'
import { displayName, findUser, type User } from '../../../accounts/users.ts'
import { stateBadge } from '../../components/badge.ts'
import { confirmPasswordField, errorSummary, form, submitButton } from '../../components/forms/forms.ts'
import { buttonRow, card, dangerCard, pageHead } from '../../components/sections.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type FormErrors, requireAction, requirePassword, statusFor, submitForm } from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { readRole, roleField } from './fields.ts'

const actions = { set_role: changeRole, remove: removeAccess }

export async function submitRole(request: TenantRequest, id: string): Promise<PageResponse> {
  return submitForm(request, requireAction(request, actions), rolePage, id)
}

async function changeRole(request: TenantRequest, id: string): Promise<PageResponse> {
  const { deps, tenant, form: formValues, actor, baseParams, texts } = request
  const user = await requireOtherUser(request, id)
  const role = readRole(formValues.get('role'))
  await requirePassword(request)
  await setTenantRole(deps.catalog, id, { slug: tenant.slug, role }, actor)
  const text = texts.users.done.roleSet(displayName(user), texts.roles[role])
  return redirectTo('users.php', { ...baseParams, id }, { text })
}

/** Removes the user from the tenant. If the account has no other tenant, the account is deleted. */
async function removeAccess(request: TenantRequest, id: string): Promise<PageResponse> {
  const { deps, tenant, actor, baseParams, texts } = request
  const user = await requireOtherUser(request, id)
  await requirePassword(request)
  await removeFromTenant(deps.catalog, id, { slug: tenant.slug, onLast: 'delete' }, actor)
  const text = texts.users.done.accessRemoved(displayName(user), tenant.name)
  return redirectTo('users.php', baseParams, { text })
}

export async function rolePage(request: TenantRequest, id: string, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, baseParams } = request
  const { user, membership } = await requireUserHere(request, id)
  const { role, remove, removeHelp, ownRole } = texts.users
  const action = pageUrl('users.php', { ...baseParams, id })
  const confirm = (name: string) => confirmPasswordField(request, errors.passwordError, `password-${name}`)
  const roleForm = roleField(texts, membership.role, { isTitled: true }) + confirm('role')
  const danger = { action: remove, question: removeHelp, url: action, button: remove, name: 'remove' }
  const cards = [
    card(role, form(request, action, roleForm + buttonRow(submitButton(texts.save, { name: 'set_role' })))),
    dangerCard(request, { ...danger, password: confirm('remove') }),
  ]
  const isOwn = user.id === request.session.user.id
  const head = pageHead({
    crumbs: [[pageUrl('users.php', baseParams), texts.frame.users]],
    icon: 'person',
    title: displayName(user),
    badges: stateBadge(user.state, texts.users.states[user.state]),
    about: html`<span dir="auto">${user.email} · ${texts.roles[membership.role]}</span>`,
  })
  const body = html`!${head}!${errorSummary(errors.errorMessage)}
!${isOwn ? html`<p>${ownRole}</p>` : html`<div class="columns">!${cards}</div>`}`
  return { kind: 'page', title: displayName(user), bodyHasHeading: true, body, status: statusFor(errors) }
}

/** Throws a PageError with 404 if the user does not exist or has no role in this tenant. */
async function requireUserHere({ deps, tenant }: TenantRequest, id: string) {
  const user = await findUser(deps.catalog, id)
  const membership = user?.roles.find(({ tenant_id }) => tenant_id === tenant.id)
  if (!user || !membership) throw new PageError(404, 'not_found')
  return { user, membership }
}

/** Users cannot change their own role. This prevents a tenant from losing its only manager by mistake. */
async function requireOtherUser(request: TenantRequest, id: string): Promise<User> {
  const { user } = await requireUserHere(request, id)
  if (id === request.session.user.id) throw new PageError(400, 'bad_request')
  return user
}
