// /users.php: shows all accounts to administrators. If `tenant` is given, shows the users with a role in that tenant.
// The tenant's managers can also see this list.

import { toLocalizedRequestIfAvailable } from '../../authorize.ts'
import { isAdministrator, type SignedInRequest } from '../../request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { inviteUser, usersPage } from './all.ts'
import { submitUser, userPage } from './detail.ts'
import { inviteToTenant, tenantUsersPage } from './of-tenant.ts'
import { changeRole, removeAccess, rolePage } from './role.ts'

export async function showUsers(request: SignedInRequest): Promise<PageResponse> {
  const id = request.query.get('id')
  if (isForAllTenants(request)) return id === null ? usersPage(request) : userPage(request, id)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  return id === null ? tenantUsersPage(tenantRequest) : rolePage(tenantRequest, id)
}

export async function submitUsers(request: SignedInRequest): Promise<PageResponse> {
  const { query, form: formValues } = request
  const id = query.get('id')
  if (isForAllTenants(request)) return id === null ? inviteUser(request) : submitUser(request, id)
  const tenantRequest = await toLocalizedRequestIfAvailable(request)
  if (id === null) return inviteToTenant(tenantRequest)
  if (formValues.has('set_role')) return changeRole(tenantRequest, id)
  if (formValues.has('remove')) return removeAccess(tenantRequest, id)
  throw new PageError(400, 'bad_request')
}

function isForAllTenants(request: SignedInRequest): boolean {
  return isAdministrator(request) && !request.query.has('tenant')
}
