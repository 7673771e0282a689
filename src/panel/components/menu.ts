// Renders menus and chips as `details` elements, which open even if scripts are disabled. menus.js closes them.

import { html } from 'ghtml'
import { type IconName, icon } from './icons.ts'

/** `name`: CSS classes; `end` opens the menu towards the left. `label`: the accessible name of an icon-only summary. */
export type MenuOptions = {
  summary: string
  body: string
  name?: string
  label?: string
  summaryName?: string
}

/** `summary` and `body` are HTML. */
export function menu(options: MenuOptions): string {
  const { summary, body, name = '', label, summaryName = '' } = options
  const labelAttributes = label === undefined ? '' : html` aria-label="${label}" title="${label}"`
  return html`<details class="menu ${name}">
<summary class="${summaryName}"!${labelAttributes}>!${summary}</summary>
<div class="menu-items">!${body}</div></details>`
}

export type MenuLink = { to: string; label: string; icon?: IconName; isCurrent?: boolean }

export function menuLinks(links: MenuLink[]): string {
  return html`<ul>!${links.map(menuLink)}</ul>`
}

function menuLink({ to, label, icon: name, isCurrent }: MenuLink): string {
  const current = isCurrent ? ' aria-current="page"' : ''
  return html`<li><a href="${to}"!${current}>!${name ? icon(name) : ''}${label}</a></li>`
}

/** Renders a form that opens from a button. `isOpen`: whether the form has errors to correct. `body` is HTML. */
export function formMenu(label: string, body: string, isOpen: boolean): string {
  return html`<details class="menu end form-menu"!${isOpen ? ' open' : ''}>
<summary class="main">!${icon('add')}<span>${label}</span></summary><div class="menu-items">!${body}</div></details>`
}

/** Renders a list filter that opens a small form. `label` is text, and `body` is HTML. */
export function chip(label: string, body: string): string {
  return html`<details class="chip"><summary><span>${label}</span>!${icon('expand')}</summary>
<div class="menu-items">!${body}</div></details>`
}

/** Renders an active filter, whose label contains the value, with a link that removes it. `remove`: the link's label
 *  for screen readers. `body`: the form that changes the filter, as HTML; undefined for a filter without a form. */
export function activeChip(filter: { label: string; to: string; remove: string; body?: string }): string {
  const { label, to, remove, body } = filter
  const link = html`<a href="${to}" aria-label="${remove}" title="${remove}">!${icon('close')}</a>`
  const content = body === undefined ? html`<span>${label}</span>` : chip(label, body)
  return html`<span class="chip-set">!${content}!${link}</span>`
}
