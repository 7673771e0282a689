// /assign.php: performs the verb in `do`, such as lending, on the assets in `ids`, or gives equipment to `person`.

import { toLocalizedRequest } from '../../requests/authorize.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { askForRecord } from '../search/ask-for-record.ts'
import { showGive, submitGive } from './give.ts'
import { personField } from './questions.ts'
import { showVerb, submitVerb } from './verb-page.ts'

export async function showAssign(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  if (request.query.has('do') || request.query.has('ids')) return showVerb(tenantRequest)
  const question = { page: 'assign.php', title: tenantRequest.texts.verbs.give, field: personField }
  return (await askForRecord(tenantRequest, question)) ?? showGive(tenantRequest)
}

export async function submitAssign(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request)
  return request.query.has('person') ? submitGive(tenantRequest) : submitVerb(tenantRequest)
}
