// The chart of docs/benchmarks.md: bars in panels, as SVG that reads in light and dark.

import type { Results } from '../kept.ts'
import { median, type Outcome, type Trial } from '../measure.ts'
import { byName, inFlight } from './tables.ts'

type Panel = { title: string; groups: { label: string; bars: { side: string; rate: number }[] }[] }

/** Pixels. */
const [width, left, right, barHeight, gap] = [760, 190, 90, 15, 10]

/** A colour for each place in a group, light and dark: what is compared with, the service, the service on three nodes or the
 *  typical stack. */
const colours = [
  ['#9aa3ad', '#7d8792'],
  ['#2563eb', '#60a5fa'],
  ['#0d9488', '#2dd4bf'],
] as const

export function chart(results: Results): string {
  const [sqlite, postgres] = [results.sqlite?.outcome, results.postgres?.outcome]
  const panels = [
    sqlite && panel('SQLite: 64 requests in flight, one tenant', sqlite.operations, byName),
    sqlite && panel('SQLite: by requests in flight, one tenant', sqlite.crowds, inFlight),
    postgres && panel('PostgreSQL: 64 requests in flight, one tenant', postgres.operations, byName),
    postgres && panel('PostgreSQL: 64 requests in flight, 100 tenants', postgres.tenants, byName),
    postgres && panel('PostgreSQL: by requests in flight, one tenant', postgres.crowds, inFlight),
  ].filter((each) => each !== undefined)
  let y = 20
  const drawn = panels.map((each) => {
    const made = draw(each, y)
    y = made.bottom
    return made.svg
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img"
  aria-label="Requests per second of the service and of what it is compared with">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2937 } .title { font-weight: 600 } .figure { font-size: 11px }
  .paper { fill: #ffffff }${colours.map(([light], at) => ` .side${at} { fill: ${light} }`).join('')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb } .paper { fill: #111827 }${colours.map(([, dark], at) => ` .side${at} { fill: ${dark} }`).join('')}
  }
</style>
<rect class="paper" width="${width}" height="${y}" rx="6"/>
${drawn.join('\n')}
</svg>
`
}

function panel(title: string, outcomes: Outcome[], label: (trial: Trial) => string): Panel {
  const groups = outcomes.map(({ trial, sides }) => ({
    label: label(trial),
    bars: sides.map(({ name, rounds }) => ({ side: name, rate: median(rounds, 'rate') })),
  }))
  return { title: `${title}, requests/s`, groups }
}

function draw({ title, groups }: Panel, top: number): { svg: string; bottom: number } {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ rate }) => rate)))
  const lines = [`<text class="title" x="16" y="${top + 6}">${title}</text>`]
  let y = top + 22
  for (const { label, bars } of groups) {
    lines.push(`<text x="16" y="${y + 12}">${label}</text>`)
    for (const [at, { side, rate }] of bars.entries()) {
      const length = Math.max(1, (rate / most) * (width - left - right))
      const figure = `${Math.round(rate).toLocaleString('en')} ${side}`
      lines.push(
        `<rect class="side${at}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      )
      lines.push(`<text class="figure" x="${(left + length + 6).toFixed(1)}" y="${y + 12}">${figure}</text>`)
      y += barHeight + 2
    }
    y += gap
  }
  return { svg: lines.join('\n'), bottom: y + 14 }
}
