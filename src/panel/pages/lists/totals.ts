// Shows two total costs below a list: one for the records on the page, and one for all matching records.

import { html } from 'ghtml'
import type { BidirectionalPage } from '../../../domain/lists/list-page.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import { TooSlow } from '../../../engine/database/database.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { formatWholeAmount } from '../../i18n/conventions.ts'
import { formatNumber } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { listUrl } from '../../urls.ts'
import { readPanelListRequest } from '../records/queries.ts'
import { apiParams, type ListState, placeParams } from './state.ts'

/** If more records than this match, their costs are added up only on request, because reading a record takes 2 µs on
 *  SQLite. A list without filters has no such limit, because its total is read from an index. */
const maxMatches = 5000

export async function showTotals(
  request: RecordRequest,
  state: ListState,
  { records, total }: BidirectionalPage<PanelRecord>,
): Promise<string> {
  const field = amountOf(request)
  if (field === undefined || records.length === 0 || state.asOf !== null) return ''
  const { texts } = request
  const pageSum = records.reduce((sum, record) => sum + Number(record[field] ?? 0), 0)
  const fullSum =
    total === null ? null : total === records.length ? pageSum : await sumOfAll(request, state, field, total)
  if (pageSum === 0 && (fullSum === 0 || total === null)) return ''
  const amount = (sum: number) => html`<b>${formatWholeAmount(texts, sum)}</b>`
  if (total === records.length) return html`<p class="hint total">${texts.home.value}: !${amount(pageSum)}</p>`
  const pageSumText = html`${texts.lists.onThisPage(formatNumber(texts, records.length))}: !${amount(pageSum)}`
  const fullText = total === null ? [] : [fullSumText(request, state, total, fullSum === null ? null : amount(fullSum))]
  const parts = [pageSumText, ...fullText]
  return html`<p class="hint total">${texts.home.value} · !${parts.join(' · ')}</p>`
}

/** `amount`: HTML; null if unknown. */
function fullSumText(request: RecordRequest, state: ListState, total: number, amount: string | null): string {
  const { lists } = request.texts
  const url = listUrl(request, request.resource.name, { ...placeParams(state), sum: 1 })
  if (amount === null) return html`<a href="${url}">${lists.addUp}</a>`
  return html`${lists.allMatching(formatNumber(request.texts, total))}: !${amount}`
}

/** Returns the name of the field that contains a record's cost. */
function amountOf({ resource }: RecordRequest): string | undefined {
  return Object.keys(resource.fields).find((name) => {
    const field = resource.fields[name]!
    return field.kind === 'integer' && field.isAmount === true
  })
}

/** Returns null if the query takes too long. Also returns null if the query might take long and the user has not
 *  asked for the sum. */
async function sumOfAll(
  request: RecordRequest,
  state: ListState,
  field: string,
  total: number,
): Promise<number | null> {
  const { deps, tenant, resource, query } = request
  const isWhole = Object.keys(state.filters).length === 0
  if (total > maxMatches && !isWhole && !query.has('sum')) return null
  const params = { ...apiParams(request, state), sort: 'id' }
  const { cursor: _, ...listRequest } = readPanelListRequest(request, params, resource)
  const input = {
    resource: resource.name,
    field,
    query: { ...listRequest, after: null, timeoutMs: deps.listTimeoutMs },
  }
  return deps.engine.run(tenant, recordOperations.sum, input).catch((error) => {
    if (error instanceof TooSlow) return null
    throw error
  })
}
