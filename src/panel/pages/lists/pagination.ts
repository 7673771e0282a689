// Renders the navigation below a list: the range of records shown, the previous and next pages, and the page sizes.

import { html } from 'ghtml'
import type { BidirectionalPage } from '../../../domain/lists/list-page.ts'
import { icon } from '../../components/icons.ts'
import { formatNumber } from '../../i18n/index.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'
import { addressParams, type ListState, pageSizes } from './state.ts'

export function pagination(request: RecordRequest, state: ListState, page: BidirectionalPage<{ id: number }>): string {
  const { texts, baseParams } = request
  const { lists } = texts
  const shown = page.records.length
  if (shown === 0) return ''
  const to = (more: Record<string, string | number>) =>
    pageUrl('records.php', { ...baseParams, ...addressParams(state), ...more })
  const last = state.from + shown - 1
  const [from, until] = [formatNumber(texts, state.from), formatNumber(texts, last)]
  const range =
    page.total === null
      ? lists.rangeOnly(from, until)
      : lists.range(from, until, formatNumber(texts, Math.max(page.total, last)))
  const previous = page.previous === null ? '' : previousLink(to, state, page.previous)
  const next = page.next === null ? '' : to({ cursor: page.next, from: last + 1 })
  const sizes = pageSizes.map((size) => {
    const url = pageUrl('records.php', { ...baseParams, ...addressParams({ ...state, limit: size }) })
    return size === state.limit ? html`<b aria-current="true">${size}</b>` : html`<a href="${url}">${size}</a>`
  })
  const back =
    previous && html`<a class="button" rel="prev" href="${previous}">!${icon('previous')}${lists.previous}</a>`
  return html`<nav class="paging" aria-label="${range}">
<span class="steps">!${back}
<span>${range}</span>
!${next && html`<a class="button" rel="next" href="${next}">${lists.next}!${icon('next')}</a>`}</span>
<span class="sizes">${lists.perPage} !${sizes.join(' ')}</span></nav>`
}

/** On the second page, the link leads to the first page, even if records have since been added there. */
function previousLink(
  to: (more: Record<string, string | number>) => string,
  { from, limit }: ListState,
  cursor: string,
): string {
  return from <= limit + 1 ? to({}) : to({ before: cursor, from: from - limit })
}
