// /assign.php: does something with assets (`do` and `ids`), or gives a person equipment (`person`).

import { toLocalRequest } from '../../authorize.ts'
import type { SignedInRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'
import { showGive, submitGive } from './give.ts'
import { showVerb, submitVerb } from './verb-page.ts'

export async function showAssign(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalRequest(request, 'write')
  return request.query.has('person') ? showGive(tenantRequest) : showVerb(tenantRequest)
}

export async function submitAssign(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalRequest(request)
  return request.query.has('person') ? submitGive(tenantRequest) : submitVerb(tenantRequest)
}
