// Clients whose every change must be applied exactly once, even while the service is killed.

import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, type Environment, engine, type Json, type Response } from './service.ts'
import { tenantDatabaseOf } from './tenant-database.ts'

/** The seed of every random choice. Set SEED to repeat a run. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
export const random = randomFrom(seed)
export const withSeed = (what: string) => `${what} (SEED=${seed})`

/** Returns a generator of numbers from 0 to below 1, which are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A change to apply exactly once. `query` selects the record; `answer` is null until the first response. */
export type PlannedChange = {
  method: 'POST' | 'PUT' | 'DELETE'
  query: string
  action: 'create' | 'update' | 'delete'
  body: Partial<CustomerFields> | undefined
  key: string
  requestId: string
  answer: Response | null
}

type CustomerFields = { name: string; city: string; external_id: string | null }

/** One client, which changes only its own records, one request at a time. */
export type ClientModel = { name: string; changes: PlannedChange[]; records: Map<number, CustomerFields> }

export function createClientModels(count: number): ClientModel[] {
  return Array.from({ length: count }, (_, at) => ({ name: `w${at}`, changes: [], records: new Map() }))
}

export function planChange(model: ClientModel): PlannedChange {
  const records = [...model.records]
  const [id, fields] = records[Math.floor(random() * records.length)] ?? []
  const requestId = `${model.name}-${model.changes.length}`
  const common = { key: randomUUID(), requestId, answer: null }
  const choice = id === undefined ? random() * 0.5 : random()
  const created = { ...common, action: 'create', body: { name: requestId, city: 'first' } } as const
  if (choice < 0.3) return { ...created, method: 'POST', query: '' }
  if (choice < 0.5) return { ...created, method: 'PUT', query: `external_id=${requestId}` }
  const externalId = fields?.external_id
  const query = externalId ? `external_id=${externalId}` : `id=${id}`
  if (choice < 0.85) return { ...common, method: 'PUT', query, action: 'update', body: { city: requestId } }
  return { ...common, method: 'DELETE', query, action: 'delete', body: undefined }
}

export function sendChange(client: Client, { method, query, body, key, requestId }: PlannedChange): Promise<Response> {
  return client(method, `/customers.php?${query}`, body, { 'idempotency-key': key, 'x-request-id': requestId })
}

/** Stores the first response to a change, and updates the client's own copy of its records. */
export function recordResponse(model: ClientModel, change: PlannedChange, answer: Response): void {
  assert.equal(answer.status, change.action === 'create' ? 201 : 200, withSeed(`${change.requestId} ${answer.text}`))
  change.answer = answer
  const id = answer.body.id as number
  if (change.action === 'delete') return void model.records.delete(id)
  const external_id = change.query.startsWith('external_id=') ? change.query.slice('external_id='.length) : null
  const before = model.records.get(id) ?? { name: '', city: '', external_id }
  model.records.set(id, { ...before, ...change.body })
}

/** Sends one change after another until the server stops responding. */
export async function sendUntilServerIsGone(client: Client, model: ClientModel): Promise<void> {
  for (;;) {
    const change = planChange(model)
    model.changes.push(change)
    await pause()
    const answer = await sendChange(client, change).catch(() => null)
    if (!answer) return
    recordResponse(model, change, answer)
  }
}

/** Leaves CPU time for the server. */
const pause = () => wait(random() * 6)

/** Sends changes while `work` runs, and repeats each until it gets a response. `silences` returns how many requests got none. The
 *  clients stop when `work` ends, even if it fails. */
export async function sendChangesDuring(
  client: Client,
  models: ClientModel[],
  work: (silences: () => number) => Promise<void>,
): Promise<number> {
  let unanswered = 0
  let isOver = false

  async function sendUntilAnswered(change: PlannedChange): Promise<Response | null> {
    let answer: Response | null = null
    while (!answer && !isOver) {
      await pause()
      answer = await sendChange(client, change).catch(() => null)
      if (!answer) unanswered++
    }
    return answer
  }

  async function clientLoop(model: ClientModel): Promise<void> {
    while (!isOver) {
      const change = planChange(model)
      model.changes.push(change)
      const answer = await sendUntilAnswered(change)
      if (answer) recordResponse(model, change, answer)
    }
  }

  const loads = Promise.all(models.map(clientLoop))
  const end = () => {
    isOver = true
  }
  await Promise.all([loads, work(() => unanswered).finally(end)])
  return unanswered
}

/** Sends every change again. One that had a response gets the same response; one without is applied now, or was before. */
export async function resendAll(client: Client, model: ClientModel): Promise<void> {
  for (const change of model.changes) {
    if (!change.answer) {
      const [one, two] = await Promise.all([sendChange(client, change), sendChange(client, change)])
      assert.equal(one.text, two.text, withSeed(change.requestId))
      recordResponse(model, change, one)
    }
    const again = await sendChange(client, change)
    assert.notEqual(again.status, 503, withSeed(`${change.requestId} ${again.text}`))
    assert.equal(again.headers['idempotent-replayed'], 'true', withSeed(`${change.requestId} ran a second time`))
    assert.deepEqual(
      [again.status, again.text, again.headers.location],
      outcomeOf(change.answer!),
      withSeed(change.requestId),
    )
  }
}

function outcomeOf({ status, text, headers }: Response) {
  return [status, text, headers.location]
}

/** Compares the tenant's records, history and stored responses with what the clients know. */
export async function requireExactlyOnce(environment: Environment, slug: string, models: ClientModel[]): Promise<void> {
  const changes = models.flatMap((model) => model.changes)
  const { all } = await tenantDatabaseOf(environment, slug)
  if (engine === 'sqlite')
    assert.equal((await all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed('integrity'))
  requireOneHistoryRowPerChange(await all('select * from changes order by seq'), changes)
  const known = models.flatMap((model) => [...model.records].map(([id, fields]) => ({ id, ...fields })))
  assert.deepEqual(
    await all('select id, name, city, external_id from customers order by id'),
    known.sort((a, b) => a.id - b.id),
    withSeed('the records are the ones that the clients expect'),
  )
  const answers = await all('select key, status from stored_responses order by key')
  const first = changes.map(({ key, answer }) => ({ key, status: answer!.status }))
  assert.deepEqual(
    answers,
    first.sort((a, b) => (a.key < b.key ? -1 : 1)),
    withSeed('one response is stored for each change'),
  )
}

/** The history has one row per change, without gaps, with the values of the change. */
function requireOneHistoryRowPerChange(rows: Json[], changes: PlannedChange[]): void {
  assert.deepEqual(
    rows.map((row) => row.seq),
    changes.map((_, at) => at + 1),
    withSeed('one row per change, without gaps'),
  )
  const byRequest = new Map(rows.map((row) => [row.request_id, row]))
  for (const { requestId, action, answer, body } of changes) {
    const row = byRequest.get(requestId)
    assert.deepEqual([row?.action, row?.record_id], [action, answer!.body.id], withSeed(requestId))
    if (body) assert.equal(JSON.parse(row.after).city, body.city, withSeed(requestId))
  }
}
