// Renders a bar chart as a list of links with numbers. Screen readers skip the bars, which only repeat the numbers.

import { html } from 'ghtml'
import { formatNumber, type Texts } from '../../i18n/index.ts'

export type Bar = { label: string; count: number; to: string }

export function bars(texts: Texts, list: Bar[]): string {
  const longest = Math.max(1, ...list.map(({ count }) => count))
  const items = list.map(({ label, count, to }) => {
    const width = ((count / longest) * 100).toFixed(1)
    return html`<li><a href="${to}"><bdi>${label}</bdi> <b>${formatNumber(texts, count)}</b></a>
<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="1"/></svg></li>`
  })
  return html`<ul class="bars">!${items}</ul>`
}
