// /search.php: finds records of all kinds, and the options of fields that choose a record.

import { toLocalRequest } from '../../authorize.ts'
import type { SignedInRequest } from '../../request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { showChoices } from './choices.ts'

export async function showSearch(request: SignedInRequest): Promise<PageResponse> {
  if (request.query.has('for')) return showChoices(await toLocalRequest(request))
  throw new PageError(404, 'not_found')
}
