// The section on the pages of the panel.

import type { PanelOutcome } from '../suites/panel.ts'
import { markdownTable } from './tables.ts'

/** What the median of every page is to stay below, in milliseconds. */
const goal = 50

export function panelSection(outcomes: PanelOutcome[]): string {
  const [first] = outcomes
  const rows = first!.pages.map(({ name, bytes }) => {
    const times = outcomes.flatMap(({ pages }) => {
      const found = pages.find((page) => page.name === name)
      if (!found) return ['–', '–', '–']
      const median = found.median.toFixed(1)
      return [found.median < goal ? median : `**${median}**`, found.longest.toFixed(1), found.cost.toFixed(1)]
    })
    return [name, ...times, Math.round(bytes / 1024).toLocaleString('en')]
  })
  const head = ['', ...outcomes.flatMap(({ engine }) => [`${engine} ms`, 'longest ms', 'processor ms']), 'KiB']
  const { assets, people, branches, requests } = first!
  const [ofAssets, ofPeople] = [assets, people].map((count) => count.toLocaleString('en'))
  return `## Pages of the panel

A tenant with ${ofAssets} assets, ${ofPeople} people and ${branches} branches, and the history of their creation
(\`bench/suites/panel.ts\`). One user requests each page ${requests} times, one after another, over a new connection each. **ms**: the
median time until the last byte, which is to stay below ${goal}; others are bold. **processor ms**: per request, of the node and the
database server. **after a change**: an asset is changed before each request, so that the figures are counted again. A search that
finds one record by its code redirects to it.

${markdownTable([head, ...rows], 1)}`
}
