// Renders text that somebody has typed, such as notes: web addresses as links, and dates as everywhere else.

import { html } from 'ghtml'
import { isDay } from '../../domain/fields/field-values.ts'
import { formatDate, type Texts } from '../i18n/index.ts'

/** Web addresses, without the punctuation of the sentence around them, and dates such as 2026-11-27. */
const special = /(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}])|(?<![\w-])(\d{4}-\d\d-\d\d)(?![\w-])/g

export function linkedText(texts: Texts, text: string): string {
  const parts: string[] = []
  let end = 0
  for (const { 0: found, 1: url, index } of text.matchAll(special)) {
    parts.push(html`${text.slice(end, index)}`, url === undefined ? date(texts, found) : link(found))
    end = index + found.length
  }
  return parts.join('') + html`${text.slice(end)}`
}

function link(url: string): string {
  return html`<a href="${url}" rel="noreferrer">${url}</a>`
}

function date(texts: Texts, day: string): string {
  return isDay(day) ? html`<time datetime="${day}">${formatDate(texts, day)}</time>` : day
}
