// Which columns of a list the user has chosen, and the menu for choosing them. A cookie in the user's browser stores
// the chosen columns of each list.

import { html } from 'ghtml'
import { hiddenFields } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { menu } from '../../components/menu.ts'
import type { RecordRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { allColumns, type ListColumn } from './columns.ts'
import { addressParams, type ListState, stateUrl } from './state.ts'

/** Returns the columns that the URL names, for example for a saved view, or else the columns that the user has chosen.
 *  Returns null for the standard columns. */
export function columnsOf({ resource, session, cookie }: RecordRequest, state: ListState): string[] | null {
  return state.columns ?? parseColumnsCookie(session.user.id, cookie('columns'))[resource.name] ?? null
}

/** Stores the chosen columns in the form's order. If none are chosen, the list returns to the standard columns. */
export function keepColumns(request: RecordRequest, state: ListState): PageResponse {
  const { resource, session, cookie, cookies } = request
  const chosen = (state.columns ?? []).filter((name) => allColumns(request).some((each) => each.name === name))
  const { [resource.name]: _, ...others } = parseColumnsCookie(session.user.id, cookie('columns'))
  const chosenByList = chosen.length > 0 ? { ...others, [resource.name]: chosen } : others
  const lists = Object.entries(chosenByList).map(([name, columns]) => `${name}:${columns.join('.')}`)
  cookies.columns = [session.user.id, ...lists].join('|')
  return { kind: 'redirect', to: stateUrl(request, { ...state, columns: null }) }
}

export function columnMenu(request: RecordRequest, state: ListState, shown: readonly ListColumn[]): string {
  const { texts, baseParams } = request
  const { columnsMenu, chooseColumns, standardColumns, apply } = texts.lists
  const [first, ...others] = allColumns(request)
  const boxes = others.map(({ name, label }) => {
    const checked = shown.some((each) => each.name === name) ? ' checked' : ''
    return html`<li><label><input type="checkbox" name="columns" value="${name}"!${checked}> ${label}</label></li>`
  })
  const params = { ...baseParams, ...addressParams({ ...state, columns: null }) }
  const standardUrl = stateUrl(request, { ...state, columns: null }, { keep_columns: 1 })
  const body = html`<form action="records.php" class="filter">!${hiddenFields({ ...params, keep_columns: '1' })}
<input type="hidden" name="columns" value="${first!.name}">
<fieldset><legend>${chooseColumns}</legend><ul class="boxes">!${boxes}</ul></fieldset>
<p class="actions"><button class="main">${apply}</button><a href="${standardUrl}">${standardColumns}</a></p></form>`
  return menu({ summary: html`!${icon('columns')}<span>${columnsMenu}</span>`, body, name: 'end panel' })
}

/** The cookie's format is `userId|hardware:name.status|…`. A cookie that another user has set in this browser is
 *  ignored. */
function parseColumnsCookie(userId: string, cookie = ''): Record<string, string[]> {
  const [owner, ...lists] = cookie.split('|')
  if (owner !== userId) return {}
  return Object.fromEntries(
    lists.map((list) => {
      const [resource = '', names = ''] = list.split(':')
      return [resource, names.split('.').filter((name) => /^\w+$/.test(name))]
    }),
  )
}
