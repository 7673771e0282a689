import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Client, createKey, type Json, runs, startService } from '../../support/service.ts'

const { tenant } = await startService()
const [acme, globex] = [await tenant('acme'), await tenant('globex')]
for (const client of [acme, globex]) {
  for (let index = 0; index < 5; index++)
    await client('POST', '/customers.php', { name: `n${index}`, city: index % 2 ? 'X' : null })
  for (let index = 0; index < 3; index++) await client('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' })
}

async function cursorOf(path: string, client: Client = acme): Promise<string> {
  return (await client('GET', path)).body.page.next_cursor
}

async function assertRefusedCursor(path: string, client: Client = acme): Promise<void> {
  const { status, body } = await client('GET', path)
  assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], path)
  assert.match(body.error.message, /^cursor /)
}

test('a cursor is refused for a different tenant, resource, sort or filter', async () => {
  const cursor = await cursorOf('/customers.php?limit=2&sort=city&name[contains]=n')
  const nextPage = await acme('GET', `/customers.php?name[contains]=N&sort=city&limit=3&total=1&cursor=${cursor}`)
  assert.deepEqual(
    nextPage.body.data.map(({ id }: Json) => id),
    [5, 2, 4],
  )
  await assertRefusedCursor(`/customers.php?sort=city&name[contains]=n&cursor=${cursor}`, globex)
  for (const path of [
    `/employees.php?sort=name&name[contains]=n&cursor=${cursor}`,
    `/customers.php?sort=-city&name[contains]=n&cursor=${cursor}`,
    `/customers.php?sort=name&name[contains]=n&cursor=${cursor}`,
    `/customers.php?sort=city&cursor=${cursor}`,
    `/customers.php?sort=city&name[contains]=n1&cursor=${cursor}`,
    `/customers.php?sort=city&name[contains]=n&q=n&cursor=${cursor}`,
    `/customers.php?cursor=${cursor}`,
  ]) {
    await assertRefusedCursor(path)
  }
})

test('a forged, truncated or extended cursor is refused', async () => {
  const cursor = await cursorOf('/customers.php?limit=2')
  const bytes = Buffer.from(cursor, 'base64url')
  const forged = bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte))
  const unsigned = Buffer.from(JSON.stringify([null, 1])).toString('base64url')
  for (const wrong of [
    '',
    'x',
    '%00',
    '%F0%9F%98%80',
    'a'.repeat(10_000),
    unsigned,
    cursor.slice(0, -1),
    cursor.slice(1),
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    Buffer.from(forged).toString('base64url'),
    bytes.subarray(0, 16).toString('base64url'),
  ]) {
    await assertRefusedCursor(`/customers.php?cursor=${wrong}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (random) => {
      await assertRefusedCursor(`/customers.php?cursor=${Buffer.from(random).toString('base64url')}`)
    }),
    { numRuns: runs(50) },
  )
  const twice = await acme('GET', `/customers.php?cursor=${cursor}&cursor=${cursor}`)
  assert.match(twice.body.error.message, /^cursor is given more than once/)
})

test('cursors stay valid after a restart', async () => {
  const settings = { API_KEY_PEPPER: 'p'.repeat(32) }
  const first = await startService(settings)
  const initech = await first.tenant('initech')
  for (const name of ['A', 'B', 'C']) await initech('POST', '/customers.php', { name })
  const cursor = await cursorOf('/customers.php?limit=1', initech)
  await first.service.close()
  const rotated = { ...first.environment, API_KEY_PEPPER: `1:${'p'.repeat(32)},2:${'r'.repeat(32)}` }
  const restarted = (await startService(rotated)).client(await createKey(rotated, 'initech'))
  const { body } = await restarted('GET', `/customers.php?cursor=${cursor}`)
  assert.deepEqual(
    body.data.map(({ name }: Json) => name),
    ['B', 'C'],
  )
})

type Step = { action: 'read' | 'create' | 'delete'; number: number; city: string | null }
const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom('read', 'read', 'create', 'delete'),
  number: fc.nat(30),
  city: fc.constantFrom(null, 'a', 'b', 'B', 'ü'),
})

let count = 0
test('paging returns every unchanged record exactly once while other records are inserted and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('id', '-id', 'city', '-city', 'is_active', '-name', 'notes'),
      fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
      async (sort, steps) => {
        const client = await tenant(`walk-${++count}`)
        const create = async (city: string | null, index: number) =>
          (await client('POST', '/customers.php', { name: `n${index % 3}`, city, notes: city })).body.id as number
        const untouched: number[] = []
        for (let index = 0; index < 12; index++) untouched.push(await create([null, 'a', 'b', 'B'][index % 4]!, index))
        const [changingIds, readIds] = [[] as number[], [] as number[]]
        let cursor: string | null | undefined
        const read = async () => {
          if (cursor === null) return
          const { body } = await client(
            'GET',
            `/customers.php?limit=2&sort=${sort}${cursor ? `&cursor=${cursor}` : ''}`,
          )
          readIds.push(...body.data.map(({ id }: Json) => id))
          cursor = body.page.next_cursor
        }
        for (const { action, number, city } of steps) {
          if (action === 'read') await read()
          else if (action === 'create') changingIds.push(await create(city, number))
          else if (changingIds.length > 0)
            await client('DELETE', `/customers.php?id=${changingIds.splice(number % changingIds.length, 1)[0]}`)
        }
        while (cursor !== null) await read()
        assert.equal(new Set(readIds).size, readIds.length, 'no record is returned twice')
        assert.deepEqual(
          readIds.filter((id) => untouched.includes(id)).sort((a, b) => a - b),
          untouched,
        )
      },
    ),
    { numRuns: runs(12) },
  )
})
