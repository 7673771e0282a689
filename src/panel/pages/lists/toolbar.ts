// Renders the toolbar above a list: the search, the available and active filters, the menus, and the link that adds a
// record.

import { html } from 'ghtml'
import { isDay } from '../../../domain/fields/field-values.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { hiddenFields, submitButton } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { activeChip, chip, menu, menuLinks } from '../../components/menu.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { resourceTexts } from '../../i18n/index.ts'
import { pageUrl } from '../../urls.ts'
import { formatPastMoment } from '../records/past.ts'
import type { RecordRequest } from '../records/request.ts'
import { columnMenu, type ListColumn } from './columns.ts'
import { financeUrl, listFileUrl, sheetUrl } from './export.ts'
import { describeFilter } from './filter-labels.ts'
import { filterChips } from './filters.ts'
import { addressParams, type ListState, withoutFilters } from './state.ts'
import { sortMenu } from './table.ts'

/** `actions`: shown next to the heading. `filters`: shown below the views. */
export async function toolbar(
  request: RecordRequest,
  state: ListState,
  columns: readonly ListColumn[],
): Promise<{ actions: string; filters: string }> {
  const [offered, active] = await Promise.all([filterChips(request, state), activeFilterChips(request, state)])
  const menus = sortMenu(request, state, columns) + columnMenu(request, state, columns) + exportMenu(request, state)
  const actions = html`!${searchForm(request, state)}<div class="toolbar-end">!${menus}!${addLink(request)}</div>`
  const filters = html`<div class="chips">!${offered}!${asOfChip(request, state)}!${active}</div>`
  return { actions, filters }
}

function searchForm({ texts, resource, baseParams }: RecordRequest, state: ListState): string {
  const label = resourceTexts(texts, resource.name).search
  return html`<form class="search" role="search" action="records.php">
!${hiddenFields({ ...baseParams, ...addressParams(withoutFilters(state, ['q'])) })}
<input type="search" name="q" value="${state.filters.q ?? ''}" aria-label="${label}" placeholder="${label}"
 dir="auto" autocomplete="off">
!${submitButton(texts.records.search)}</form>`
}

function addLink({ texts, resource, baseParams, canWrite }: RecordRequest): string {
  if (!canWrite) return ''
  const { add } = resourceTexts(texts, resource.name)
  const url = pageUrl('records.php', { ...baseParams, new: 1 })
  return html`<a class="button main" href="${url}">!${icon('add')}<span>${add}</span></a>`
}

function exportMenu(request: RecordRequest, state: ListState): string {
  const { lists } = request.texts
  const { hasFinanceExport } = request.presentation
  const finance = hasFinanceExport ? [{ to: financeUrl(request, state), label: lists.exportFinance }] : []
  const links = [
    { to: sheetUrl(request, state), label: lists.exportShown },
    ...finance,
    { to: listFileUrl(request, state), label: lists.exportAll },
  ]
  return menu({
    summary: html`!${icon('export')}<span>${lists.exportMenu}</span>`,
    body: menuLinks(links),
    name: 'end',
  })
}

/** Renders the chip in which the user chooses a past day. */
function asOfChip({ texts, baseParams, deps }: RecordRequest, state: ListState): string {
  const { asOf, asOfHelp, apply } = texts.lists
  const day = state.asOf !== null && isDay(state.asOf) ? state.asOf : ''
  const yesterday = daysAfter(dayOf(texts, deps.now()), -1)
  const form = html`<form action="records.php" class="filter">
!${hiddenFields({ ...baseParams, ...addressParams({ ...state, asOf: null }) })}
<label>${asOf}<input type="date" name="as_of" value="${day}" max="${yesterday}"></label>
<p class="hint">${asOfHelp}</p><p class="actions"><button class="main">${apply}</button></p></form>`
  return chip(asOf, form)
}

/** Renders a chip for each active filter, with a link that removes the filter. */
async function activeFilterChips(request: RecordRequest, state: ListState): Promise<string> {
  const { texts, baseParams } = request
  const { lists } = texts
  const to = (other: ListState) => pageUrl('records.php', { ...baseParams, ...addressParams(other) })
  const chips = Object.entries(state.filters).map(async ([name, value]) => {
    const label = await describeFilter(request, name, value)
    return activeChip(label, to(withoutFilters(state, [name])), lists.remove(label))
  })
  const activeChips = await Promise.all(chips)
  if (state.asOf !== null) {
    const label = lists.asOfDay(formatPastMoment(texts, state.asOf))
    activeChips.push(activeChip(label, to({ ...state, asOf: null }), lists.remove(label)))
  }
  const clear = html`<a class="clear" href="${pageUrl('records.php', baseParams)}">${lists.clear}</a>`
  return activeChips.length > 1 ? activeChips.join('') + clear : activeChips.join('')
}
