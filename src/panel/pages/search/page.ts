// /search.php: searches one tenant, or all tenants that the user can open. Also renders the search palette, the list of
// keyboard shortcuts, and the options for fields where users pick a record.

import { html } from 'ghtml'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { showChoices } from './choices.ts'
import { searchEverywhere } from './everywhere.ts'
import { searchTenant } from './of-tenant.ts'
import { showPalette } from './palette.ts'

export async function showSearch(request: SignedInRequest): Promise<PageResponse> {
  const { query } = request
  if (query.has('shortcuts')) return showShortcuts(request)
  if (query.has('for')) return showChoices(await toLocalizedRequest(request))
  const isPalette = query.has('palette')
  if (isEverywhere(request)) return isPalette ? showPalette(request) : searchEverywhere(request)
  const tenantRequest = await toLocalizedRequest(request)
  return isPalette ? showPalette(tenantRequest) : searchTenant(tenantRequest)
}

/** If the URL does not name a tenant, administrators and users with several tenants search all their tenants. */
function isEverywhere(request: SignedInRequest): boolean {
  const { query, session } = request
  if (query.has('tenant')) return false
  return isAdministrator(request) || session.user.roles.length > 1
}

const keys = {
  search: ['/', 'Ctrl K'],
  next: ['j'],
  previous: ['k'],
  open: ['Enter'],
  select: ['x'],
  save: ['Ctrl Enter'],
  close: ['Esc'],
  list: ['?'],
} as const

function showShortcuts({ texts, query }: SignedInRequest): PageResponse {
  const { title, names, letters, close } = texts.search.shortcuts
  const rows = Object.entries(keys).map(([name, given]) => {
    const shown = given.map((each) =>
      each
        .split(' ')
        .map((key) => html`<kbd>${key}</kbd>`)
        .join(' '),
    )
    return html`<div><dt>!${shown.join(' · ')}</dt><dd>${names[name as keyof typeof keys]}</dd></div>`
  })
  const body = html`<dl class="shortcuts">!${rows}</dl>
<label class="check" hidden><input type="checkbox" data-letters> ${letters}</label>`
  if (!query.has('part')) return { kind: 'page', title, body }
  const dialog = html`<h2>${title}</h2>!${body}<form method="dialog"><button>${close}</button></form>`
  return { kind: 'fragment', body: dialog }
}
