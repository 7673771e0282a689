// The client, used with a real server over the network.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createClient, metaOf, NoAnswerError, TenantdeskError, type Wait } from '../../client/index.ts'
import { generateClientEndpoints } from '../../docs/client-endpoints.ts'
import { generateClientTypes } from '../../docs/client-types.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { createKey, makeTenant, startProcess, startService, temporaryDirectory } from '../support/service.ts'

const service = await startService()
const baseUrl = await service.listen()
const key = await makeTenant(service.environment, 'acme')
const acme = createClient({ baseUrl, key })

const limited = await startService({ RATE_LIMIT_PER_MINUTE: '2' }, { windowSeconds: 1 })
const limitedUrl = await limited.listen()
const limitedKey = await makeTenant(limited.environment, 'limited')

/** Returns the error that the promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<TenantdeskError> {
  const error = await promise.then(
    () => assert.fail('expected an error'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof TenantdeskError, String(error))
  return error
}

test('the client’s types and endpoints are generated from the OpenAPI document (npm run docs)', () => {
  assert.equal(readFileSync('client/types.ts', 'utf8'), generateClientTypes())
  assert.equal(readFileSync('client/endpoints.ts', 'utf8'), generateClientEndpoints())
})

test('the client creates, reads, changes and deletes records', async () => {
  const customer = await acme.customers.create({ name: 'Zürich', code: 'ZH' })
  assert.deepEqual([customer.name, customer.is_active, customer.notes], ['Zürich', true, null])
  assert.deepEqual(await acme.customers.get(customer.id), customer)
  const changed = await acme.customers.change(customer.id, { code: null, city: 'Zürich' })
  assert.deepEqual([changed.code, changed.city], [null, 'Zürich'])
  assert.deepEqual(await acme.customers.delete(customer.id), { id: customer.id, deleted: true })
  assert.equal((await errorOf(acme.customers.get(customer.id))).code, 'not_found')
})

test('the client reads the details of its key', async () => {
  const { tenant, key: ownKey, rate_limit } = await acme.me()
  assert.deepEqual(
    [tenant, ownKey.id, ownKey.scopes, rate_limit],
    ['acme', key.slice(4, 14), ['*:read', '*:write'], null],
  )
})

test('the client reads and changes the tenant’s settings like a record, and refuses unknown fields', async () => {
  const settings = await acme.settings.get()
  const changed = await acme.settings.change({ warranty_notice_days: 45 }, { ifMatch: metaOf(settings)!.etag! })
  assert.deepEqual({ ...changed, updated_at: null }, { ...settings, warranty_notice_days: 45, updated_at: null })
  assert.deepEqual(await acme.settings.get(), changed)
  const stale = acme.settings.change({ warranty_notice_days: 30 }, { ifMatch: metaOf(settings)!.etag! })
  assert.equal((await errorOf(stale)).code, 'precondition_failed')
  const misspelled = { warranty_notice: 45 } as object
  assert.equal((await errorOf(acme.settings.change(misspelled))).fields.warranty_notice?.code, 'unknown_field')
})

test('the client streams a whole list as CSV and as records', async () => {
  const { id } = await acme.customers.create({ name: 'Exported', city: 'Ulm' })
  const customer = await acme.customers.get(id)
  await acme.employees.create({ customer_id: id, email: 'exported@b.c' })
  let text = ''
  for await (const piece of acme.customers.export({ format: 'csv', fields: ['id', 'name'], 'id[in]': [id] }))
    text += piece
  assert.equal(text, `\ufeffid,name\r\n${id},Exported\r\n`)
  const records = []
  for await (const employee of acme.employees.export({ format: 'ndjson', customer_id: id, include: ['customer'] }))
    records.push([employee.email, employee.customer])
  assert.deepEqual(records, [['exported@b.c', customer]])
  const some = []
  for await (const record of acme.customers.export({ format: 'ndjson', fields: ['city'], sort: '-id', 'id[gte]': id }))
    some.push(record)
  assert.deepEqual(some, [{ city: 'Ulm' }])
  const error = await errorOf(acme.customers.export({ format: 'csv', 'name[contains]': '' }).next())
  assert.equal(error.code, 'invalid_request')
})

test('if an export is interrupted, the client yields the records that it has received, and then throws an error', async () => {
  const broken = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"id":1}\n{"id":2}\n{"id"', () => response.destroy())
  })
  const client = createClient({ baseUrl: `http://127.0.0.1:${await listenOn(broken)}`, key, patience: 1000 })
  const ids: unknown[] = []
  await assert.rejects(async () => {
    for await (const { id } of client.customers.export({ format: 'ndjson' })) ids.push(id)
  }, NoAnswerError)
  assert.deepEqual(ids, [1, 2])
})

test('the client reads a record as of a given time', async () => {
  const customer = await acme.customers.create({ name: 'Before' })
  await eventually('the clock has moved on', () => new Date().toISOString() > customer.updated_at)
  await acme.customers.change(customer.id, { name: 'After' })
  assert.deepEqual(await acme.customers.get(customer.id, { asOf: customer.updated_at }), customer)
  assert.equal((await acme.customers.get(customer.id)).name, 'After')
})

/** Starts a server that listens until the tests in this file have ended. Returns its port. */
async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

test('the types of the client’s results contain the included records', async () => {
  const customer = await acme.customers.create({ name: 'C' })
  const employee = await acme.employees.create({ customer_id: customer.id, email: 'ada@example.com' })
  const laptop = await acme.hardware.create({ employee_id: employee.id, type: 'laptop' })
  const found = await acme.hardware.get(laptop.id, { include: ['employee', 'employee.customer'] })
  assert.equal(found.employee.email, 'ada@example.com')
  assert.equal(found.employee.customer?.id, customer.id)
  const plain = await acme.hardware.get(laptop.id)
  // @ts-expect-error: the request did not include the employee
  assert.throws(() => plain.employee.email)
  // @ts-expect-error: rocket is not a type of hardware
  assert.equal((await errorOf(acme.hardware.create({ employee_id: employee.id, type: 'rocket' }))).status, 422)
  const { data, page } = await acme.hardware.page({ customer_id: customer.id, include: ['employee'], total: true })
  assert.deepEqual([data[0]!.employee.id, page.total], [employee.id, 1])
  const { assignments } = await acme.hardware.assignments(laptop.id)
  assert.deepEqual([assignments[0]!.employee_id, assignments[0]!.to], [employee.id, null])
})

test('the client iterates over all pages of a list and of the history, even while records are inserted', async () => {
  const client = createClient({ baseUrl, key: await makeTenant(service.environment, 'walked') })
  for (let index = 0; index < 7; index++)
    await client.customers.create({ name: `number ${index}`, city: index % 2 ? 'odd' : 'even' })
  const names: string[] = []
  for await (const customer of client.customers.all({ city: 'even', sort: '-name', limit: 2 })) {
    names.push(customer.name)
    if (names.length < 3) await client.customers.create({ name: 'zzz', city: 'even' })
  }
  assert.deepEqual(names, ['number 6', 'number 4', 'number 2', 'number 0'])
  const seqs: number[] = []
  for await (const change of client.changes.all({ limit: 3 })) seqs.push(change.seq)
  assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('an error thrown by the client contains the code, the fields, the request id and the dependents', async () => {
  const error = await errorOf(acme.employees.create({ customer_id: 1, email: 'nobody', department: 'x'.repeat(51) }))
  assert.deepEqual([error.status, error.code], [422, 'validation_failed'])
  assert.deepEqual([error.fields.email?.code, error.fields.department?.code], ['invalid_email', 'too_long'])
  assert.equal(error.request, 'POST /employees.php')
  assert.match(error.message, / email: Must be an email address\. department: .* \(POST \/employees\.php\)$/)
  assert.match(error.requestId ?? '', /./)
  const customer = await acme.customers.create({ name: 'C' })
  await acme.employees.create({ customer_id: customer.id, email: 'a@b.c' })
  const conflict = await errorOf(acme.customers.delete(customer.id))
  assert.match(conflict.details ?? '', /./)
  assert.deepEqual([conflict.dependents, error.dependents], [[{ resource: 'employees', count: 1 }], []])
})

test('the client undoes a change set, or reports the conflicts', async () => {
  const customer = await acme.customers.create({ name: 'Undone' })
  const { changeSet } = metaOf(customer)!
  assert.deepEqual(await acme.undo(changeSet!, { dryRun: true }), { change_set: null, undone: 1 })
  const undone = await acme.undo(changeSet!)
  assert.deepEqual([undone.undone, undone.change_set], [1, metaOf(undone)!.changeSet])
  const error = await errorOf(acme.undo(changeSet!))
  const records = [{ resource: 'customers', id: customer.id, reason: 'changed_since' }]
  assert.deepEqual([error.code, error.records], ['conflict', records])
  assert.equal((await errorOf(acme.undo(crypto.randomUUID()))).code, 'not_found')
})

test('unknown fields in a request by the client are refused, unless handling is lenient', async () => {
  const misspelled = { name: 'C', citty: 'Izmir' }
  const error = await errorOf(acme.customers.create(misspelled))
  assert.deepEqual([error.status, error.fields.citty?.code], [422, 'unknown_field'])
  assert.match(error.fields.citty!.message, /\bcity\b/)
  const created = await acme.customers.create(misspelled, { handling: 'lenient' })
  assert.equal(created.city, null)
  const again = await errorOf(acme.customers.change(created.id, misspelled))
  assert.equal(again.fields.citty?.code, 'unknown_field')
  assert.equal((await acme.customers.change(created.id, { ...created, city: 'Izmir' })).city, 'Izmir')
})

test('the client’s upsert by external id creates or updates a record; with isNew, it only creates records', async () => {
  const created = await acme.customers.upsert('erp 7&8', { name: 'Branch' })
  assert.equal(created.external_id, 'erp 7&8')
  const changed = await acme.customers.upsert('erp 7&8', { city: 'Bonn' }, { ifMatch: metaOf(created)!.etag! })
  assert.deepEqual([changed.id, changed.name, changed.city], [created.id, 'Branch', 'Bonn'])
  assert.deepEqual([metaOf(created)!.status, metaOf(changed)!.status], [201, 200])
  const employee = await acme.employees.upsert(
    'hr-1',
    { customer_external_id: 'erp 7&8', email: 'a@b.c' },
    { isNew: true },
  )
  assert.equal(employee.customer_id, created.id)
  const refused = await errorOf(acme.customers.upsert('erp 7&8', { city: 'Ulm' }, { isNew: true }))
  assert.equal(refused.code, 'precondition_failed')
  const unknown = { city: 'Ulm', colour: 'red' } as object
  assert.equal((await errorOf(acme.customers.upsert('erp 7&8', unknown))).code, 'validation_failed')
  assert.equal((await acme.customers.upsert('erp 7&8', unknown, { handling: 'lenient' })).city, 'Ulm')
  assert.equal((await acme.employees.get({ externalId: 'hr-1' })).id, employee.id)
  assert.deepEqual(await acme.employees.delete({ externalId: 'hr-1' }), { id: employee.id, deleted: true })
})

test('the client returns the entity tag, the replay flag and the rate limit of a response', async () => {
  const idempotencyKey = randomUUID()
  const first = await acme.customers.create({ name: 'once' }, { idempotencyKey })
  const again = await acme.customers.create({ name: 'once' }, { idempotencyKey })
  assert.deepEqual(again, first)
  assert.deepEqual([metaOf(first)?.isReplay, metaOf(again)?.isReplay], [false, true])
  const { etag } = metaOf(first)!
  assert.equal(metaOf(again)!.etag, etag)
  assert.deepEqual([metaOf(again)!.changeSet, typeof metaOf(first)!.changeSet], [metaOf(first)!.changeSet, 'string'])
  await acme.customers.change(first.id, { city: 'A' }, { ifMatch: etag! })
  const stale = await errorOf(acme.customers.change(first.id, { city: 'B' }, { ifMatch: etag! }))
  assert.equal(stale.code, 'precondition_failed')
  const limitedClient = createClient({ baseUrl: limitedUrl, key: await createKey(limited.environment, 'limited') })
  assert.equal(metaOf(await limitedClient.customers.page())?.rateLimit?.limit, 2)
})

/** Returns a fetch function that adds the status of each response to `statuses` and sets every Retry-After to one
 *  second. */
function fetchWithShortWaits(statuses: number[]): typeof fetch {
  return async (...call) => {
    const response = await fetch(...call)
    statuses.push(response.status)
    if (!response.headers.has('retry-after')) return response
    return new Response(await response.text(), { status: response.status, headers: { 'retry-after': '1' } })
  }
}

/** Sends requests until the rate limit refuses one, and returns the error. On a slow machine, this can take several
 *  rate-limit windows. */
function reachLimit({ customers }: ReturnType<typeof createClient>): Promise<TenantdeskError> {
  return eventually('the rate limit is reached', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => customers.page()))
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason
  })
}

test('the client waits until the rate limit allows a request, unless the wait exceeds the client’s time limit', async () => {
  const impatient = createClient({ baseUrl: limitedUrl, key: limitedKey, patience: 400 })
  assert.equal((await reachLimit(impatient)).code, 'rate_limited')

  const waits: Wait[] = []
  const onWait = (wait: Wait) => waits.push(wait)
  const patient = createClient({ baseUrl: limitedUrl, key: limitedKey, onWait })
  await eventually('a request meets the limit, and its retry succeeds', async () => {
    await reachLimit(impatient)
    assert.deepEqual((await patient.customers.page()).data, [])
    return waits.length > 0
  })
  const { reason, seconds, error } = waits[0]!
  assert.ok(error instanceof TenantdeskError)
  assert.deepEqual([reason, error.code, error.retryAfter], ['rate_limit', 'rate_limited', seconds])
})

test('the client waits for the smaller of Retry-After and X-RateLimit-Reset, measured by the clock of the server', async () => {
  const now = Date.parse('2031-01-01T00:00:00Z')
  async function waitAfter(status: number, retryAfter: string, resetsInSeconds: number) {
    const headers = {
      date: new Date(now).toUTCString(),
      'retry-after': retryAfter,
      'x-ratelimit-reset': String(now / 1000 + resetsInSeconds),
    }
    const answer: typeof fetch = async () => new Response('{}', { status, headers })
    return (await errorOf(createClient({ baseUrl, key, fetch: answer, patience: 0 }).me())).retryAfter
  }
  assert.equal(await waitAfter(429, '60', 17), 17)
  assert.equal(await waitAfter(429, '5', 17), 5)
  assert.equal(await waitAfter(429, '60', -3), 0.5)
  assert.equal(await waitAfter(503, '60', 17), 60)
})

test('the client tells why it waits: for the service or for the network', async () => {
  const answers = [503, 0, 200]
  const unreliable: typeof fetch = async () => {
    const status = answers.shift()!
    if (status === 0) throw new TypeError('no network')
    return new Response('{}', { status, headers: { 'retry-after': '0' } })
  }
  const reasons: string[] = []
  await createClient({ baseUrl, key, fetch: unreliable, onWait: ({ reason }) => reasons.push(reason) }).me()
  assert.deepEqual(reasons, ['unavailable', 'no_answer'])
})

test('the client retries while a tenant is unavailable', async () => {
  const statuses: number[] = []
  const settings = { baseUrl, key: await makeTenant(service.environment, 'away') }
  const client = createClient({ ...settings, fetch: fetchWithShortWaits(statuses) })
  await client.customers.create({ name: 'before' })
  const { hide, show } = await tenantDatabaseOf(service.environment, 'away')
  await hide()
  const creating = client.customers.create({ name: 'meanwhile' })
  await eventually('a request is refused', () => statuses.includes(503))
  await show()
  assert.equal((await creating).name, 'meanwhile')
})

test('a change sent by the client is applied once even if the server is killed and restarted during the request', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(settings, 'killed')
  const server = await startProcess(settings)
  const client = createClient({ baseUrl: server.url, key: token })
  await client.customers.create({ name: 'before' })
  const creating = Array.from({ length: 20 }, (_, index) => client.customers.create({ name: `number ${index}` }))
  await server.crash(0)
  const created = await Promise.all(creating)
  assert.equal(new Set(created.map(({ id }) => id)).size, 20)
  assert.equal((await client.customers.page({ total: true })).page.total, 21)
})

/** The client's default time limit for a request. */
const defaultPatienceMs = 120_000

test('if no server can be reached, the client fails after its time limit, or as soon as its AbortSignal is aborted', async () => {
  const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', key, patience: 300 })
  await assert.rejects(unreachable.customers.page(), NoAnswerError)
  const patient = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', key })
  const start = performance.now()
  await assert.rejects(patient.customers.page({}, { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
  assert.ok(performance.now() - start < defaultPatienceMs / 4)
})

test('the client waits for an unresponsive server until the client’s time limit, but an invalid request throws an error immediately', async () => {
  const silent = `http://127.0.0.1:${await listenOn(createServer(() => {}))}`
  const start = performance.now()
  await assert.rejects(createClient({ baseUrl: silent, key, patience: 300 }).customers.page(), NoAnswerError)
  for (const [settings, name] of [
    [{ baseUrl: 'nowhere', key }, 'C'],
    [{ baseUrl, key: `${key}\nx: y` }, 'C'],
    [{ baseUrl, key }, 1n as unknown as string],
  ] as const)
    await assert.rejects(createClient(settings).customers.create({ name }), TypeError)
  assert.ok(performance.now() - start < defaultPatienceMs / 4)
})

test('the client turns an HTML page from a proxy into an error with the status of the response', async () => {
  const page: typeof fetch = async () => new Response('<h1>Not here</h1>', { status: 404, statusText: 'Not Found' })
  const error = await errorOf(createClient({ baseUrl, key, fetch: page }).customers.page())
  assert.deepEqual(
    [error.status, error.code, error.message],
    [404, undefined, 'The response was 404 Not Found (GET /customers.php)'],
  )
})

test('the client does not follow redirects, so it sends the key only to the given URL', async () => {
  const forwarded: string[] = []
  const redirectTarget = createServer((request, response) => {
    forwarded.push(`${request.method} ${request.headers.authorization}`)
    response.setHeader('content-type', 'application/json').end('{"id": 1}')
  })
  const target = `http://127.0.0.1:${await listenOn(redirectTarget)}/api/v1`
  for (const status of [301, 302, 303, 307, 308]) {
    const moved = createServer((request, response) => {
      response.writeHead(status, { location: target + request.url }).end()
    })
    const client = createClient({ baseUrl: `http://127.0.0.1:${await listenOn(moved)}/api/v1`, key })
    for (const call of [client.customers.get(1), client.customers.create({ name: 'C' })]) {
      const error = await errorOf(call)
      assert.deepEqual([error.status, error.code], [status, undefined])
      assert.match(error.message, /redirect/)
    }
  }
  assert.deepEqual(forwarded, [])
})

test('an iteration ends at once when its signal is aborted, even if more records have arrived', async () => {
  for (let index = 0; index < 5; index++) await acme.customers.create({ name: `abort ${index}` })
  const query = { 'name[contains]': 'abort' }
  for (const iterate of [
    (signal: AbortSignal) => acme.customers.all(query, { signal }),
    (signal: AbortSignal) => acme.customers.export({ ...query, format: 'ndjson' }, { signal }),
    (signal: AbortSignal) => acme.changes.all({ limit: 5 }, { signal }),
  ]) {
    const controller = new AbortController()
    let count = 0
    await assert.rejects(async () => {
      for await (const _ of iterate(controller.signal)) if (++count === 2) controller.abort(new Error('enough'))
    }, /enough/)
    assert.equal(count, 2)
  }
})

test('the client gets a record only if it has changed', async () => {
  const customer = await acme.customers.create({ name: 'Tagged' })
  const tag: string = metaOf(customer)!.etag!
  assert.equal(await acme.customers.get(customer.id, { ifNoneMatch: tag }), undefined)
  await acme.customers.change(customer.id, { city: 'Ulm' })
  assert.equal((await acme.customers.get(customer.id, { ifNoneMatch: tag }))?.city, 'Ulm')
})

test('the client changes a record by its external id, and does not create one', async () => {
  const { id } = await acme.customers.upsert('change-1', { name: 'Before' })
  assert.deepEqual((await acme.customers.change({ externalId: 'change-1' }, { name: 'After' })).id, id)
  const missing = acme.customers.change({ externalId: 'change-2' }, { name: 'After' })
  assert.equal((await errorOf(missing)).code, 'precondition_failed')
})

test('the client names itself in User-Agent', async () => {
  const agents: unknown[] = []
  const server = createServer((request, response) => {
    agents.push(request.headers['user-agent'])
    response.end('{}')
  })
  await createClient({ baseUrl: `http://127.0.0.1:${await listenOn(server)}`, key }).me()
  assert.deepEqual(agents, ['tenantdesk-client'])
})

test('the client reports a response that belongs to a different request with the same key', async () => {
  const idempotencyKey = randomUUID()
  const first = await acme.customers.create({ name: 'first' }, { idempotencyKey })
  const error = await errorOf(acme.customers.create({ name: 'second' }, { idempotencyKey }))
  assert.deepEqual([error.code, error.status], ['idempotency_key_reused', 201])
  assert.deepEqual(await acme.customers.create({ name: 'first' }, { idempotencyKey }), first)
})
