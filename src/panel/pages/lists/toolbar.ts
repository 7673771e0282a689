// Renders the toolbar above a list: the search, the available and active filters, the menus, and the link that adds a
// record.

import { html } from 'ghtml'
import { isDay } from '../../../domain/fields/field-values.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { hiddenFields } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { listSearch } from '../../components/lists/list-page.ts'
import { activeChip, chip, menu, menuLinks } from '../../components/menu.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'
import { formatPastMoment } from '../records/past.ts'
import { columnMenu } from './chosen-columns.ts'
import type { ListColumn } from './columns.ts'
import { exportUrl } from './export.ts'
import { filterChips, stateForm } from './filters.ts'
import { addressParams, type ListState, stateUrl, withoutFilters } from './state.ts'
import { sortMenu } from './table.ts'

/** `search` and `actions`: shown next to the heading. `filters`: shown below the views. */
export async function toolbar(request: RecordRequest, state: ListState, columns: readonly ListColumn[]) {
  const chips = await filterChips(request, state)
  const menus = sortMenu(request, state, columns) + columnMenu(request, state, columns) + exportMenu(request, state)
  const actions = html`<div class="toolbar-end">!${menus}!${addLink(request)}</div>`
  const filters = html`<div class="chips">!${chips}!${asOfChip(request, state)}!${clearLink(request, state)}</div>`
  return { search: searchForm(request, state), actions, filters }
}

function searchForm({ texts, resource, baseParams }: RecordRequest, state: ListState): string {
  const label = resourceTexts(texts, resource.name).search
  const hidden = hiddenFields({ ...baseParams, ...addressParams(withoutFilters(state, ['q'])) })
  const value = state.filters.q ?? ''
  return listSearch(texts, { action: 'records.php', hidden, label, value, isLive: true })
}

export function addLink({ texts, resource, baseParams, canWrite }: RecordRequest): string {
  if (!canWrite) return ''
  const { add } = resourceTexts(texts, resource.name)
  const url = pageUrl('records.php', { ...baseParams, new: 1 })
  return html`<a class="button main" href="${url}">!${icon('add')}<span>${add}</span></a>`
}

function exportMenu(request: RecordRequest, state: ListState): string {
  const { lists } = request.texts
  const { hasFinanceExport } = request.presentation
  const [shown, all] = [addressParams(state), addressParams({ ...state, columns: null })]
  const finance = { to: exportUrl(request, { ...all, sheet: 'finance' }), label: lists.exportFinance }
  const links = [
    { to: exportUrl(request, { ...shown, sheet: 'shown' }), label: lists.exportShown },
    ...(hasFinanceExport ? [finance] : []),
    { to: exportUrl(request, all), label: lists.exportAll },
  ]
  return menu({
    summary: html`!${icon('export')}<span>${lists.exportMenu}</span>`,
    body: menuLinks(links),
    name: 'end',
  })
}

/** Renders the chip in which the user chooses a past day. */
function asOfChip(request: RecordRequest, state: ListState): string {
  const { texts, deps } = request
  const { asOf, asOfHelp } = texts.lists
  const present = { ...state, asOf: null }
  const day = state.asOf !== null && isDay(state.asOf) ? state.asOf : ''
  const yesterday = daysAfter(dayOf(texts, deps.now()), -1)
  const field = html`<label>${asOf}<input type="date" name="as_of" value="${day}" max="${yesterday}"></label>
<p class="hint">${asOfHelp}</p>`
  const form = stateForm(request, present, field)
  if (state.asOf === null) return chip(asOf, form)
  const label = texts.lists.asOfDay(formatPastMoment(texts, state.asOf))
  return activeChip({ label, to: stateUrl(request, present), remove: texts.lists.remove(label), body: form })
}

/** Renders the link that removes all filters, if there are several. */
function clearLink({ texts, baseParams }: RecordRequest, { filters, asOf }: ListState): string {
  const count = Object.keys(filters).length + (asOf === null ? 0 : 1)
  return count > 1 ? html`<a class="clear" href="${pageUrl('records.php', baseParams)}">${texts.lists.clear}</a>` : ''
}
