// Renders a bar chart of API requests as SVG, without scripts or inline styles. A table shows the same numbers.

import { html } from 'ghtml'
import type { HourOfUse } from '../../../access/request-counts.ts'
import { hourMs } from '../../../access/usage-table.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { formatNumber, type Texts } from '../../i18n/index.ts'
import { showTime } from '../days.ts'
import { table } from '../lists/table.ts'

/** The charts for a tenant and for the whole installation cover this many hours. */
export const shownHours = 24

/** Returns a time in the first hour of a chart. The chart covers this many hours and ends with the current hour. */
export function usageSince(now: Date, hours = shownHours): Date {
  return new Date(now.getTime() - (hours - 1) * hourMs)
}

/** SVG units. The SVG is stretched to fit the page, so labels are HTML text outside it. */
const [width, height] = [720, 100]

/** Renders stacked bars of the requests per hour up to `now`: successful, failed and rate-limited. */
export function usageChart(texts: Texts, use: HourOfUse[], hours: number, now: Date): string {
  const byHour = new Map(use.map((each) => [each.hour, each]))
  const last = Math.floor(now.getTime() / hourMs) * hourMs
  const allHours = Array.from({ length: hours }, (_, index) => {
    const hour = new Date(last - (hours - 1 - index) * hourMs).toISOString()
    return byHour.get(hour) ?? { hour, requests: 0, errors: 0, limited: 0 }
  })
  const total = allHours.reduce((sum, { requests }) => sum + requests, 0)
  if (total === 0) return html`<p class="none">${texts.usage.none}</p>`
  return html`<figure class="use">!${drawing(texts, allHours)}<figcaption>!${legend(texts)}</figcaption></figure>
!${figures(texts, use)}`
}

function drawing(texts: Texts, hours: HourOfUse[]): string {
  const maxRequests = Math.max(...hours.map(({ requests }) => requests))
  const step = width / hours.length
  const bars = hours.map(({ requests, errors, limited }, index) => {
    const segments = [
      ['', requests - errors - limited],
      [' errors', errors],
      [' limited', limited],
    ] as const
    let top = height
    return segments.map(([kind, count]) => {
      const barHeight = (count / maxRequests) * height
      top -= barHeight
      if (count === 0) return ''
      return html`<rect class="bar${kind}" x="${(index * step + step * 0.1).toFixed(1)}" y="${top.toFixed(1)}"
 width="${(step * 0.8).toFixed(1)}" height="${barHeight.toFixed(1)}"/>`
    })
  })
  const ends = [hours[0]!, hours.at(-1)!].map(({ hour }) => formatDateTime(texts, hour))
  return html`<p class="ends"><span>${formatNumber(texts, maxRequests)}</span></p>
<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"
 aria-label="${texts.usage.title}">!${bars.flat()}</svg>
<p class="ends"><span>${ends[0]}</span><span>${ends[1]}</span></p>`
}

function legend({ usage }: Texts): string {
  const kinds = [
    ['', usage.good],
    ['errors', usage.errors],
    ['limited', usage.limited],
  ]
  return kinds.map(([kind, label]) => html`<span class="key ${kind}">${label}</span>`).join(' ')
}

function figures(texts: Texts, use: HourOfUse[]): string {
  const { usage } = texts
  const counts = [usage.requests, usage.errors, usage.limited].map((label) => ({ label, isNumber: true }))
  const rows = use.toReversed().map(({ hour, requests, errors, limited }) => {
    return [showTime(texts, hour), ...[requests, errors, limited].map((count) => formatNumber(texts, count))]
  })
  const figureTable = table({ head: [{ label: usage.hour }, ...counts], rows })
  return html`<details><summary>${usage.figures}</summary><div class="scroll">!${figureTable}</div></details>`
}
