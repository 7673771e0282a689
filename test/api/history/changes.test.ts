// Reading the history over HTTP: an entry's fields, the filters, and how a client follows the history without missing
// a change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Client, createKey, type Json, makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const token = await makeTenant(service.environment, 'acme')
const acme = service.client(token)

const customer = (await acme('POST', '/customers.php', { name: 'Head office', is_active: 0 })).body
const employee = (await acme('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' }, { 'x-request-id': 'r"2\\' }))
  .body
await acme('POST', '/customers.php', { name: 'Ünïcödé "\\\u2028 🏢' })
const changed = (await acme('PUT', '/customers.php?id=1', { is_active: true, city: 'Izmir', name: 'Head office' })).body
await acme('DELETE', '/customers.php?id=2')
await acme('POST', '/hardware.php', { employee_id: 1 })
const [all] = await pageOf('')

async function pageOf(
  query: string,
  client: Client = acme,
): Promise<[data: Json[], page: Json, link: string | undefined]> {
  const { status, body, text, headers } = await client('GET', `/changes.php?${query}`)
  assert.equal(status, 200, text)
  return [body.data, body.page, headers.link]
}

function valuesOf({ id, created_at, updated_at, ...values }: Json): Json {
  return values
}

test('a history entry contains the change, its time, the API key and the request id; booleans are true or false', () => {
  const [created, second, , update, deletion] = all
  const actor = { api_key_id: token.slice(4, 14), user_id: null }
  const entry = { seq: 1, at: customer.created_at, resource: 'customers', id: 1, action: 'create', before: null }
  assert.deepEqual(created, {
    ...entry,
    after: valuesOf(customer),
    ...actor,
    request_id: created.request_id,
    change_set: created.change_set,
  })
  assert.deepEqual(Object.keys(created), [
    'seq',
    'at',
    'resource',
    'id',
    'action',
    'before',
    'after',
    'api_key_id',
    'user_id',
    'request_id',
    'change_set',
  ])
  assert.deepEqual([second.request_id, second.after.email, second.at], ['r"2\\', 'a@b.c', employee.created_at])
  assert.deepEqual(
    [update.before, update.after],
    [
      { is_active: false, city: null },
      { is_active: true, city: 'Izmir' },
    ],
  )
  assert.deepEqual([update.action, update.at], ['update', changed.updated_at])
  assert.deepEqual([deletion.action, deletion.after, deletion.before.name], ['delete', null, 'Ünïcödé "\\\u2028 🏢'])
})

const filters: [query: string, seqs: number[]][] = [
  ['', [1, 2, 3, 4, 5, 6]],
  ['resource=customers', [1, 3, 4, 5]],
  ['resource=customers&id=1', [1, 4]],
  ['id=1', [1, 2, 4, 6]],
  ['id=2', [3, 5]],
  ['id=0', []],
  ['action=create', [1, 2, 3, 6]],
  ['action=delete', [5]],
  ['action=update&resource=hardware', []],
  ['action=create&resource=customers', [1, 3]],
  ['action=update&id=1', [4]],
  ['resource=customers&id=1&action=create', [1]],
  ['resource=customers,employees', [1, 2, 3, 4, 5]],
  ['resource=employees&resource=hardware', [2, 6]],
  ['resource[]=employees&resource[]=hardware&resource=employees', [2, 6]],
  ['action=update,delete', [4, 5]],
  ['action[]=create&action[]=create', [1, 2, 3, 6]],
  ['action=create&action=delete&resource=customers,hardware', [1, 3, 5, 6]],
  ['id=1&resource=employees,customers&action=create,update', [1, 2, 4]],
  [`change_set=${all[1].change_set}&resource=customers,employees&action=create,update`, [2]],
  [`change_set=${all[1].change_set}&resource=customers,hardware`, []],
]

test('every history filter returns the matching changes in order, whatever the page size and start', async () => {
  for (const [query, seqs] of filters) {
    for (const since of [0, 1, 3, 4, 5, 6]) {
      const [data, page, link] = await pageOf(`${query}&since=${since}`)
      const expected = seqs.filter((seq) => seq > since)
      assert.deepEqual(
        data.map(({ seq }) => seq),
        expected,
        `${query} since ${since}`,
      )
      const lastPage = { limit: 50, has_more: false, since: expected.at(-1) ?? since, latest: 6 }
      assert.deepEqual([page, link], [lastPage, undefined])
    }
    for (const limit of [1, 2, 3])
      assert.deepEqual(await readAllPages(`${query}&limit=${limit}`), seqs, `${query} by ${limit}`)
  }
})

test('order=desc returns the changes before `since`, newest first, whatever the filter and page size', async () => {
  for (const [query, seqs] of filters) {
    const newestFirst = seqs.toReversed()
    for (const since of [0, 1, 3, 6, 7, 99, undefined]) {
      const [data, page, link] = await pageOf(`${query}&order=desc${since === undefined ? '' : `&since=${since}`}`)
      const expected = newestFirst.filter((seq) => seq < (since ?? 7))
      assert.deepEqual(
        data.map(({ seq }) => seq),
        expected,
        `${query} below ${since}`,
      )
      const lastPage = { limit: 50, has_more: false, since: expected.at(-1) ?? Math.min(since ?? 7, 7), latest: 6 }
      assert.deepEqual([page, link], [lastPage, undefined])
    }
    for (const limit of [1, 2, 3]) {
      const allPages = await readAllPages(`${query}&order=desc&limit=${limit}`)
      assert.deepEqual(allPages, newestFirst, `${query} by ${limit}`)
    }
  }
  assert.deepEqual((await pageOf('order=asc'))[0], all)
})

test('page.latest is the tenant’s newest change, whatever the filter, and the entity tag changes whenever page.latest changes', async () => {
  const ahead = await service.tenant('ahead')
  const latest = async (query: string) => (await pageOf(query, ahead))[1].latest
  assert.deepEqual([await latest(''), await latest('order=desc')], [0, 0])
  await ahead('POST', '/customers.php', { name: 'x' })
  const { etag } = (await ahead('GET', '/changes.php?resource=customers')).headers
  const revalidate = () => ahead('GET', '/changes.php?resource=customers', undefined, { 'if-none-match': etag! })
  assert.equal((await revalidate()).status, 304)
  await ahead('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' })
  assert.deepEqual([(await revalidate()).status, (await revalidate()).body.page.latest], [200, 2])
  for (const query of ['', 'limit=1', 'action=delete', 'id=5', 'since=2', 'order=desc&since=1']) {
    assert.equal(await latest(query), 2, query)
  }
})

test('a value of `since` beyond the latest change is refused, except with order=desc', async () => {
  for (const query of ['since=7', 'since=7&resource=customers', 'since=9007199254740991&order=asc']) {
    const { status, body } = await acme('GET', `/changes.php?${query}`)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query)
    assert.match(body.error.message, /^since is \d+, but the latest change is number 6: .*restored.*since=6,/)
  }
  assert.deepEqual((await pageOf('since=6'))[0], [])
  assert.equal((await pageOf('since=7&order=desc'))[0].length, 6)
})

/** Follows the links to the next page. */
async function readAllPages(query: string): Promise<number[]> {
  const seqs: number[] = []
  for (let next: string | undefined = query; next !== undefined; ) {
    const [data, page, link]: [Json[], Json, string | undefined] = await pageOf(next)
    seqs.push(...data.map(({ seq }) => seq))
    assert.equal(page.has_more, link !== undefined)
    next = link && /changes\.php\?(.*)>; rel="next"$/.exec(link)![1]!
  }
  return seqs
}

test('an empty or partial page of the history contains the change number to continue from', async () => {
  const other = await service.tenant('other')
  assert.deepEqual(await pageOf('', other), [[], { limit: 50, has_more: false, since: 0, latest: 0 }, undefined])
  const backwards = { limit: 50, has_more: false, since: 0, latest: 0 }
  assert.deepEqual(await pageOf('order=desc', other), [[], backwards, undefined])
  await other('POST', '/customers.php', { name: 'x' })
  const [, { since }] = await pageOf('since=0', other)
  assert.deepEqual((await pageOf(`since=${since}`, other))[1].since, 1)
  await other('POST', '/customers.php', { name: 'y' })
  assert.deepEqual((await pageOf(`since=${since}`, other))[0][0].after.name, 'y')
})

const refusals: [query: string, message: RegExp][] = [
  ['colour=red', /^There is no parameter "colour"; allowed: resource, id, action, change_set, order, since, limit\.$/],
  ['cursor=x', /^There is no parameter "cursor"/],
  [
    'resource=answers',
    /^resource does not take "answers"; allowed: customers, employees, hardware, settings, views, hand_over_forms, import_mappings\.$/,
  ],
  ['resource=', /^resource does not take ""/],
  ['resource=customers,answers', /^resource does not take "answers"/],
  ['resource=customers&resource=', /^resource does not take ""/],
  ['id=1&id=2', /^id is given more than once/],
  ['action=read', /^action does not take "read"; allowed: create, update, delete\.$/],
  ['change_set=7', /^change_set must be a UUID, as in the Change-Set header, not "7"\.$/],
  ['change_set=', /^change_set must be a UUID/],
  ['order=newest', /^order does not take "newest"; allowed: asc, desc\.$/],
  ['order=desc&order=desc', /^order is given more than once/],
  ['id=x', /^id must be a whole number such as id=7, not "x"\.$/],
  ['id=', /^id must be/],
  ['since=-1', /^since must be a whole number/],
  ['since=2026-01-01', /^since must be/],
  ['since=9007199254740993', /^since must be/],
  ['limit=0', /^limit must be a whole number from 1 to 200/],
  ['limit=201', /^limit must be/],
]

test('an invalid history parameter is refused with a 400 that explains the allowed values', async () => {
  for (const [query, message] of refusals) {
    const { status, body } = await acme('GET', `/changes.php?${query}`)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query)
    assert.match(body.error.message, message)
  }
})

test('the history is read-only', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers, body } = await acme(method, '/changes.php?id=1', {})
    assert.deepEqual([status, headers.allow, body.error.code], [405, 'GET, HEAD', 'method_not_allowed'])
  }
  const head = await acme('HEAD', '/changes.php')
  assert.deepEqual([head.status, head.text], [200, ''])
  const cached = await acme('GET', '/changes.php', undefined, { 'if-none-match': head.headers.etag! })
  assert.deepEqual([cached.status, cached.text], [304, ''])
})

test('reading the history requires the scope changes:read or *:read', async () => {
  const status = async (...scopes: string[]) =>
    (await service.client(await createKey(service.environment, 'acme', scopes))('GET', '/changes.php')).status
  assert.equal(await status('changes:read'), 200)
  assert.equal(await status('*:read'), 200)
  assert.equal(await status('*:write', 'customers:read', 'employees:read', 'hardware:read'), 403)
  const reader = service.client(await createKey(service.environment, 'acme', ['changes:read']))
  assert.equal((await reader('GET', '/customers.php')).status, 403)
})

test('a client that follows the history during writes sees each change once and in order', async () => {
  const busy = await service.tenant('busy')
  let isWriting = true
  const write = async (name: string) => {
    for (let count = 0; count < 30; count++) {
      const { id } = (await busy('POST', '/customers.php', { name: `${name} ${count}` })).body
      await busy('PUT', `/customers.php?id=${id}`, { city: name })
      if (count % 3 === 0) await busy('DELETE', `/customers.php?id=${id}`)
    }
  }
  const follow = async (query: string) => {
    const entries: Json[] = []
    for (let since = 0; ; ) {
      const isLast = !isWriting
      const [data, page] = await pageOf(`${query}&since=${since}&limit=7`, busy)
      entries.push(...data)
      since = page.since
      if (isLast && !page.has_more) return entries
      if (!page.has_more) await setImmediate() // lets the writers run
    }
  }
  const following = Promise.all(['', 'resource=customers', 'action=delete'].map(follow))
  await Promise.all(['a', 'b', 'c', 'd'].map(write))
  isWriting = false
  const [everything, ofCustomers, deletions] = await following
  assert.deepEqual(
    everything!.map(({ seq }) => seq),
    Array.from({ length: 4 * (30 + 30 + 10) }, (_, at) => at + 1),
  )
  assert.deepEqual(ofCustomers, everything)
  assert.deepEqual(
    deletions,
    everything!.filter(({ action }) => action === 'delete'),
  )
  assert.equal(deletions!.length, 40)
})
