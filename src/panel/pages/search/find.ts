// Runs a search in a single tenant.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { compactCode, fold, wordsOf } from '../../../domain/search/fold.ts'
import { type SearchGroup, searchOperations } from '../../../domain/search/operations.ts'
import type { TenantLocation } from '../../../engine/storage.ts'
import { hiddenField } from '../../components/forms/forms.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import type { PanelDependencies, SignedInRequest, TenantRequest } from '../../requests/request.ts'
import type { Presentation } from '../../resources/presentation.ts'

/** The results for one resource. `total`: how many records match; a lower bound if `hasMore` is true. `exactMatches`:
 *  the records that the text identifies, for example by tag or serial number. */
export type ResultGroup = {
  resource: string
  records: PanelRecord[]
  total: number
  hasMore: boolean
  exactMatches: PanelRecord[]
}

function isIdentifiedBy({ identifiers }: Presentation, record: PanelRecord, text: string): boolean {
  const typed = compactCode(fold(text))
  return identifiers.some((name) => compactCode(fold(String(record[name] ?? ''))) === typed)
}

/** Search text is truncated to this many characters. */
const maxLength = 200

/** Returns the search text in the URL. */
export function searchedText({ query }: Pick<SignedInRequest, 'query'>): string {
  return toSearchedText(query.get('q') ?? '')
}

/** Removes characters that no record contains, and limits the length. */
export function toSearchedText(typed: string): string {
  return typed.replaceAll('\0', '').toWellFormed().trim().slice(0, maxLength)
}

/** Returns the words to highlight in results. */
export function searchedWords(text: string): string[] {
  return wordsOf(text)
}

/** Searches the records of one or more resources. Throws Unavailable and TooSlow (engine/database/database.ts). */
export async function findRecords(
  { storage, listTimeoutMs, resources, presentationOf }: PanelDependencies,
  { tenant }: { tenant: TenantLocation },
  text: string,
  groups: readonly SearchGroup[],
): Promise<ResultGroup[]> {
  const foundGroups = await storage.run(tenant, searchOperations.search, { text, groups, timeoutMs: listTimeoutMs })
  return foundGroups.map(({ resource, data, total, hasMore, exact }) => {
    const records: PanelRecord[] = JSON.parse(`[${data}]`)
    const presentation = presentationOf(resourceNamed(resources, resource))
    const exactMatches = records.filter(
      (record) => exact.includes(record.id) && isIdentifiedBy(presentation, record, text),
    )
    return { resource, records, total, hasMore, exactMatches }
  })
}

/** Renders the search page's form. If the request is not about a tenant, the form searches all tenants that the user
 *  can open. */
export function searchForm(request: SignedInRequest | TenantRequest, text: string): string {
  const { texts } = request
  const tenant = 'baseParams' in request ? request.baseParams.tenant : undefined
  const scope = tenant === undefined ? '' : hiddenField('tenant', tenant)
  const { fieldLabel } = texts.search
  return html`<form action="search.php" role="search" class="search-page">!${scope}
<input type="search" name="q" value="${text}" dir="auto" aria-label="${fieldLabel}" placeholder="${fieldLabel}"
 autocomplete="off" spellcheck="false" maxlength="200"!${text === '' ? ' autofocus' : ''}>
<button class="main">${texts.search.button}</button></form>`
}
