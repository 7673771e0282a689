// The dialog that lists the shortcuts of the keyboard. The script opens it.

import { html } from 'ghtml'
import type { Texts } from '../i18n/index.ts'

export function shortcutsDialog({ layout }: Texts): string {
  const { title, find, list, save, rows, select, close, singleKeys } = layout.shortcuts
  const shortcuts: [keys: string[], meaning: string][] = [
    [['/'], find],
    [['?'], list],
    [['j', 'k'], rows],
    [['x'], select],
    [['Ctrl', 'Enter'], save],
    [['Esc'], close],
  ]
  const items = shortcuts.map(([keys, meaning]) => {
    const shown = keys.map((key) => html`<kbd>${key}</kbd>`).join(' ')
    return html`<div><dt>!${shown}</dt><dd>${meaning}</dd></div>`
  })
  return html`<dialog id="shortcuts" aria-labelledby="shortcuts-title"><h2 id="shortcuts-title">${title}</h2>
<dl class="fields">!${items}</dl>
<p class="check"><input type="checkbox" id="single-keys"><label for="single-keys">${singleKeys}</label></p>
<form method="dialog"><button class="main">${close}</button></form></dialog>`
}
