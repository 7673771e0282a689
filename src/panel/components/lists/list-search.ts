// The search field of a list.

import { html } from 'ghtml'
import type { Texts } from '../../i18n/index.ts'
import { icon } from '../icons.ts'

/** `hidden`: the form's other fields, as HTML. `label`: what screen readers call the field, and its placeholder.
 *  `isLive`: whether list-search.js updates the list while the user types. */
type ListSearch = { action: string; hidden: string; label: string; value: string; isLive?: boolean }

/** Renders the search form of a list. Its button is the icon in the field. */
export function listSearch({ records }: Texts, { action, hidden, label, value, isLive }: ListSearch): string {
  const attribute = isLive ? ' data-live' : ''
  return html`<form class="search" role="search" action="${action}"!${attribute}>!${hidden}
<button class="quiet" aria-label="${records.search}">!${icon('search')}</button>
<input type="search" name="q" value="${value}" aria-label="${label}" placeholder="${label}" dir="auto"
 autocomplete="off"></form>`
}
