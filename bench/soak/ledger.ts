// What the clients of a soak test know: what each tenant must contain, and what must not have happened.

import {
  type ClientModel,
  createClientModels,
  type PlannedChange,
  recordResponse,
  rowsOf,
} from '../../test/support/exactly-once.ts'
import type { Json, Response } from '../../test/support/service.ts'

/** `history`: for each request, the rows that it wrote. `recent`: changes with their first response, to be sent again. */
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
  moving: Set<string>
  /** Sentences, at most one hundred. */
  failures: string[]
  latencies: number[]
}

export function openLedger(tokens: string[], slugOf: (number: number) => string): Ledger {
  const models = createClientModels(tokens.length)
  const tenants = tokens.map((token, at) => {
    const model = { ...models[at]!, name: slugOf(at + 1) }
    return { slug: slugOf(at + 1), token, model, history: new Map(), recent: [], isBusy: false }
  })
  const counts = { changes: 0, replays: 0, reads: 0, pages: 0, unanswered: 0, moving: 0 }
  return { tenants, counts, moving: new Set(), failures: [], latencies: [] }
}

export function fail(ledger: Ledger, sentence: string): void {
  if (ledger.failures.length < 100) ledger.failures.push(sentence)
}

/** Only its length is needed afterwards: the changes of a quarter of an hour would fill the memory. */
const answered = { operations: [], bulk: null, key: '', requestId: '', answer: null }

const keptForReplay = 5

/** Notes the first response to a change. Throws if it is not the one that the change must get. */
export function noteAnswer({ model, history, recent }: SoakTenant, change: PlannedChange, answer: Response): void {
  recordResponse(model, change, answer)
  history.set(change.requestId, describeRows(rowsOf(change)))
  model.changes[model.changes.indexOf(change)] = answered
  recent.push({ change, text: answer.text })
  if (recent.length > keptForReplay) recent.shift()
}

export function describeRows(rows: { action: string; id: number }[]): string {
  return rows.map(({ action, id }) => `${action} ${id}`).join(', ')
}

/** Compares the whole history and all records of a tenant, as the API returns them, with what its clients know. Returns the
 *  number of history rows. */
export async function requireNothingLost(
  { slug, model, history }: SoakTenant,
  get: (path: string) => Promise<Json>,
): Promise<number> {
  const rows: Json[] = []
  for (let since = 0, more = true; more; ) {
    const { data, page } = await get(`/changes.php?limit=200&since=${since}`)
    rows.push(...data)
    since = page.since
    more = page.has_more
  }
  const gap = rows.findIndex(({ seq }, at) => seq !== at + 1)
  if (gap !== -1) throw new Error(`the history of ${slug} has ${rows[gap].seq} in place of ${gap + 1}`)
  const found = Map.groupBy(rows, ({ request_id }) => request_id)
  for (const [request, expected] of history) {
    const own = describeRows(found.get(request) ?? [])
    if (own !== expected)
      throw new Error(`${request} of ${slug} did ${own || 'nothing'} and not ${expected || 'nothing'}`)
    found.delete(request)
  }
  if (found.size > 0)
    throw new Error(`${slug} has changes that nobody knows: ${[...found.keys()].slice(0, 5).join(', ')}`)
  await requireRecords(slug, model, get)
  return rows.length
}

async function requireRecords(
  slug: string,
  { records }: ClientModel,
  get: (path: string) => Promise<Json>,
): Promise<void> {
  const left = new Map(records)
  for (let path: string | null = '/customers.php?limit=200'; path; ) {
    const { data, page } = await get(path)
    for (const { id, name, city, external_id } of data) {
      const expected = left.get(id)
      if (!expected || expected.name !== name || expected.city !== city || expected.external_id !== external_id)
        throw new Error(`record ${id} of ${slug} is ${JSON.stringify({ name, city, external_id })}`)
      left.delete(id)
    }
    path = page.next_cursor && `/customers.php?limit=200&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  if (left.size > 0) throw new Error(`${slug} lacks the records ${[...left.keys()].slice(0, 5).join(', ')}`)
}
