// Clients for tests that kill the service. Each change of a client must be applied exactly once.

import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { tenantDatabaseOf } from '../databases/tenant-database.ts'
import { type Client, type Environment, engine, type Json, type Response } from '../service.ts'

/** The seed for all random choices. Set SEED to repeat a run. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
export const random = randomFrom(seed)
export const withSeed = (what: string) => `${what} (SEED=${seed})`

/** Returns a generator of numbers from 0 to below 1, reproducible from the seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A request to apply exactly once: one operation, or several in a bulk request. `response` is the first response, or
 *  null if there is none yet. */
export type PlannedChange = {
  operations: PlannedOperation[]
  bulk: PlannedBulk | null
  key: string
  requestId: string
  response: Response | null
}

/** `query` selects the record to which the operation applies. */
type PlannedOperation = {
  method: 'POST' | 'PUT' | 'DELETE'
  query: Record<string, string | number>
  action: 'create' | 'update' | 'delete'
  body: Partial<CustomerFields> | undefined
}

/** `hasFailure`: whether the last operation of the request fails. */
type PlannedBulk = { mode: 'all_or_nothing' | 'each'; hasFailure: boolean }

type CustomerFields = { name: string; city: string; external_id: string | null }

/** A client that changes only its own records, one request at a time. */
export type ClientModel = { name: string; changes: PlannedChange[]; records: Map<number, CustomerFields> }

export function createClientModels(count: number): ClientModel[] {
  return Array.from({ length: count }, (_, index) => ({ name: `w${index}`, changes: [], records: new Map() }))
}

export function planChange(model: ClientModel): PlannedChange {
  const requestId = `${model.name}-${model.changes.length}`
  const identity = { key: randomUUID(), requestId, response: null }
  if (random() < 0.93) return { ...identity, operations: [planOperation([...model.records], requestId)], bulk: null }
  const unplanned = [...model.records]
  const operations = Array.from({ length: 2 + Math.floor(random() * 30) }, (_, index) =>
    planOperation(unplanned, `${requestId}.${index}`),
  )
  const mode = random() < 0.5 ? 'each' : 'all_or_nothing'
  return { ...identity, operations, bulk: { mode, hasFailure: random() < 0.3 } }
}

/** Plans an operation on a new record or on one of `records`. Removes the chosen record from the list. */
function planOperation(records: [number, CustomerFields][], name: string): PlannedOperation {
  const choice = records.length === 0 ? random() * 0.5 : random()
  const creation = { action: 'create', body: { name, city: 'first' } } as const
  if (choice < 0.3) return { ...creation, method: 'POST', query: {} }
  if (choice < 0.5) return { ...creation, method: 'PUT', query: { external_id: name } }
  const [[id, fields]] = records.splice(Math.floor(random() * records.length), 1) as [[number, CustomerFields]]
  const query: PlannedOperation['query'] = fields.external_id ? { external_id: fields.external_id } : { id }
  if (choice < 0.85) return { method: 'PUT', query, action: 'update', body: { city: name } }
  return { method: 'DELETE', query, action: 'delete', body: undefined }
}

export function sendChange(client: Client, { operations, bulk, key, requestId }: PlannedChange): Promise<Response> {
  const headers = { 'idempotency-key': key, 'x-request-id': requestId }
  if (bulk) return client('POST', '/bulk.php', bulkBody(operations, bulk), headers)
  const { method, query, body } = operations[0]!
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return client(method, `/customers.php?${search}`, body, headers)
}

function bulkBody(operations: PlannedOperation[], { mode, hasFailure }: PlannedBulk): object {
  const planned = operations.map(({ method, query, body }) => ({ method, resource: 'customers', ...query, body }))
  const failing = { method: 'DELETE', resource: 'customers', id: 987654321 }
  return { mode, operations: hasFailure ? [...planned, failing] : planned }
}

/** The operations that the request applies. */
function appliedBy({ operations, bulk }: PlannedChange): PlannedOperation[] {
  return bulk?.hasFailure && bulk.mode === 'all_or_nothing' ? [] : operations
}

/** Stores the first response to a change, and updates the client's copy of its records. */
export function recordResponse(model: ClientModel, change: PlannedChange, response: Response): void {
  assert.equal(response.status, statusOf(change), withSeed(`${change.requestId} ${response.text}`))
  change.response = response
  for (const [index, { action, query, body }] of appliedBy(change).entries()) {
    const id = recordIdOf(change, index)
    const external_id = 'external_id' in query ? String(query.external_id) : null
    const before = model.records.get(id) ?? { name: '', city: '', external_id }
    if (action === 'delete') model.records.delete(id)
    else model.records.set(id, { ...before, ...body })
  }
}

function statusOf(change: PlannedChange): number {
  if (change.bulk) return appliedBy(change).length > 0 ? 200 : 422
  return change.operations[0]!.action === 'create' ? 201 : 200
}

/** The operation's record id, from the response. */
function recordIdOf({ bulk, response }: PlannedChange, index: number): number {
  return (bulk ? response!.body.results[index].body : response!.body).id
}

/** Sends one change after another until the server stops responding. */
export async function sendUntilServerIsGone(client: Client, model: ClientModel): Promise<void> {
  for (;;) {
    const change = planChange(model)
    model.changes.push(change)
    await pause()
    const response = await sendChange(client, change).catch(() => null)
    if (!response) return
    recordResponse(model, change, response)
  }
}

/** Leaves CPU time for the server. */
const pause = () => wait(random() * 6)

/** Sends changes while `fault` runs, and repeats each request until it receives a response. `countUnanswered`
 *  returns the number of requests without a response. The clients stop when `fault` ends or fails. */
export async function sendChangesDuring(
  client: Client,
  models: ClientModel[],
  fault: (countUnanswered: () => number) => Promise<void>,
): Promise<number> {
  let unanswered = 0
  let isOver = false

  async function sendUntilResponse(change: PlannedChange): Promise<Response | null> {
    let response: Response | null = null
    while (!response && !isOver) {
      await pause()
      response = await sendChange(client, change).catch(() => null)
      if (!response) unanswered++
    }
    return response
  }

  async function clientLoop(model: ClientModel): Promise<void> {
    while (!isOver) {
      const change = planChange(model)
      model.changes.push(change)
      const response = await sendUntilResponse(change)
      if (response) recordResponse(model, change, response)
    }
  }

  const clientLoops = Promise.all(models.map(clientLoop))
  const stop = () => {
    isOver = true
  }
  await Promise.all([clientLoops, fault(() => unanswered).finally(stop)])
  return unanswered
}

/** Resends every change and asserts that the first response is repeated. If a change has no response yet, the service
 *  may have applied it already; if not, resending applies it. */
export async function resendAll(client: Client, model: ClientModel): Promise<void> {
  for (const change of model.changes) {
    if (!change.response) {
      const [first, second] = await Promise.all([sendChange(client, change), sendChange(client, change)])
      assert.equal(first.text, second.text, withSeed(`${change.requestId}: the two responses are the same`))
      recordResponse(model, change, first)
    }
    const replay = await sendChange(client, change)
    assert.notEqual(replay.status, 503, withSeed(`${change.requestId} ${replay.text}`))
    assert.equal(replay.headers['idempotent-replayed'], 'true', withSeed(`${change.requestId} is applied only once`))
    assert.deepEqual(
      outcomeOf(replay),
      outcomeOf(change.response!),
      withSeed(`${change.requestId}: the first response is repeated`),
    )
  }
}

function outcomeOf({ status, text, headers }: Response) {
  return { status, text, location: headers.location }
}

/** Compares the tenant's records, history and stored responses with what the clients know. */
export async function requireExactlyOnce(environment: Environment, slug: string, models: ClientModel[]): Promise<void> {
  const changes = models.flatMap((model) => model.changes)
  const { all } = await tenantDatabaseOf(environment, slug)
  if (engine === 'sqlite')
    assert.equal((await all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed('the file is not corrupt'))
  requireOneHistoryRowPerChange(await all('select * from changes order by seq'), changes)
  const known = models.flatMap((model) => [...model.records].map(([id, fields]) => ({ id, ...fields })))
  assert.deepEqual(
    await all('select id, name, city, external_id from customers order by id'),
    known.sort((a, b) => a.id - b.id),
    withSeed('the records match what the clients expect'),
  )
  const stored = await all('select key, status from stored_responses order by key')
  const expected = changes.map(({ key, response }) => ({ key, status: response!.status }))
  assert.deepEqual(
    stored,
    expected.sort((a, b) => (a.key < b.key ? -1 : 1)),
    withSeed('one response is stored for each change'),
  )
}

/** The history rows of a change that has a response, in order. */
export function historyRowsOf(change: PlannedChange): { action: string; id: number }[] {
  return appliedBy(change).map(({ action }, index) => ({ action, id: recordIdOf(change, index) }))
}

/** Asserts that the history has one row per applied operation, without gaps and with the operation's values. */
function requireOneHistoryRowPerChange(rows: Json[], changes: PlannedChange[]): void {
  assert.deepEqual(
    rows.map((row) => row.seq),
    changes.flatMap(appliedBy).map((_, index) => index + 1),
    withSeed('one row per change, without gaps'),
  )
  const byRequest = Map.groupBy(rows, (row) => row.request_id)
  for (const change of changes) {
    const rowsOfChange = byRequest.get(change.requestId) ?? []
    for (const [index, { action, body }] of appliedBy(change).entries()) {
      const row = rowsOfChange[index]
      const expected = { action, id: recordIdOf(change, index) }
      assert.deepEqual(
        { action: row?.action, id: row?.record_id },
        expected,
        withSeed(`history of ${change.requestId}`),
      )
      if (body) assert.equal(JSON.parse(row.after).city, body.city, withSeed(`history of ${change.requestId}`))
    }
  }
}
