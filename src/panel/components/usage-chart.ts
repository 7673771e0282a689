// Bars over time as SVG: no script, no style inside, and the same figures as a table for whoever cannot see them.

import { html } from 'ghtml'
import type { HourOfUse } from '../../access/usage-counter.ts'
import { hourMs } from '../../access/usage-table.ts'
import { type Texts, writeMoment, writeNumber } from '../i18n/index.ts'

/** In units of the drawing, which is stretched to its place; words around it are text of the page. */
const [width, height] = [720, 100]

/** Requests by the hour up to `now`: those that went well, errors, and what the rate limit refused, one upon the other. */
export function useChart(texts: Texts, use: HourOfUse[], hours: number, now: Date): string {
  const known = new Map(use.map((each) => [each.hour, each]))
  const last = Math.floor(now.getTime() / hourMs) * hourMs
  const all = Array.from({ length: hours }, (_, at) => {
    const hour = new Date(last - (hours - 1 - at) * hourMs).toISOString()
    return known.get(hour) ?? { hour, requests: 0, errors: 0, limited: 0 }
  })
  const total = all.reduce((sum, { requests }) => sum + requests, 0)
  if (total === 0) return html`<p class="none">${texts.use.none}</p>`
  return html`<figure class="use">!${drawing(texts, all)}<figcaption>!${legend(texts)}</figcaption></figure>!${figures(texts, use)}`
}

function drawing(texts: Texts, hours: HourOfUse[]): string {
  const most = Math.max(...hours.map(({ requests }) => requests))
  const step = width / hours.length
  const scale = (count: number) => (count / most) * height
  const bars = hours.map(({ requests, errors, limited }, at) => {
    const good = requests - errors - limited
    const parts = [
      ['', good],
      [' errors', errors],
      [' limited', limited],
    ] as const
    let top = height
    return parts
      .map(([kind, count]) => {
        top -= scale(count)
        return count > 0 ? rectangle(at * step + step * 0.1, top, step * 0.8, scale(count), kind) : ''
      })
      .join('')
  })
  const ends = [hours[0]!, hours.at(-1)!].map(({ hour }) => writeMoment(texts, hour))
  return html`<p class="ends"><span>${writeNumber(texts, most)}</span></p>
<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${texts.use.title}">!${bars.join('')}</svg>
<p class="ends"><span>${ends[0]}</span><span>${ends[1]}</span></p>`
}

function rectangle(x: number, y: number, width: number, height: number, kind: string): string {
  const [left, top, across, down] = [x, y, width, height].map((each) => each.toFixed(1))
  return html`<rect class="bar${kind}" x="${left}" y="${top}" width="${across}" height="${down}"/>`
}

function legend({ use }: Texts): string {
  const kinds = [
    ['', use.good],
    ['errors', use.errors],
    ['limited', use.limited],
  ]
  return kinds.map(([kind, label]) => html`<span class="key ${kind}">${label}</span>`).join(' ')
}

function figures(texts: Texts, use: HourOfUse[]): string {
  const rows = use.toReversed().map(({ hour, ...counts }) => {
    const cells = [counts.requests, counts.errors, counts.limited].map(
      (count) => html`<td class="number">${writeNumber(texts, count)}</td>`,
    )
    return html`<tr><th scope="row"><time datetime="${hour}">${writeMoment(texts, hour)}</time></th>!${cells.join('')}</tr>`
  })
  const heads = [texts.use.requests, texts.use.errors, texts.use.limited].map(
    (each) => html`<th scope="col" class="number">${each}</th>`,
  )
  return html`<details><summary>${texts.use.figures}</summary><div class="scroll"><table><thead><tr><th scope="col">${texts.use.hour}</th>!${heads.join('')}</tr></thead><tbody>!${rows.join('')}</tbody></table></div></details>`
}
