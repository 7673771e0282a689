// Renders the list of keyboard shortcuts. When the user presses `?`, scripts/combobox.js opens this list. That script
// implements all shortcuts except Enter and Esc.

import { html } from 'ghtml'
import type { SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'

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

export function showShortcuts({ texts, query }: SignedInRequest): PageResponse {
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
