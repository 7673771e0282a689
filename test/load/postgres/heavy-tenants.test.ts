// Heavy tenants leave connections free for other tenants. An operation that waits too long for a connection is refused
// and never executed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { skipWithoutTriggers } from '../../support/databases/distributed.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { type Client, startService, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
const service = await startService(environment, { nodes: 1 }) // the test exhausts a single node's connections
const shortTimeoutService = await startService(environment, { nodes: 1, queueTimeoutMs: 500 })

/** How long a request holds its connection while the table is locked. */
const lockTimeoutMs = 3000

/** Opens another session that locks the tenant's table until the transaction or the session ends. */
async function lockTable(slug: string): Promise<pg.Client> {
  const { id } = await tenantDatabaseOf(environment, slug)
  const session = new pg.Client(environment.DATABASE_URL!)
  await session.connect()
  after(() => session.end())
  await session.query('begin')
  await session.query(`lock table t_${id}.customers in access exclusive mode`)
  return session
}

/** Sends a list request, a read and a change one after another. Returns their total duration in milliseconds. */
async function timeOfThree(client: Client): Promise<number> {
  const startedAt = performance.now()
  assert.equal((await client('GET', '/customers.php')).status, 200)
  assert.equal((await client('GET', '/customers.php?id=1')).status, 200)
  assert.equal((await client('PUT', '/customers.php?id=1', { city: 'C' })).status, 200)
  return performance.now() - startedAt
}

/** Keeps 20 requests in flight until `isOver` returns true. */
async function flood(
  client: Client,
  sendRequest: (client: Client) => Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  const one = async () => {
    while (!isOver()) await sendRequest(client)
  }
  await Promise.all(Array.from({ length: 20 }, one))
}

const heavyRequests = {
  changes: (client: Client) => client('POST', '/customers.php', { name: 'Late' }),
  lists: (client: Client) => client('GET', '/customers.php'),
}

for (const [what, sendRequest] of Object.entries(heavyRequests)) {
  for (const count of [4, 10]) {
    test(`an idle tenant's list, read and change take less than a second while ${what} for ${count} tenants take seconds`, async () => {
      const slugs = Array.from({ length: count }, (_, index) => `${what}-${count}-${index}`)
      const heavy: Client[] = []
      for (const slug of slugs) heavy.push(await service.tenant(slug))
      const idle = await service.tenant(`idle-beside-${count}-${what}`)
      for (const client of [...heavy, idle]) await client('POST', '/customers.php', { name: 'First' })
      const unloadedMs = await timeOfThree(idle)
      const holders = await Promise.all(slugs.map(lockTable))
      let isOver = false
      const load = Promise.all(heavy.map((client) => flood(client, sendRequest, () => isOver)))
      try {
        await wait(500)
        const times: number[] = []
        for (const end = performance.now() + lockTimeoutMs + 500; performance.now() < end; await wait(50))
          times.push(await timeOfThree(idle))
        const sorted = times.sort((one, other) => one - other).map(Math.round)
        const median = sorted[Math.floor(sorted.length / 2)]!
        assert.ok(
          median < Math.max(1000, 10 * unloadedMs),
          `the three requests took ${sorted} ms under load, and ${unloadedMs} ms before`,
        )
        const late = sorted.filter((time) => time >= lockTimeoutMs)
        assert.ok(late.length <= 1, `requests waited for a heavy tenant: ${sorted} ms`) // the machine may delay one
      } finally {
        isOver = true
        await Promise.all(holders.map((holder) => holder.query('rollback')))
        await load
      }
    })
  }
}

test('a queued change that waits too long is refused and never applied', {
  skip: await skipWithoutTriggers(environment),
}, async () => {
  const client = await shortTimeoutService.tenant('slow')
  await client('POST', '/customers.php', { name: 'First' })
  const tenantDatabase = await tenantDatabaseOf(environment, 'slow')
  await tenantDatabase.run(`create function sleep() returns trigger language plpgsql as
    'begin perform pg_sleep(0.2); return new; end'`)
  await tenantDatabase.run('create trigger sleep after insert on customers for each row execute function sleep()')
  const create = (_: unknown, at: number) => client('POST', '/customers.php', { name: `${at}` })
  const responses = await Promise.all(Array.from({ length: 60 }, create))
  const refused = responses.filter(({ status }) => status !== 201)
  assert.ok(refused.length > 0 && refused.length < responses.length, `${refused.length} refused`)
  for (const response of refused) assertRefused(response, 'server_busy')
  await wait(1000)
  const names = (await tenantDatabase.all('select name from customers where id > 1')).map(({ name }) => name)
  const created = responses.flatMap(({ status }, index) => (status === 201 ? [`${index}`] : []))
  assert.deepEqual(names.sort(), created.sort())
})
