// Writes the report's section on the panel pages.

import type { PanelOutcome } from '../../suites/panel.ts'
import { markdownTable } from '../tables.ts'

/** The goal is reached if the median time of every page is below this, in milliseconds. */
const goal = 50

export function panelSection(outcomes: PanelOutcome[]): string {
  const [first] = outcomes
  const rows = first!.pages.map(({ name, bytes }) => {
    const times = outcomes.flatMap(({ pages }) => {
      const page = pages.find((page) => page.name === name)
      if (!page) return ['–', '–', '–']
      const median = page.median.toFixed(1)
      return [page.median < goal ? median : `**${median}**`, page.longest.toFixed(1), page.cost.toFixed(1)]
    })
    return [name, ...times, Math.round(bytes / 1024).toLocaleString('en')]
  })
  const head = ['', ...outcomes.flatMap(({ engine }) => [`${engine} ms`, 'longest ms', 'CPU ms']), 'KiB']
  const { assets, people, branches, requests } = first!
  const [assetCount, peopleCount] = [assets, people].map((count) => count.toLocaleString('en'))
  return `## Panel pages

The tenant has ${assetCount} assets, ${peopleCount} people and ${branches} branches, each with a history row for its
creation (\`bench/suites/panel.ts\`). One user requests each page ${requests} times in succession, each time over a new
connection. **ms**: the median time until the last byte. The goal is less than ${goal} ms; times that miss this goal are
bold. **CPU ms**: CPU time of the node and the database server per request. **after a change**: an asset is changed
before each request, so the node has to recompute the summary. A search that finds exactly one record by its code
redirects to that record.

${markdownTable([head, ...rows], 1)}`
}
