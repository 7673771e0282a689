// Past states of records: a request with as_of returns what the same request returned at that time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

let clock = Date.UTC(2030, 0, 1)
const service = await startService({}, { now: () => new Date(clock) })

/** Advances the clock by a second. Returns the new time. */
function nextMoment(): string {
  clock += 1000
  return new Date(clock).toISOString()
}

const text = fc.constantFrom(null, 'a', 'B', 'b', 'ä', 'É "\\ 😀', 'null', 'true', '1')
const id = fc.integer({ min: 1, max: 14 })
const values = {
  customers: fc.record({
    name: fc.constantFrom('a', 'B', 'ü'),
    city: text,
    is_active: fc.constantFrom(true, false, null),
  }),
  employees: fc.record({
    customer_id: id,
    email: fc.constantFrom('a@b.c', 'd@e.f'),
    name: text,
    is_remote: fc.boolean(),
  }),
  hardware: fc.record({
    employee_id: id,
    name: text,
    status: fc.constantFrom('in_use', 'lost', null),
    purchase_cost: fc.constantFrom(null, 0, 5, 10, 2 ** 53 - 1),
    purchase_date: fc.constantFrom(null, '2025-01-01', '2031-12-31'),
    is_loaner: fc.boolean(),
  }),
}
const names = ['customers', 'employees', 'hardware'] as const
type Name = (typeof names)[number]
type Step = { name: Name; action: 'POST' | 'PUT' | 'DELETE' | 'UNDO'; id: number; values: Json; fields: number }

const step: fc.Arbitrary<Step> = fc.constantFrom(...names, 'hardware' as const).chain((name) =>
  fc.record({
    name: fc.constant(name),
    action: fc.constantFrom('POST', 'PUT', 'PUT', 'DELETE', 'UNDO', 'UNDO'),
    id,
    values: values[name] as fc.Arbitrary<Json>,
    fields: fc.nat(63),
  }),
)

/** Executes a step. `fields`: a bit mask of the fields that an update changes. `UNDO` undoes the change set of one of
 *  the 14 latest changes. */
async function runStep(client: Client, { name, action, id, values, fields }: Step): Promise<void> {
  const selected = Object.fromEntries(Object.entries(values).filter((_, index) => fields & (1 << index)))
  if (action === 'UNDO') {
    const { data } = (await client('GET', '/changes.php?order=desc&limit=14')).body
    await client('POST', '/undo.php', { change_set: data[id % data.length].change_set })
  } else if (action === 'POST') await client('POST', `/${name}.php`, values)
  else await client(action, `/${name}.php?id=${id}`, action === 'PUT' ? selected : undefined)
}

/** Creates one record of each resource. */
async function createRecords(client: Client, id: number): Promise<void> {
  await client('POST', '/customers.php', { name: `${id % 4}` })
  await client('POST', '/employees.php', { customer_id: 1 + (id % 3), email: 'a@b.c' })
  await client('POST', '/hardware.php', { employee_id: 1 + (id % 4), name: 'b', purchase_cost: id % 3 })
}

const filters = {
  customers: [
    'city=a',
    'city[null]=true',
    'is_active=true',
    'name[ne]=B',
    'id[in]=1,2,3',
    'updated_at[gte]=2030-01-01T00:00:20Z',
  ],
  employees: ['customer_id=1', 'name[gt]=B', 'is_remote=false', 'email=a@b.c', 'customer_id[in]=2,3', 'id[gte]=3'],
  hardware: [
    'employee_id=1',
    'customer_id=1',
    'customer_id[ne]=2',
    'status=lost',
    'name[gte]=a',
    'name[null]=false',
    'purchase_cost[lt]=10',
    'purchase_cost=9007199254740991',
    'is_loaner=true',
    'purchase_date[null]=true',
    'created_at[lt]=2030-01-01T00:00:30Z',
    'status[ne]=lost',
    'id[lte]=4',
  ],
}
const sorts = {
  customers: ['id', 'name', 'city', 'is_active', 'updated_at'],
  employees: ['id', 'customer_id', 'name', 'created_at', 'is_remote'],
  hardware: ['id', 'name', 'purchase_cost', 'purchase_date', 'updated_at', 'is_loaner', 'employee_id'],
}
const includes = {
  customers: [''],
  employees: ['', 'customer'],
  hardware: ['', 'employee', 'employee,employee.customer'],
}

const query: fc.Arbitrary<string> = fc.constantFrom(...names).chain((name) =>
  fc.oneof(
    fc
      .tuple(id, fc.constantFrom(...includes[name]))
      .map(([id, include]) => `/${name}.php?id=${id}${including(include)}`),
    fc
      .record({
        sort: fc.constantFrom(...sorts[name].flatMap((sort) => [sort, `-${sort}`])),
        limit: fc.constantFrom(1, 2, 3, 50),
        filters: fc.subarray(filters[name], { maxLength: 2 }),
        include: fc.constantFrom(...includes[name]),
      })
      .map(
        ({ sort, limit, filters, include }) =>
          [`/${name}.php?sort=${sort}&limit=${limit}&total=true`, ...filters].join('&') + including(include),
      ),
  ),
)

/** Returns the parameter for an include, or nothing for an empty string. */
function including(include: string): string {
  return include && `&include=${include}`
}

/** Reads all pages of a list, or one record. Returns each response's text, or its status if that is not 200. */
async function readPages(client: Client, path: string): Promise<string[]> {
  const first = await client('GET', path)
  const responses = [first]
  for (let cursor = first.body.page?.next_cursor; cursor; cursor = responses.at(-1)!.body.page.next_cursor) {
    responses.push(await client('GET', `${path}&cursor=${cursor}`))
  }
  return responses.map(({ status, text, body }) => {
    return status !== 200 ? String(status) : body.page ? JSON.stringify([body.data, body.page.total]) : text
  })
}

test('the model of past states covers every declared resource', () => {
  assert.deepEqual([...names], resourceNames)
})

let tenantCount = 0

test('a GET with as_of returns what GET returned at that time: records, lists, pages, totals, includes', async () => {
  const history = fc.record({
    steps: fc.array(step, { minLength: 60, maxLength: 60 }),
    queries: fc.array(query, { minLength: 120, maxLength: 120 }),
  })
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, queries }) => {
      const client = await service.tenant(`random-${++tenantCount}`)
      const remembered: { moment: string; path: string; responses: string[] }[] = []
      const remember = async (moment: string) => {
        for (const path of queries.splice(0, 2))
          remembered.push({ moment, path, responses: await readPages(client, path) })
      }
      const moment = nextMoment()
      for (let id = 1; id <= 9; id++) await createRecords(client, id) // later ids have two digits
      await remember(moment)
      for (const next of steps) {
        const moment = nextMoment()
        await runStep(client, next)
        await remember(moment)
      }
      nextMoment()
      for (const { moment, path, responses } of remembered) {
        assert.deepEqual(await readPages(client, `${path}&as_of=${moment}`), responses, `${path} as of ${moment}`)
      }
    }),
    { numRuns: runs(3), endOnFailure: true },
  )
})

test('as_of between two changes shows the state after the first change, and as_of before all changes shows no records', async () => {
  const client = await service.tenant('between')
  const before = nextMoment()
  nextMoment()
  const created = (await client('POST', '/customers.php', { name: 'A' })).body
  clock += 5000
  await client('PUT', '/customers.php?id=1', { name: 'B' })
  const path = '/customers.php?id=1&as_of='
  assert.deepEqual((await client('GET', path + new Date(clock - 1).toISOString())).body, created)
  assert.equal((await client('GET', path + new Date(clock).toISOString())).body.name, 'B')
  assert.equal((await client('GET', path + created.created_at)).body.name, 'A')
  assert.equal((await client('GET', path + before)).status, 404)
  assert.deepEqual((await client('GET', `/customers.php?as_of=${before}`)).body.data, [])
  assert.deepEqual((await client('GET', '/customers.php?as_of=2030-01-01')).body.data, [])
  const { headers } = await client('GET', path + created.created_at)
  const repeated = await client('GET', path + created.created_at, undefined, { 'if-none-match': headers.etag! })
  assert.equal(repeated.status, 304)
})

test('all pages of a list with as_of show the same state, even if records change between the pages', async () => {
  for (const [index, sort] of ['name', 'is_active', '-is_active', '-created_at', 'city'].entries()) {
    const client = await service.tenant(`walk-${index}`)
    const bodyOf = (index: number) => ({
      name: `n${index % 4}`,
      is_active: index % 3 > 0,
      ...(index > 4 && { city: 'x' }),
    })
    for (let index = 0; index < 9; index++) await client('POST', '/customers.php', bodyOf(index))
    const moment = nextMoment()
    const path = `/customers.php?sort=${sort}&limit=2&as_of=${moment}`
    const all = (await client('GET', `/customers.php?sort=${sort}&as_of=${moment}`)).body.data
    const seen: Json[] = []
    for (let next: string | undefined = path; next; ) {
      const { body, headers } = await client('GET', next)
      seen.push(...body.data)
      for (const { id, is_active } of body.data)
        await client('PUT', `/customers.php?id=${id}`, { name: `changed ${id}`, is_active: !is_active })
      await client('DELETE', `/customers.php?id=${all.at(-1 - seen.length)?.id}`)
      await client('POST', '/customers.php', { name: 'n0' }) // at the same time as the as_of value
      next = headers.link && /(\/customers[^>]*)>/.exec(headers.link)![1]
    }
    assert.deepEqual(seen, all, sort)
  }
})

test('a cursor is valid only with the as_of for which it was created', async () => {
  const client = await service.tenant('cursors')
  for (let index = 0; index < 4; index++) await client('POST', '/customers.php', { name: 'x' })
  const [first, second] = [nextMoment(), nextMoment()]
  const cursor = (await client('GET', `/customers.php?limit=1&as_of=${first}`)).body.page.next_cursor
  const status = async (query: string) =>
    (await client('GET', `/customers.php?limit=1&cursor=${cursor}${query}`)).status
  assert.deepEqual(
    [await status(`&as_of=${first}`), await status(`&as_of=${second}`), await status('')],
    [200, 400, 400],
  )
})

test('as_of in the future, an invalid as_of, and as_of with a search are refused with the reason', async () => {
  const client = await service.tenant('refused')
  await client('POST', '/customers.php', { name: 'x' })
  const now = nextMoment()
  const refusals: [query: string, message: RegExp][] = [
    [`as_of=${new Date(clock + 1).toISOString()}`, /^as_of is in the future: ".*" is later than 20/],
    ['as_of=9999-12-31', /^as_of is in the future/],
    ['as_of=yesterday', /^as_of does not take "yesterday": Must be a time/],
    ['as_of=', /^as_of does not take ""/],
    ['as_of=2029-02-30T00:00:00Z', /^as_of/],
    [`as_of=${now}&as_of=${now}`, /^as_of is given more than once/],
  ]
  for (const [query, message] of refusals) {
    for (const path of ['/customers.php?', '/customers.php?id=1&']) {
      const { status, body } = await client('GET', path + query)
      assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query)
      assert.match(body.error.message, message)
    }
  }
  for (const search of ['q=x', 'name[contains]=x']) {
    const { status, body } = await client('GET', `/customers.php?as_of=${now}&${search}`)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'])
    assert.match(body.error.message, /^(q|name\[contains\]) searches only current records/)
  }
  assert.equal((await client('GET', `/customers.php?id=1&as_of=${now}`)).status, 200)
})
