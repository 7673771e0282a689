// The form that invites a user, and the fields that give a user a role in a tenant.

import { html } from 'ghtml'
import { type Role, tenantRoles } from '../../../catalog/roles.ts'
import type { Tenant } from '../../../tenants/tenants.ts'
import {
  type Choice,
  confirmPasswordField,
  form,
  selectField,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import { PageError } from '../../responses.ts'

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

export function roleField(texts: Texts, value: string, roles: readonly Role[] = tenantRoles): string {
  const choices = roles.map((role): Choice => [role, `${texts.roles[role]}: ${texts.users.roleHelp[role]}`])
  return selectField({ name: 'role', label: texts.users.role, choices, value })
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
