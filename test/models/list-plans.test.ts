// Depending on the number of matches, the service uses different strategies to find a page's records. All strategies
// must return the same pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { customers } from '../../src/domain/declarations/customers.ts'
import { timestampColumns } from '../../src/domain/declarations/resource.ts'
import { listAsOf } from '../../src/domain/history/as-of-lists.ts'
import { choosePlan, listRecords } from '../../src/domain/lists/page.ts'
import type { ListQuery, Position } from '../../src/domain/lists/query.ts'
import { createDeferredIndexesIfLarge, derivedValues, hasDeferredIndexes } from '../../src/domain/schema/derived.ts'
import { fold, wordsOf } from '../../src/domain/search/fold.ts'
import { countUnindexed, indexPending } from '../../src/domain/search/index.ts'
import type { Database, Value } from '../../src/engine/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { sample } from '../support/faults/load.ts'
import { replaceMethods } from '../support/replace-methods.ts'
import { engine, type Json, makeTenant, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const settings = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
await makeTenant(settings, 'acme')

/** The records of the large table. The strategy for a list changes at a certain number of matches. Some conditions
 *  match more records than this number, others match fewer. All names with 'zlate' are near the end of the list. */
const all = Array.from({ length: 26_000 }, (_, at): Json => {
  const name = at < 21_000 ? `common ${(at * 7919) % 26_000}` : at < 25_000 ? `zlate ${at}` : `rare ${at}`
  return {
    id: at * 5 + 1,
    name,
    city: at % 3 === 0 ? null : `town ${at % 5}`,
    type: at % 9 ? 'branch' : 'client',
    is_active: at % 2 === 0,
    notes: at % 11 ? null : notesOf(at),
    created_at: `${at}`,
    updated_at: `${at}`,
  }
})

/** Returns the notes of a record. Some notes are longer than the prefix that an index stores, and differ only after
 *  this prefix. */
function notesOf(at: number): string {
  return `Noted ${'ü'.repeat(at % 3 ? 98 : 3)}${'abcdefg'[at % 7]}`
}

/** Inserts these customers, and creates the deferred indexes if the table is now large. */
async function fill(database: Database, all: Json[]): Promise<void> {
  for (let index = 0; index < all.length; index += 500) {
    const rows = all
      .slice(index, index + 500)
      .map(({ id, ...members }) => ({ id, ...members, ...derivedValues(database.engine, customers, members) }))
    const columns = Object.keys(rows[0]!)
    const places = `(${columns.map(() => '?').join(', ')})`
    const list = rows.map(() => places).join(', ')
    const sql = `insert into customers (${columns.join(', ')}) values ${list}`
    await database.run(
      sql,
      rows.flatMap((row) => Object.values(row) as Value[]),
    )
  }
  await createDeferredIndexesIfLarge(database, customers)
}

const by = (field: string, isDescending = false) => ({ sort: { field, isDescending } })
const where = (filter: string, value: Value) => ({ filter, operator: 'eq' as const, values: [value] })
const matches: [Partial<ListQuery>, (each: Json) => boolean][] = [
  [{ words: wordsOf('common') }, ({ name }) => name.startsWith('common')],
  [{ words: wordsOf('ZLATE') }, ({ name }) => name.startsWith('zlate')],
  [{ words: ['re'] }, ({ name }) => name.startsWith('rare')],
  [{ words: ['om'] }, ({ name }) => name.startsWith('common')],
  [{ words: ['ed'] }, ({ notes }) => notes !== null],
  [{ words: wordsOf('rare') }, ({ name }) => name.startsWith('rare')],
  [
    { words: wordsOf('noted common 1') },
    ({ name, notes, city }) => notes && name.startsWith('common') && `${name} ${city}`.includes('1'),
  ],
  [{ conditions: [where('type', 'branch')] }, ({ type }) => type === 'branch'],
  [{ conditions: [where('city', 'town 3')] }, ({ city }) => city === 'town 3'],
  [
    { conditions: [where('city', 'town 3'), where('type', 'branch')], words: ['zl'] },
    ({ city, type, name }) => city === 'town 3' && type === 'branch' && name.includes('zl'),
  ],
  [
    { conditions: [{ filter: 'created_at', operator: 'gte', values: ['2'] }, where('is_active', true)] },
    ({ created_at, is_active }) => created_at >= '2' && is_active,
  ],
  [
    { conditions: [{ filter: 'name', operator: 'contains', values: [fold('Late 2')] }] },
    ({ name }) => name.includes('late 2'),
  ],
]
const sorts = [
  by('id'),
  by('id', true),
  by('name'),
  by('name', true),
  by('city'),
  by('city', true),
  by('notes'),
  by('notes', true),
]

/** Reads two pages from the beginning of the list and two pages from the middle. Returns the ids on these pages. */
async function readPages(database: Database, query: Partial<ListQuery>, middle: Position | null): Promise<number[]> {
  const found: number[] = []
  const base = {
    limit: 200,
    conditions: [],
    words: [],
    includes: {},
    withTotal: false,
    timeoutMs: 60_000,
    ...by('id'),
    ...query,
  }
  const list = { database, resource: customers, resources }
  for (const start of [null, middle]) {
    let after = start
    for (let page = 0; page < 2; page++) {
      const { records, next } = await listRecords({ ...list, query: { ...base, after } })
      found.push(...records.map((record) => JSON.parse(record).id))
      if (!next) break
      after = next
    }
  }
  return found
}

function ascending(a: Json, b: Json): number {
  if (a === b) return 0
  return a === null || (b !== null && a < b) ? -1 : 1
}

/** Returns the expected result of `readPages`, and the position in the middle after which the second pair of pages
 *  begins. */
function expectedPages(matching: Json[], { field, isDescending }: ListQuery['sort']) {
  const sign = isDescending ? -1 : 1
  const sorted = matching.sort((a, b) => sign * (ascending(a[field] ?? null, b[field] ?? null) || a.id - b.id))
  const middle = sorted[Math.floor(sorted.length / 2)]
  const position: Position | null = middle ? { value: middle[field] ?? null, id: middle.id } : null
  const secondHalf = sorted.slice(middle ? Math.floor(sorted.length / 2) + 1 : 0)
  const ids: number[] = [...sorted.slice(0, 400), ...secondHalf.slice(0, 400)].map(({ id }) => id)
  return { ids, position }
}

/** Fills the tenant's table with these records, and compares its lists with the expected pages. */
async function compareStrategies(slug: string, all: Json[]): Promise<void> {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, slug)
    await databases.write(tenant, ({ database }) => fill(database, all))
    const expected = matches.map(([, isMatch]) => sorts.map(({ sort }) => expectedPages(all.filter(isMatch), sort)))
    const compare = (sortCount: number) =>
      databases.read(tenant, async ({ database }) => {
        for (const [index, [query, isMatch]] of matches.entries()) {
          for (const [sortIndex, order] of sample([...sorts.entries()], sortCount)) {
            const { ids, position } = expected[index]![sortIndex]!
            const found = await readPages(database, { ...query, ...order }, position)
            assert.deepEqual(found, ids, JSON.stringify([query, order]))
          }
          const list = { database, resource: customers, resources }
          const countQuery: ListQuery = {
            limit: 1,
            conditions: [],
            words: [],
            includes: {},
            after: null,
            withTotal: true,
            timeoutMs: 60_000,
            ...by('name'),
            ...query,
          }
          const { total } = await listRecords({ ...list, query: countQuery })
          assert.equal(total, all.filter(isMatch).length)
          if (query.words || query.conditions!.some(({ operator }) => operator === 'contains')) continue
          const pastList = await listAsOf({ ...list, query: { ...countQuery, asOf: '2030-01-01T00:00:00.000Z' } })
          assert.equal(pastList.total, total, 'as_of counts the same records')
        }
      })
    const hasIndexes = await databases.read(tenant, ({ database }) => hasDeferredIndexes(database, customers))
    if (engine === 'sqlite' && hasIndexes) {
      await databases.write(tenant, async ({ database }) => {
        while ((await countUnindexed(database, customers)) > 0) await indexPending(database, customers)
      })
    }
    await compare(engine === 'postgres' ? 2 : sorts.length)
    if (engine === 'postgres') {
      await databases.write(tenant, analyze)
      await compare(4) // with statistics, PostgreSQL's planner may choose another strategy
    }
    if (engine === 'sqlite') {
      // An update makes the service index these records again.
      const touch = 'update customers set search_text = search_text where id % 9 = 0'
      await databases.write(tenant, async ({ database }) => void (await database.run(touch)))
      await compare(sorts.length)
    }
  })
}

test('lists of a large table have the expected pages, whichever strategy finds the records', { timeout: 120_000 }, () =>
  compareStrategies('acme', all),
)

test('lists of a small table have the expected pages', { timeout: 120_000 }, async () => {
  const fewer = all.filter((_, index) => index % 70 === 0).map((each, index) => ({ ...each, id: index * 5 + 1 }))
  await makeTenant(settings, 'small')
  await compareStrategies('small', fewer)
})

const equalTo = (filter: string, value: Value) => ({ conditions: [where(filter, value)] })
const from = (filter: string, value: Value) => ({ conditions: [{ filter, operator: 'gte' as const, values: [value] }] })
const strategies: [tenant: string, query: Partial<ListQuery>, strategy: string, fallback?: string][] = [
  ['small', { ...by('name'), ...equalTo('type', 'branch') }, 'scan'],
  ['acme', { ...by('id'), ...equalTo('name', 'common 1') }, 'fetch and sort'],
  ['acme', { ...by('name'), ...equalTo('name', 'common 1') }, 'fetch and sort'],
  ['acme', { ...by('city'), ...equalTo('name', 'common 1') }, 'fetch and sort'],
  ['acme', { ...by('name'), words: ['rare'] }, 'fetch and sort'],
  ['acme', { ...by('city'), ...equalTo('city', 'town 1') }, 'walk'],
  ['acme', { ...by('city'), ...from('city', 'town 3') }, 'walk'],
  ['acme', by('city'), 'scan'],
  ['acme', { ...by('id', true), ...equalTo('type', 'branch') }, 'walk', 'walk only the matches'],
  ['acme', { ...by('name'), ...from('name', 'm') }, 'walk', 'walk only the matches'],
  ['acme', { ...by('name'), words: ['zlate'] }, 'walk', 'walk only the matches'],
  ['acme', { ...by('id', true), words: ['zlate'] }, 'walk', 'walk only the matches'],
  ['acme', { ...by('id'), ...equalTo('city', 'town 3'), words: ['zlate'] }, 'walk', 'walk only the matches'],
]

test('on SQLite, the strategy for a list depends on its order, its filters, and the numbers of records and matches', {
  skip: engine !== 'sqlite',
}, async () => {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    for (const [slug, query, strategy, fallback] of strategies) {
      const tenant = await requireTenant(catalog, slug)
      const base = {
        limit: 50,
        conditions: [],
        words: [],
        includes: {},
        after: null,
        withTotal: false,
        timeoutMs: 60_000,
      }
      const plan = await databases.read(tenant, ({ database }) =>
        choosePlan({ database, resource: customers, resources, query: { ...base, ...by('id'), ...query } }),
      )
      assert.deepEqual([plan.strategy, plan.fallback?.plan.strategy], [strategy, fallback], JSON.stringify(query))
    }
  })
})

async function analyze({ database }: { database: Database }): Promise<void> {
  await database.run('analyze customers')
}

/** Wraps a database, and adds the engine's plan for each statement that reads JSON to `plans`. */
function withPlans(database: Database, plans: string[]): Database {
  const explain = engine === 'sqlite' ? 'explain query plan' : 'explain'
  const texts = async (sql: string, values?: readonly Value[]) => {
    const lines = sql.includes('json') ? await database.all(`${explain} ${sql}`, values) : []
    if (lines.length > 0) plans.push(lines.map((line) => line.detail ?? line['QUERY PLAN']).join('\n'))
    return database.texts(sql, values)
  }
  return replaceMethods(database, { texts })
}

test('a search finds its candidates in an index, even for two letters that occur in no record', async () => {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, 'acme')
    if (engine === 'postgres') await databases.write(tenant, analyze)
    await databases.read(tenant, async ({ database }) => {
      // Without this setting, PostgreSQL would scan a table of this size.
      if (engine === 'postgres') await database.run('set local enable_seqscan = off')
      for (const words of [['rare'], ['qz'], ['qz', 'rare'], ['nowhere', 'common']]) {
        const plans: string[] = []
        await readPages(withPlans(database, plans), { words, ...by('name') }, null)
        const index = engine === 'sqlite' ? /customers_(search|terms) VIRTUAL TABLE INDEX/ : /customers_search/
        assert.ok(plans.length > 0)
        for (const plan of plans) assert.match(plan, index, `${words}`)
      }
    })
  })
})

test('an email address is found by indexes, whatever its case', async () => {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, 'acme')
    if (engine === 'postgres') await databases.write(tenant, analyze)
    await databases.read(tenant, async ({ database }) => {
      for (const operator of ['eq', 'in'] as const) {
        const plans: string[] = []
        const conditions = [{ filter: 'email', operator, values: ['Ada@example.com'] }]
        await readPages(withPlans(database, plans), { conditions, ...by('id') }, null)
        assert.ok(plans.length > 0)
        for (const plan of plans) assert.match(plan, /customers_email\b.*customers_email_lower/s, plan)
      }
    })
  })
})

test('the database reads a page of a large table from its position in an index without sorting, except for texts longer than the indexed prefix', async () => {
  const orders = ['id', ...Object.keys(customers.fields), ...timestampColumns]
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, 'acme')
    if (engine === 'postgres') await databases.write(tenant, analyze)
    await databases.read(tenant, async ({ database }) => {
      const plans: [field: string, plan: string][] = []
      for (const field of orders) {
        const plansOfField: string[] = []
        for (const isDescending of [false, true]) {
          await readPages(withPlans(database, plansOfField), by(field, isDescending), null)
        }
        plans.push(...plansOfField.map((plan): [string, string] => [field, plan]))
        // Only the first page may be read from the start of an index. `readPages` reads it twice in each direction.
        const scans = plansOfField.filter((plan) => /^SCAN/.test(plan))
        assert.ok(scans.length <= 4, scans.join('\n'))
      }
      assert.ok(plans.length >= orders.length * 2 * 4)
      for (const [field, plan] of plans) {
        if (field === 'notes') assert.match(plan, /customers_notes/)
        if (field === 'name') assert.match(plan, /customers_name_folded/)
        // PostgreSQL does not see that the page that it has read from this index is already sorted.
        if (field === 'name' && engine === 'postgres') continue
        const sorting = field === 'notes' ? /temp b-tree for order/i : /sort|temp b-tree/i
        assert.doesNotMatch(plan, sorting, field)
      }
    })
  })
})
