// Renders bar charts as lists of links with numbers. Screen readers skip the bars, which only repeat the numbers.

import { html } from 'ghtml'
import { formatNumber, type Texts } from '../../i18n/index.ts'
import type { Tone } from '../badge.ts'

/** `tone`: the colour of the part of a stacked bar. */
export type Bar = { label: string; count: number; to: string; tone?: Tone }

export function bars(texts: Texts, list: Bar[]): string {
  const longest = Math.max(1, ...list.map(({ count }) => count))
  const items = list.map((bar) => {
    const width = ((bar.count / longest) * 100).toFixed(1)
    return html`<li>!${barLink(texts, bar)}
<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="1"/></svg></li>`
  })
  return html`<ul class="bars">!${items}</ul>`
}

/** Renders the parts of a whole as one bar, with a legend. */
export function stackedBar(texts: Texts, list: Bar[]): string {
  const whole = list.reduce((sum, { count }) => sum + count, 0)
  let start = 0
  const parts = list.map(({ count, tone = 'neutral' }) => {
    const part = html`<rect data-tone="${tone}" x="${start}" width="${count}" height="1"/>`
    start += count
    return part
  })
  const legend = list.map((bar) => html`<li data-tone="${bar.tone ?? 'neutral'}">!${barLink(texts, bar)}</li>`)
  return html`<svg class="stack" viewBox="0 0 ${whole} 1" preserveAspectRatio="none" aria-hidden="true">!${parts}</svg>
<ul class="legend">!${legend}</ul>`
}

function barLink(texts: Texts, { label, count, to }: Bar): string {
  return html`<a href="${to}"><bdi>${label}</bdi> <b>${formatNumber(texts, count)}</b></a>`
}
