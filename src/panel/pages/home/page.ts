// /: a tenant's home page. If the URL does not name a tenant, administrators see the installation overview.

import { isAdministrator, type SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { showInstallation } from './installation.ts'
import { showTenant } from './tenant.ts'

export async function showHome(request: SignedInRequest): Promise<PageResponse> {
  return isAdministrator(request) && !request.query.has('tenant') ? showInstallation(request) : showTenant(request)
}
