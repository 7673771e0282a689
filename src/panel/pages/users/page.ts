// /users.php: shows all accounts to administrators. If `tenant` is given, shows the users with a role in that tenant.
// The tenant's managers can also see this list.

import { toLocalizedRequestIfAvailable } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest } from '../../requests/request.ts'
import { submitForm } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { submitInvitation, usersPage } from './all.ts'
import { submitUser, userPage } from './detail.ts'
import { inviteToTenant, tenantUsersPage } from './of-tenant.ts'
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
