// The page for an empty or too large selection: the reason, and a link back to the list.

import { errorSummary } from '../../components/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { PageResponse } from '../../responses.ts'
import type { RecordRequest } from '../records/request.ts'
import { listLink } from './urls.ts'

export function refusedSelectionPage(request: RecordRequest, reason: string, back: string): PageResponse {
  const { texts, resource, query } = request
  const withBack = { ...request, query: new URLSearchParams([...query, ['back', back]]) }
  const body = errorSummary(reason) + buttonRow(listLink(withBack, texts.bulkEdits.back))
  return { kind: 'page', title: resourceTexts(texts, resource.name).many, body, status: 422 }
}
