// Tenants with slow lists cannot occupy all reader threads, so they do not delay other tenants.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { threadIndexFor } from '../../../src/engine/sqlite/threads/pools.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { type Client, startService } from '../../support/service.ts'

const { tenant, environment } = await startService({}, { workers: 3 })

const heavyList = '/customers.php?sort=-notes&notes[ne]=x'

/** Inserts records that every heavy list of the tenant reads and sorts. */
async function makeHeavy(client: Client, slug: string, count: number): Promise<void> {
  const createdAt = '2026-01-01T00:00:00.000Z'
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  await tenantDatabase.run(`insert into customers (name, notes, created_at, updated_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select 'N', 'x' || n, '${createdAt}', '${createdAt}' from numbers`)
  assert.ok([200, 503].includes((await client('GET', heavyList)).status)) // 503 if the machine is slow
}

async function heavyTenant(slug: string, count: number): Promise<Client> {
  const client = await tenant(slug)
  await makeHeavy(client, slug, count)
  return client
}

/** Creates five records for a tenant. */
async function makeIdle(client: Client): Promise<void> {
  for (let created = 0; created < 5; created++) await client('POST', '/customers.php', { name: `${created}` })
  assert.equal((await client('GET', '/customers.php')).body.data.length, 5)
}

/** Runs `work` while each heavy tenant keeps this many list requests in flight. `work` receives a function that
 *  returns the number of lists received so far. The load stops after 20 seconds, so that even a starved request gets
 *  a response. */
async function duringLists(
  heavy: Client[],
  inFlight: number,
  work: (received: () => number) => Promise<void>,
): Promise<void> {
  let isOver = false
  let received = 0
  const end = performance.now() + 20_000
  const sendLists = async (client: Client) => {
    while (!isOver && performance.now() < end) {
      const { status } = await client('GET', heavyList)
      assert.ok([200, 503].includes(status))
      if (status === 200) received++
    }
  }
  const load = heavy.flatMap((client) => Array.from({ length: inFlight }, () => sendLists(client)))
  try {
    await work(() => received)
  } finally {
    isOver = true
  }
  await Promise.all(load)
}

/** Requests a list of each idle tenant five times, with pauses. Each response must come within a second or, if
 *  something else slows the machine down, before the heavy tenants have received more than `maxLists` lists. */
async function assertShortWaits(idle: Client[], maxLists: number, received: () => number): Promise<void> {
  const requestLists = async (client: Client) => {
    for (let round = 0; round < 5; round++) {
      const [startedAt, before] = [performance.now(), received()]
      const response = await client('GET', '/customers.php')
      const [waitedMs, lists] = [performance.now() - startedAt, received() - before]
      assert.equal(response.body.data.length, 5, response.text)
      const wait = `${Math.round(waitedMs)} ms, while heavy tenants received ${lists} lists`
      assert.ok(waitedMs < 1000 || lists <= maxLists, `an idle tenant waited ${wait}`)
      await sleep(50)
    }
  }
  await Promise.all(idle.map(requestLists))
}

/** Creates tenants until their ids' hashes select each of three threads, and fills one tenant per thread. If
 *  reader threads were assigned by this hash, an idle tenant would wait for a heavy one. */
async function tenantOfEach(name: string, fill: (client: Client, slug: string) => Promise<void>): Promise<Client[]> {
  const created: Client[] = []
  for (let index = 0; created.filter(Boolean).length < 3; index++) {
    const slug = `${name}-${index}`
    const client = await tenant(slug)
    const remainder = threadIndexFor((await tenantDatabaseOf(environment, slug)).id, 3)
    if (created[remainder]) continue
    created[remainder] = client
    await fill(client, slug)
  }
  return created
}

const idle = await tenantOfEach('idle', makeIdle)

test('while any two tenants send heavy load, a list for an idle tenant takes less than a second', async () => {
  const heavy = await tenantOfEach('heavy', (client, slug) => makeHeavy(client, slug, 150_000))
  for (const [index, one] of heavy.entries()) {
    for (const other of heavy.slice(index + 1)) {
      await duringLists([one, other], 10, (received) => assertShortWaits(idle, 20, received))
    }
  }
})

test('while ten tenants send heavy load, a list for an idle tenant takes less than a second', async () => {
  const heavy: Client[] = []
  for (let created = 0; created < 10; created++) heavy.push(await heavyTenant(`of-ten-${created}`, 40_000))
  await duringLists(heavy, 10, (received) => assertShortWaits(idle, 40, received))
})

test('one reader thread stays free for idle tenants while lists of heavy tenants take a second each', async () => {
  const heavy: Client[] = []
  for (let created = 0; created < 3; created++) heavy.push(await heavyTenant(`slow-${created}`, 600_000))
  await duringLists(heavy, 4, async (received) => {
    await sleep(3000)
    await assertShortWaits(idle, 6, received)
  })
})
