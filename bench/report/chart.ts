// Draws the chart in docs/benchmarks.md: an SVG with several bar charts, in light and dark colours.

import type { Row } from '../harness/rows.ts'
import type { Results } from './results.ts'
import { byName, inFlight } from './tables.ts'

type Bar = { name: string; rate: number }
type Panel = { title: string; groups: { label: string; bars: Bar[] }[] }

/** Lengths in pixels. */
const [width, left, right, barHeight, gap] = [760, 190, 170, 15, 10]

/** Each pair contains the colour for light mode and the colour for dark mode. `variant`: the service on three nodes, or
 *  with few open files. */
const colours = {
  baseline: ['#9aa3ad', '#7d8792'],
  service: ['#2563eb', '#60a5fa'],
  variant: ['#0d9488', '#2dd4bf'],
  typical: ['#d97706', '#fbbf24'],
} as const

const colourOf: Record<string, keyof typeof colours> = {
  'minimal server': 'baseline',
  'engine only': 'baseline',
  'fsync only': 'baseline',
  'typical stack': 'typical',
  'three nodes': 'variant',
  'service, few open': 'variant',
}

export function chart(results: Results): string {
  const panels = panelsOf(results)
  let y = 20
  const drawings = panels.map((panel) => {
    const { svg, bottom } = draw(panel, y)
    y = bottom
    return svg
  })
  const styles = (theme: 0 | 1) =>
    Object.entries(colours)
      .map(([name, shades]) => ` .${name} { fill: ${shades[theme]} }`)
      .join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img"
  aria-label="Requests per second of the service and of the baselines">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2937 } .title { font-weight: 600 } .figure { font-size: 11px }
  .paper { fill: #ffffff }${styles(0)}
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb } .paper { fill: #111827 }${styles(1)}
  }
</style>
<rect class="paper" width="${width}" height="${y}" rx="6"/>
${drawings.join('\n')}
</svg>
`
}

function panelsOf({ sqlite, 'many-writers': manyWriters, growth, postgres }: Results): Panel[] {
  const panels: (Panel | undefined)[] = [
    sqlite && panel('SQLite: 64 requests in flight, one tenant', sqlite.outcome.operations, byName),
    sqlite &&
      panel('SQLite: different numbers of requests in flight, one tenant', sqlite.outcome.byConcurrency, inFlight),
    manyWriters && panel('SQLite: 1,000 active tenants', manyWriters.outcome.rows.filter(isCreate), inFlight),
    growth && panel('SQLite: tenants of different sizes, 64 requests in flight', growth.outcome.records, byName),
    growth &&
      panel('SQLite: different numbers of active tenants, 64 requests in flight', growth.outcome.tenants.rows, byName),
    postgres && panel('PostgreSQL: 64 requests in flight, one tenant', postgres.outcome.operations, byName),
    postgres && panel('PostgreSQL: 64 requests in flight, 100 tenants', postgres.outcome.manyTenants, byName),
  ]
  return panels.filter((each) => each !== undefined)
}

const isCreate = ({ operation }: Row) => operation === 'create'

function panel(title: string, rows: Row[], label: (row: Row) => string): Panel {
  const groups = rows.map((row) => ({
    label: label(row),
    bars: row.contenders.map(({ name, figures }) => ({ name, rate: figures.rate })),
  }))
  return { title: `${title}, requests/s`, groups }
}

function draw({ title, groups }: Panel, top: number): { svg: string; bottom: number } {
  const highestRate = Math.max(...groups.flatMap(({ bars }) => bars.map(({ rate }) => rate)))
  const lines = [`<text class="title" x="16" y="${top + 6}">${title}</text>`]
  let y = top + 22
  for (const { label, bars } of groups) {
    lines.push(`<text x="16" y="${y + 12}">${label}</text>`)
    for (const bar of bars) {
      lines.push(drawBar(bar, highestRate, y))
      y += barHeight + 2
    }
    y += gap
  }
  return { svg: lines.join('\n'), bottom: y + 14 }
}

function drawBar({ name, rate }: Bar, highestRate: number, y: number): string {
  const length = Math.max(1, (rate / highestRate) * (width - left - right))
  const [colour, x] = [colourOf[name] ?? 'service', (left + length + 6).toFixed(1)]
  return `<rect class="${colour}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>
<text class="figure" x="${x}" y="${y + 12}">${Math.round(rate).toLocaleString('en')} · ${name}</text>`
}
