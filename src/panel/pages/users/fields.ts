// What the pages about users share: the form that invites a user, the fields that give a user a role in a tenant, and
// the page that shows a one-time link.

import { html } from 'ghtml'
import { linkAddress } from '../../../accounts/one-time-links/one-time-links.ts'
import type { User } from '../../../accounts/users.ts'
import { type Role, tenantRoles } from '../../../catalog/roles.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import {
  type Choice,
  confirmPasswordField,
  copyable,
  form,
  selectField,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'

/** `access`: the fields for the role and the tenant, as HTML. */
export function inviteForm(request: SignedInRequest, action: string, access: string, errors: FormErrors): string {
  const { texts, form: formValues } = request
  const fields = html`!${textField({ name: 'email', label: texts.email, value: formValues.get('email') ?? '' })}
!${textField({ name: 'name', label: texts.profile.name, value: formValues.get('name') ?? '' })}
!${access}
!${confirmPasswordField(request, errors.passwordError)}
!${buttonRow(submitButton(texts.users.invite, { kind: 'main' }))}`
  return form(request, action, fields)
}

/** Asks for a role. A select would cut off what the roles allow on a phone. `isTitled`: the question is the title of
 *  the form's card. */
export function roleField(
  texts: Texts,
  value: string | null,
  { roles = tenantRoles, isTitled = false }: { roles?: readonly Role[]; isTitled?: boolean } = {},
): string {
  const chosen = roles.find((role) => role === value) ?? 'viewer'
  const choices = roles.map((role) => {
    return html`<label><input type="radio" name="role" value="${role}"!${role === chosen ? ' checked' : ''}>
<span>${texts.roles[role]} <small>${texts.users.roleHelp[role]}</small></span></label>`
  })
  const hidden = isTitled ? ' class="hidden"' : ''
  return html`<fieldset class="field wide" id="role"><legend!${hidden}>${texts.users.role}</legend>
<div class="radios lines">!${choices}</div></fieldset>`
}

/** Throws a PageError with 400 for an unknown role. */
export function readRole(given: string | null): (typeof tenantRoles)[number] {
  const role = tenantRoles.find((each) => each === given)
  if (!role) throw new PageError(400, 'bad_request')
  return role
}

/** If there are more tenants than this, the form has a text field for the short name instead of a list of tenants. */
const maxTenantOptions = 100

export function tenantField({ texts, form: formValues }: SignedInRequest, tenants: Tenant[]): string {
  const chosen = formValues.get('tenant') ?? ''
  if (tenants.length > maxTenantOptions)
    return textField({ name: 'tenant', label: texts.users.tenantOf, value: chosen, hint: texts.tenants.slug })
  const choices = tenants.map(({ slug, name }): Choice => [slug, name])
  return selectField({ name: 'tenant', label: texts.users.tenantOf, choices: [['', ''], ...choices], value: chosen })
}

/** Shows a one-time link, which appears only in this response. `back`: the user list's URL. */
export function linkPage(
  { texts, rootUrl }: SignedInRequest,
  email: string,
  token: string,
  back: string,
): PageResponse {
  const body = html`<p>${texts.users.linkHelp(email)}</p>
!${copyable(texts, 'link', linkAddress(rootUrl, token))}
!${buttonRow(html`<a href="${back}">${texts.frame.users}</a>`)}`
  return { kind: 'page', title: texts.setup.link, body }
}

/** Returns for example `Administrator`, or `acme: Manager, beta: Viewer`. */
export function describeRoles(texts: Texts, { role, roles }: User): string {
  if (role === 'administrator') return texts.roles.administrator
  return roles.map((each) => `${each.tenant_name}: ${texts.roles[each.role]}`).join(', ')
}
