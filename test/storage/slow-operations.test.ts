// Request durations: Server-Timing, and the log of slow operations with their query plans.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { eventually } from '../support/eventually.ts'
import { createPanelUser, openBrowser, signIn } from '../support/panel/panel-client.ts'
import { engine, type Json, makeTenant, startService } from '../support/service.ts'

const lines: Json[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
const settings = { SERVER_TIMING: 'true', SLOW_OPERATION_MS: '1' }
const { environment, client, service, listen, tenant } = await startService(settings, { nodes: 1, log })
const acme = client(await makeTenant(environment, 'acme'))
const { origin } = new URL(await listen())

const secrets = ['Quentin Secret', 'quentin@secret.example']
const operations = Array.from({ length: 300 }, (_, index) => ({
  method: 'POST',
  resource: 'customers',
  body: { name: secrets[0], email: secrets[1], external_id: `secret-${index}` },
}))
const bulk = await acme('POST', '/bulk.php', { operations }, { 'x-request-id': 'the-bulk' })
assert.equal(bulk.status, 200)

/** The milliseconds in a Server-Timing header, by name. */
function timesOf(header: unknown): Record<string, number> {
  assert.match(String(header), /^total;dur=[\d.]+, queue;dur=[\d.]+, database;dur=[\d.]+$/)
  return Object.fromEntries(
    [...String(header).matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => [name!, Number(ms)]),
  )
}

test('if SERVER_TIMING is set, every response reports its total duration and the time spent in queues and databases', async () => {
  const { total, queue, database } = timesOf(bulk.headers['server-timing'])
  assert.ok(
    database! > 1 && queue! >= 0 && database! + queue! <= total! + 1,
    JSON.stringify({ total, queue, database }),
  )
  const list = timesOf((await acme('GET', '/customers.php?limit=200')).headers['server-timing'])
  assert.ok(list.database! > 0)
  const withoutDatabase = timesOf((await service.server.inject('/healthz')).headers['server-timing'])
  assert.deepEqual([withoutDatabase.queue, withoutDatabase.database], [0, 0])
  for (const path of ['/api/v1/customers.php', '/nothing', '/docs', '/metrics'])
    timesOf((await service.server.inject(path)).headers['server-timing'])
  const refused = await acme('POST', '/customers.php', '{')
  timesOf(refused.headers['server-timing'])
})

test('responses for the panel’s pages and forms have a Server-Timing header', async () => {
  await createPanelUser(environment, 'root@example.com')
  timesOf((await openBrowser(origin).get('login.php')).headers.get('server-timing')!)
  const root = await signIn(origin, 'root@example.com')
  const page = await root.get('records.php?tenant=acme&resource=customers')
  assert.ok(timesOf(page.headers.get('server-timing')!).database! > 0)
  const saved = await root.submit('records.php?tenant=acme&resource=customers&new=1', { name: 'Renamed' }, /records/)
  assert.equal(saved.status, 303, saved.html)
  assert.ok(timesOf(saved.headers.get('server-timing')!).database! > 0)
})

test('if SERVER_TIMING is not set, responses have no Server-Timing header', async () => {
  const plain = await startService({}, { nodes: 1 })
  const globex = await plain.tenant('globex')
  assert.equal((await globex('GET', '/customers.php')).headers['server-timing'], undefined)
})

test('the log entry of a slow operation contains its request id, its slowest statements and their plans', async () => {
  const line = await eventually('the slow operation is logged', () =>
    lines.find(({ msg, requestId }) => msg === 'a slow operation' && requestId === 'the-bulk'),
  )
  assert.deepEqual([line.level, line.operation], [40, 'bulk'])
  assert.match(line.tenantId, /^[a-z0-9]{20}$/)
  assert.ok(line.milliseconds > 1 && line.queueMilliseconds >= 0)
  assert.ok(line.statements.length > 0 && line.statements.length <= 3)
  for (const { sql, count, milliseconds } of line.statements) {
    assert.match(sql, /^\s*(select|insert|update|delete|with)\b/i)
    assert.ok(count > 0 && milliseconds >= 0)
  }
  const plans = line.statements.flatMap(({ plan }: Json) => plan ?? []).join('\n')
  assert.match(plans, engine === 'sqlite' ? /SEARCH|SCAN/ : /Scan|Insert|Result/)
})

test('the log of slow operations contains no field values and no search texts', async () => {
  const initech = await tenant('initech')
  await initech('GET', `/customers.php?q=${encodeURIComponent('needle@secret.example')}&name=Needle&sort=-name`)
  await initech('POST', '/customers.php', { name: 'Needle', email: 'needle@secret.example' })
  const slow = lines.filter(({ msg }) => msg === 'a slow operation').map((line) => JSON.stringify(line))
  assert.ok(slow.length > 0)
  for (const value of [...secrets, 'secret-1', 'Needle', 'needle@', 'Renamed', 'secret.example'])
    assert.ok(!slow.some((line) => line.includes(value)), value)
})

test('operations faster than SLOW_OPERATION_MS are not logged', async () => {
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })
  const { tenant } = await startService({ SLOW_OPERATION_MS: '60000' }, { nodes: 1, log })
  const globex = await tenant('globex')
  assert.equal((await globex('POST', '/bulk.php', { operations: operations.slice(0, 50) })).status, 200)
  assert.ok(!logged.some((line) => line.includes('slow operation')))
})
