// Heavy tenants share the reader threads among themselves: they keep no other tenant waiting, on whichever threads they are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneOf } from '../../../src/storage/sqlite/lanes.ts'
import { insideOf } from '../../inside.ts'
import { type Client, startService } from '../../service.ts'

const { tenant, environment } = await startService({}, { workers: 3 })

const heavyList = '/customers.php?sort=-notes&notes[ne]=x'

/** A tenant whose list reads and sorts so many records. */
async function heavyTenant(slug: string, count: number): Promise<Client> {
  const client = await tenant(slug)
  const then = '2026-01-01T00:00:00.000Z'
  const inside = await insideOf(environment, slug)
  await inside.run(`insert into customers (name, notes, created_at, updated_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select 'N', 'x' || n, '${then}', '${then}' from numbers`)
  assert.equal((await client('GET', heavyList)).status, 200)
  return client
}

/** A tenant with five records that has asked for nothing of late. */
async function idleTenant(slug: string): Promise<Client> {
  const client = await tenant(slug)
  for (let made = 0; made < 5; made++) await client('POST', '/customers.php', { name: `${made}` })
  assert.equal((await client('GET', '/customers.php')).body.data.length, 5)
  return client
}

/** Runs work while each heavy tenant has so many lists in flight, and asks for another as soon as one is answered; after 20
 *  seconds no more, so that those who wait for ever are answered. */
async function besideLists(heavy: Client[], inFlight: number, work: () => Promise<void>): Promise<void> {
  let isOver = false
  const end = performance.now() + 20_000
  const one = async (client: Client) => {
    while (!isOver && performance.now() < end) assert.ok([200, 503].includes((await client('GET', heavyList)).status))
  }
  const load = heavy.flatMap((client) => Array.from({ length: inFlight }, () => one(client)))
  try {
    await work()
  } finally {
    isOver = true
  }
  await Promise.all(load)
}

/** The longest that any of these tenants waits for its list, asking five times with pauses. Milliseconds. */
async function longestWait(idle: Client[]): Promise<number> {
  const waits = idle.map(async (client) => {
    let longest = 0
    for (let turn = 0; turn < 5; turn++) {
      const begun = performance.now()
      const answer = await client('GET', '/customers.php')
      longest = Math.max(longest, performance.now() - begun)
      assert.equal(answer.body.data.length, 5, answer.text)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return longest
  })
  return Math.max(...(await Promise.all(waits)))
}

/** Makes tenants until there is one for each remainder of their ids' hash, by which threads could be shared out. */
async function tenantOfEach(name: string, make: (slug: string) => Promise<Client>): Promise<Client[]> {
  const made: Client[] = []
  for (let at = 0; made.filter(Boolean).length < 3; at++) {
    const client = await make(`${name}-${at}`)
    made[laneOf((await insideOf(environment, `${name}-${at}`)).id, 3)] ??= client
  }
  return made
}

const idle = await tenantOfEach('idle', idleTenant)

test('whichever two tenants are heavy, the list of an idle one takes less than a second', async () => {
  const heavy = await tenantOfEach('heavy', (slug) => heavyTenant(slug, 150_000))
  for (const [at, one] of heavy.entries()) {
    for (const other of heavy.slice(at + 1)) {
      await besideLists([one, other], 10, async () => {
        const longest = await longestWait(idle)
        assert.ok(longest < 1000, `an idle tenant waited ${Math.round(longest)} ms`)
      })
    }
  }
})

test('beside ten heavy tenants, the list of an idle one takes less than a second', async () => {
  const heavy: Client[] = []
  for (let made = 0; made < 10; made++) heavy.push(await heavyTenant(`of-ten-${made}`, 40_000))
  await besideLists(heavy, 10, async () => {
    const longest = await longestWait(idle)
    assert.ok(longest < 1000, `an idle tenant waited ${Math.round(longest)} ms`)
  })
})

test('a thread is left for an idle tenant while the others are at lists that take a second each', async () => {
  const heavy: Client[] = []
  for (let made = 0; made < 3; made++) heavy.push(await heavyTenant(`slow-${made}`, 600_000))
  await besideLists(heavy, 4, async () => {
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const longest = await longestWait(idle)
    assert.ok(longest < 1000, `an idle tenant waited ${Math.round(longest)} ms`)
  })
})
