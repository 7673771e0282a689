// Keeps the records and the history that a soak test's clients expect in each tenant. Also keeps counts, latencies
// and failures.

import {
  type ClientModel,
  createClientModels,
  historyRowsOf,
  type PlannedChange,
  recordResponse,
} from '../../test/support/faults/exactly-once.ts'
import type { Json, Response } from '../../test/support/service.ts'

/** `history`: the expected history rows for each request id. `recent`: the latest changes with the first response to
 *  each, which a retry must receive again. */
export type SoakTenant = {
  slug: string
  token: string
  model: ClientModel
  history: Map<string, string>
  recent: { change: PlannedChange; text: string }[]
  isBusy: boolean
}

export type Counts = {
  changes: number
  replays: number
  reads: number
  pages: number
  unanswered: number
  moving: number
}

export type Ledger = {
  tenants: SoakTenant[]
  counts: Counts
  /** Slugs of the tenants that are being moved. */
  movingTenants: Set<string>
  /** At most 100 messages. */
  failures: string[]
  latencies: number[]
}

export function openLedger(tokens: string[], slugOf: (number: number) => string): Ledger {
  const models = createClientModels(tokens.length)
  const tenants = tokens.map((token, index) => {
    const model = { ...models[index]!, name: slugOf(index + 1) }
    return { slug: slugOf(index + 1), token, model, history: new Map(), recent: [], isBusy: false }
  })
  const counts = { changes: 0, replays: 0, reads: 0, pages: 0, unanswered: 0, moving: 0 }
  return { tenants, counts, movingTenants: new Set(), failures: [], latencies: [] }
}

export function fail(ledger: Ledger, message: string): void {
  if (ledger.failures.length < 100) ledger.failures.push(message)
}

/** Replaces each change in the model once it has been answered, because only its position is needed from then on.
 *  Keeping every change of a 15-minute run would exhaust memory. */
const answeredChange = { operations: [], bulk: null, key: '', requestId: '', response: null }

const recentChanges = 5

/** Records the first response to a change. Throws if the response is wrong. */
export function recordFirstResponse(
  { model, history, recent }: SoakTenant,
  change: PlannedChange,
  response: Response,
): void {
  recordResponse(model, change, response)
  history.set(change.requestId, describeRows(historyRowsOf(change)))
  model.changes[model.changes.indexOf(change)] = answeredChange
  recent.push({ change, text: response.text })
  if (recent.length > recentChanges) recent.shift()
}

export function describeRows(rows: { action: string; id: number }[]): string {
  return rows.map(({ action, id }) => `${action} ${id}`).join(', ')
}

/** Reads a tenant's whole history and all its records through the API, and compares them with what the clients expect.
 *  Returns the number of history rows. Throws if something is missing, different or unknown. */
export async function requireNothingLost(
  { slug, model, history }: SoakTenant,
  get: (path: string) => Promise<Json>,
): Promise<number> {
  const rows: Json[] = []
  for (let since = 0, hasMore = true; hasMore; ) {
    const { data, page } = await get(`/changes.php?limit=200&since=${since}`)
    rows.push(...data)
    since = page.since
    hasMore = page.has_more
  }
  const gap = rows.findIndex(({ seq }, index) => seq !== index + 1)
  if (gap !== -1) throw new Error(`the history of ${slug} has seq ${rows[gap].seq} instead of ${gap + 1}`)
  const rowsByRequest = Map.groupBy(rows, ({ request_id }) => request_id)
  for (const [request, expected] of history) {
    const actual = describeRows(rowsByRequest.get(request) ?? [])
    if (actual !== expected)
      throw new Error(
        `the request ${request} to ${slug} wrote ${actual || 'nothing'} instead of ${expected || 'nothing'}`,
      )
    rowsByRequest.delete(request)
  }
  if (rowsByRequest.size > 0)
    throw new Error(`${slug} has changes that no client sent: ${[...rowsByRequest.keys()].slice(0, 5).join(', ')}`)
  await requireRecords(slug, model, get)
  return rows.length
}

async function requireRecords(
  slug: string,
  { records }: ClientModel,
  get: (path: string) => Promise<Json>,
): Promise<void> {
  const missing = new Map(records)
  for (let path: string | null = '/customers.php?limit=200'; path; ) {
    const { data, page } = await get(path)
    for (const { id, name, city, external_id } of data) {
      const expected = missing.get(id)
      if (!expected || expected.name !== name || expected.city !== city || expected.external_id !== external_id)
        throw new Error(`record ${id} of ${slug} is unexpected: ${JSON.stringify({ name, city, external_id })}`)
      missing.delete(id)
    }
    path = page.next_cursor && `/customers.php?limit=200&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  if (missing.size > 0) throw new Error(`${slug} is missing the records ${[...missing.keys()].slice(0, 5).join(', ')}`)
}
