// The durations in the Server-Timing header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, openBrowser, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const { environment, client, service, listen } = await startService({ SERVER_TIMING: 'true' }, { nodes: 1 })
const acme = client(await makeTenant(environment, 'acme'))
const { origin } = new URL(await listen())

const operations = Array.from({ length: 300 }, (_, index) => ({
  method: 'POST',
  resource: 'customers',
  body: { name: `Branch ${index}` },
}))
const bulk = await acme('POST', '/bulk.php', { operations })
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
