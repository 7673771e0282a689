// Pages through lists sorted by name while another client renames, creates and deletes records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAllDeferredIndexes } from '../support/databases/deferred-indexes.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

const service = await startService()

/** Names in list order. Many differ only in case or accents. */
const names = [null, '\u0301', 'æther', 'Anna', 'anna', 'ÄNNA', 'Çelik', 'Deniz', 'ﬁn', 'ılık', 'ilker', 'İlker']
names.push('Lukas', 'Łukasz', 'Øst', 'Özil', 'Straße', 'strasse', 'van Dyk', 'Zoe', '東京')

/** What the other client does. `edit` changes a record without its name. `victim`: which record; 0 is the last record
 *  of the page that was read last, where the cursor stands. */
type Change = { action: 'rename' | 'create' | 'delete' | 'edit'; victim: number; name: string | null }
const change: fc.Arbitrary<Change> = fc.record({
  action: fc.constantFrom('rename', 'rename', 'create', 'delete', 'edit'),
  victim: fc.nat(12),
  name: fc.constantFrom(...names),
})

/** `during`: what happens while the page is read. `after`: what happens before the next page. */
type Step = { limit: number; during: Change[]; after: Change[] }
const step: fc.Arbitrary<Step> = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  during: fc.array(change, { maxLength: 3 }),
  after: fc.array(change, { maxLength: 3 }),
})

const walks = { sort: fc.constantFrom('name', '-name'), filter: fc.constantFrom('', '&type=laptop', '&q=shelf') }

let lastTenant = 0

/** Creates a tenant with two records for each name. The records whose names will change are returned by their ids. */
async function createTenant(isIndexed: boolean) {
  const slug = `names-${++lastTenant}`
  const client = await service.tenant(slug)
  await client('POST', '/customers.php', { name: 'C' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'a@example.com' })
  const ids: number[] = []
  for (const name of [...names, ...names.toReversed()]) ids.push(await createAsset(client, name))
  const changingIds: number[] = []
  for (const name of names.filter((_, index) => index % 2 === 0)) changingIds.push(await createAsset(client, name))
  if (isIndexed) await createAllDeferredIndexes(service.environment, slug)
  return { client, ids, changingIds }
}

async function createAsset(client: Client, name: string | null): Promise<number> {
  const created = await client('POST', '/hardware.php', { employee_id: 1, type: 'laptop', model: 'Shelf', name })
  assert.equal(created.status, 201, created.text)
  return created.body.id
}

/** The ids of the records that keep their names, in list order. */
function expectedIds(ids: readonly number[], sort: string): number[] {
  const nameOf = (index: number) => (index < names.length ? index : 2 * names.length - 1 - index)
  const order = ids.map((id, index) => ({ id, name: nameOf(index) })).sort((a, b) => a.name - b.name || a.id - b.id)
  const sorted = order.map(({ id }) => id)
  return sort === 'name' ? sorted : sorted.reverse()
}

test('a list by name has each record whose name stays exactly once, in order, while others are renamed, created and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record(walks),
      fc.boolean(),
      fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }),
      async ({ sort, filter }, isIndexed, steps) => {
        const { client, ids, changingIds } = await createTenant(isIndexed)
        const readIds: number[] = []
        let cursor: string | null = ''
        const read = async (limit: number) => {
          if (cursor === null) return
          const path = `/hardware.php?sort=${sort}${filter}&limit=${limit}${cursor && `&cursor=${cursor}`}`
          const { status, text, body } = await client('GET', path)
          assert.equal(status, 200, text)
          readIds.push(...body.data.map(({ id }: Json) => id))
          cursor = body.page.next_cursor
        }
        const apply = async ({ action, victim, name }: Change) => {
          if (action === 'create') return void changingIds.push(await createAsset(client, name))
          const atCursor = changingIds.indexOf(readIds.at(-1) ?? 0)
          const at = victim === 0 && atCursor >= 0 ? atCursor : victim % Math.max(changingIds.length, 1)
          const id = action === 'edit' ? ids[victim % ids.length]! : changingIds[at]
          if (id === undefined) return
          if (action === 'delete') changingIds.splice(at, 1)
          const path = `/hardware.php?id=${id}`
          const body = action === 'rename' ? { name } : { notes: `Checked on page ${readIds.length}` }
          const { status, text } = await (action === 'delete' ? client('DELETE', path) : client('PUT', path, body))
          assert.ok(status < 300 || status === 404, text) // 404: deleted at the same time
        }
        for (const { limit, during, after } of steps) {
          await Promise.all([read(limit), ...during.map(apply)])
          for (const each of after) await apply(each)
        }
        while (cursor !== null) await read(7)
        assert.deepEqual(
          readIds.filter((id) => ids.includes(id)),
          expectedIds(ids, sort),
        )
      },
    ),
    { numRuns: runs(24) },
  )
})
