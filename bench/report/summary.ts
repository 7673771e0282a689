// Writes the start of the report: how fast the service is, in one table and a few sentences.

import type { Results } from './results.ts'
import { markdownTable, ratioOf } from './tables.ts'

export function summarySection(results: Results): string {
  return [operationsText(results), fairnessText(results), panelText(results)].filter(Boolean).join('\n\n')
}

/** Compares the operations that both the service and the typical stack support. */
function operationsText({ sqlite }: Results): string {
  const rows = (sqlite?.outcome.operations ?? []).flatMap(({ operation, contenders }) => {
    const figuresOf = (name: string) => contenders.find((contender) => contender.name === name)?.figures
    const [service, typical] = [figuresOf('service'), figuresOf('typical stack')]
    if (!service || !typical) return []
    return [[operation, Math.round(service.rate).toLocaleString('en'), `× ${ratioOf(typical, service).toFixed(1)}`]]
  })
  if (rows.length === 0) return ''
  return `One tenant on SQLite, with 64 requests in flight, compared with [a typical stack](#sqlite):

${markdownTable([['', 'requests/s', 'relative to the typical stack'], ...rows], 1)}`
}

function fairnessText({ fairness }: Results): string {
  if (!fairness) return ''
  const slowest = Math.max(...fairness.outcome.quietTenants.map(({ withNeighbour }) => withNeighbour.p99))
  return `While one tenant loads the server as heavily as it can, 99% of another tenant's requests take at most ${Math.ceil(slowest)} ms.`
}

function panelText({ panel }: Results): string {
  if (!panel) return ''
  const [first] = panel.outcome
  const times = panel.outcome.map(({ engine, pages }) => {
    const slowest = Math.max(...pages.map(({ median }) => median))
    return `${Math.ceil(slowest)} ms on ${engine}`
  })
  return `With ${first!.assets.toLocaleString('en')} assets, every page of the panel takes at most ${times.join(' and ')} (median).`
}
