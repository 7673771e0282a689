// /views.php manages saved views of lists (contract §19).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../support/api/shared-errors.ts'
import { createKey, type Json, startService } from '../support/service.ts'

const { environment, tenant, client } = await startService()
const acme = await tenant('acme')
const path = '/views.php'
const laptops = { name: 'Laptops', resource: 'hardware', query: 'type=laptop&sort=-name', columns: ['name', 'status'] }

test('a view is created, read, changed and deleted like a record', async () => {
  const created = await acme('POST', path, laptops)
  const { id, api_key_id, created_at, updated_at, ...view } = created.body
  assert.deepEqual([created.status, view], [201, { ...laptops, is_shared: false, user_id: null }])
  assert.equal(created.headers.location, `/api/v1/views.php?id=${id}`)
  const read = await acme('GET', `${path}?id=${id}`)
  assert.deepEqual([read.text, read.headers.etag], [created.text, created.headers.etag])
  assert.equal((await acme('GET', `${path}?id=${id}`, undefined, { 'if-none-match': read.headers.etag! })).status, 304)
  const changed = await acme(
    'PUT',
    `${path}?id=${id}`,
    { columns: null, query: '' },
    { 'if-match': read.headers.etag! },
  )
  assert.deepEqual([changed.body.columns, changed.body.query, changed.body.name], [null, '', 'Laptops'])
  const stale = await acme('PUT', `${path}?id=${id}`, { name: 'Late' }, { 'if-match': read.headers.etag! })
  assertRefused(stale, 'precondition_failed')
  assert.deepEqual((await acme('DELETE', `${path}?id=${id}`)).body, { id, deleted: true })
  assertRefused(await acme('GET', `${path}?id=${id}`), 'not_found')
})

test('the query of a view may repeat the parameters that its list may repeat', async () => {
  const query = 'status[in]=spare&status[in]=in_use&id[in][]=1'
  assert.equal((await acme('GET', `/hardware.php?${query}`)).status, 200)
  const created = await acme('POST', path, { name: 'Repeated', resource: 'hardware', query })
  assert.deepEqual([created.status, created.body.query], [201, query])
  const twice = await acme('POST', path, { name: 'Twice', resource: 'hardware', query: 'status=spare&status=in_use' })
  assertRefused(twice, 'validation_failed')
  assert.equal((await acme('DELETE', `${path}?id=${created.body.id}`)).status, 200)
})

test('changes to views are in the history and can be undone', async () => {
  const beta = await tenant('beta')
  const created = await beta('POST', path, { ...laptops, is_shared: true })
  const { id } = created.body
  const removed = await beta('DELETE', `${path}?id=${id}`)
  const { data } = (await beta('GET', '/changes.php?resource=views')).body
  const rows = data.map(({ id, action, before, after }: Json) => [id, action, (before ?? after).name])
  assert.deepEqual(rows, [
    [id, 'create', 'Laptops'],
    [id, 'delete', 'Laptops'],
  ])
  await beta('POST', '/undo.php', { change_set: removed.headers['change-set'] })
  const { updated_at: _, ...restored } = (await beta('GET', `${path}?id=${id}`)).body
  const { updated_at: __, ...before } = created.body
  assert.deepEqual(restored, before)
})

test('a retry with the same Idempotency-Key repeats the response and does not create a second view', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const [first, replay] = [await acme('POST', path, laptops, headers), await acme('POST', path, laptops, headers)]
  assert.deepEqual([replay.text, replay.headers.etag], [first.text, first.headers.etag])
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  await acme('DELETE', `${path}?id=${first.body.id}`)
})

test('the query and the columns of a view must be valid for its resource, even if only one of them changes', async () => {
  const invalidView = {
    name: '',
    resource: 'customers',
    query: 'status=lost',
    columns: ['name', 'serial_number'],
    is_shared: 5,
  }
  const refused = await acme('POST', path, invalidView)
  assertRefused(refused, 'validation_failed')
  const codes = refused.body.fields.map((name: string) => [name, refused.body.errors[name].code])
  assert.deepEqual(codes, [
    ['name', 'required'],
    ['query', 'invalid_text'],
    ['columns', 'not_in_list'],
    ['is_shared', 'invalid_bool'],
  ])
  assert.match(refused.body.errors.query.message, /There is no parameter "status"; allowed: .*city/)
  assert.match(refused.body.errors.columns.message, /There is no column "serial_number"/)
  const { id } = (await acme('POST', path, laptops)).body
  for (const change of [
    { resource: 'employees' },
    { resource: 'cars' },
    { query: 'type=car' },
    { query: 'type=laptop&cursor=x' },
    { query: '?type=laptop' },
    { query: 'id=7' },
    { query: 'format=csv' },
    { columns: ['colour'] },
    { columns: ['name', 'name'] },
    { columns: [5] },
    { columns: { name: true } },
    { columns: ['name,status'] },
  ])
    assertRefused(await acme('PUT', `${path}?id=${id}`, change), 'validation_failed', JSON.stringify(change))
  assertRefused(
    await acme('PUT', `${path}?id=${id}`, { colums: [] }, { prefer: 'handling=strict' }),
    'validation_failed',
  )
  const moved = { resource: 'employees', query: 'is_active=true', columns: ['customer_name'] }
  assert.deepEqual((await acme('PUT', `${path}?id=${id}`, moved)).body.columns, ['customer_name'])
  assert.equal((await acme('PUT', `${path}?id=${id}`, { columns: [] })).body.columns, null)
})

test('a view that is not shared is visible only to the key that created it', async () => {
  const gamma = await tenant('gamma')
  const otherKey = client(await createKey(environment, 'gamma', ['views:read', 'views:write']))
  const [unshared, shared] = [
    (await gamma('POST', path, laptops)).body,
    (await gamma('POST', path, { ...laptops, is_shared: true })).body,
  ]
  for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
    assertRefused(await otherKey(method, `${path}?id=${unshared.id}`, body), 'not_found')
  const listed = (await otherKey('GET', `${path}?limit=200`)).body.data.filter(({ id }: Json) => id > 0)
  assert.deepEqual(listed, [shared])
  assert.equal((await otherKey('PUT', `${path}?id=${shared.id}`, { name: 'Ours' })).body.name, 'Ours')
  assert.equal((await gamma('GET', `${path}?id=${unshared.id}`)).body.name, 'Laptops')
})

test('the history shows a view that is not shared only to its owner, and only the owner can undo its changes', async () => {
  const eta = await tenant('eta')
  const scopes = ['changes:read', 'views:read', 'views:write', 'customers:read']
  const other = client(await createKey(environment, 'eta', scopes))
  await eta('POST', '/customers.php', { name: 'Branch' })
  const send = async (method: string, id: number | null, body?: object) => {
    const { headers, body: view } = await eta(method, id === null ? path : `${path}?id=${id}`, body)
    return { id: view.id, set: headers['change-set']! }
  }
  const secret = { ...laptops, name: 'Secret' }
  const [kept, removed] = [await send('POST', null, secret), await send('POST', null, secret)]
  const published = await send('POST', null, { ...laptops, name: 'Public' })
  const edit = await send('PUT', kept.id, { name: 'Secret too' })
  const removal = await send('DELETE', removed.id)
  const sharing = await send('PUT', published.id, { is_shared: true })
  const seen = async (reader: typeof eta, query: string) =>
    (await reader('GET', `/changes.php?${query}`)).body.data.map(({ seq }: Json) => seq)
  for (const [query, shown, all] of [
    ['', [1, 7], [1, 2, 3, 4, 5, 6, 7]],
    ['resource=views', [7], [2, 3, 4, 5, 6, 7]],
    ['resource=views&action=create', [], [2, 3, 4]],
    ['order=desc', [7, 1], [7, 6, 5, 4, 3, 2, 1]],
    [`resource=views&id=${kept.id}`, [], [2, 5]],
    [`id=${removed.id}`, [], [3, 6]],
    [`change_set=${removal.set}`, [], [6]],
    [`change_set=${edit.set}`, [], [5]],
  ] as const) {
    assert.deepEqual(await seen(other, query), shown, query)
    assert.deepEqual(await seen(eta, query), all, query)
  }
  const page = await other('GET', '/changes.php?since=1&limit=1')
  assert.deepEqual([page.body.data[0].seq, page.body.page.since, page.body.page.has_more], [7, 7, false])

  const undo = (reader: typeof eta, change_set: string) => reader('POST', '/undo.php', { change_set })
  const unknown = await undo(other, '01990000-0000-7000-8000-000000000000')
  for (const { set } of [kept, removed, published, edit, removal, sharing]) {
    const refused = await undo(other, set)
    assert.deepEqual([refused.status, refused.body], [404, unknown.body])
  }
  const undone = await undo(eta, removal.set)
  assert.equal(undone.status, 200)
  assert.deepEqual(await seen(other, `change_set=${undone.headers['change-set']}`), [])
  assertRefused(await undo(other, undone.headers['change-set']!), 'not_found')
  assert.equal((await eta('GET', `${path}?id=${removed.id}`)).body.name, 'Secret')
})

test('what happened to a view while it was private stays hidden, also after it was shared, deleted or both', async () => {
  const theta = await tenant('theta')
  const other = client(await createKey(environment, 'theta', ['changes:read', 'views:write']))
  const { id } = (await theta('POST', path, { ...laptops, name: 'Secret' })).body
  const put = (body: object) => theta('PUT', `${path}?id=${id}`, body)
  for (const body of [
    { name: 'Still secret' },
    { is_shared: true },
    { name: 'Public' },
    { is_shared: false },
    { name: 'Secret again' },
    { is_shared: true },
  ])
    await put(body)
  const seen = async (reader: typeof theta) =>
    (await reader('GET', '/changes.php?resource=views')).body.data.map(({ seq }: Json) => seq)
  assert.deepEqual(
    [await seen(other), await seen(theta)],
    [
      [3, 4, 5, 7],
      [1, 2, 3, 4, 5, 6, 7],
    ],
  )
  await other('PUT', `${path}?id=${id}`, { name: 'Ours' })
  await theta('DELETE', `${path}?id=${id}`)
  assert.deepEqual(
    [await seen(other), await seen(theta)],
    [
      [3, 4, 5, 7, 8, 9],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ],
  )
})

test('a change that shares a view, or ends that, shows only this to others, whatever else it changes', async () => {
  const iota = await tenant('iota')
  const other = client(await createKey(environment, 'iota', ['changes:read', 'views:write']))
  const { id } = (await iota('POST', path, { ...laptops, name: 'Secret' })).body
  const put = (body: object) => iota('PUT', `${path}?id=${id}`, body)
  await put({ is_shared: true, name: 'Public', query: '' })
  await put({ name: 'Public too' })
  await put({ is_shared: false, name: 'Secret again' })
  const shown = async (reader: typeof iota) =>
    (await reader('GET', '/changes.php?resource=views&action=update')).body.data.map(({ before, after }: Json) => [
      before,
      after,
    ])
  const edit = [{ name: 'Public' }, { name: 'Public too' }]
  assert.deepEqual(await shown(other), [
    [{ is_shared: false }, { is_shared: true }],
    edit,
    [{ is_shared: true }, { is_shared: false }],
  ])
  assert.deepEqual(await shown(iota), [
    [
      { name: 'Secret', query: laptops.query, is_shared: false },
      { name: 'Public', query: '', is_shared: true },
    ],
    edit,
    [
      { name: 'Public too', is_shared: true },
      { name: 'Secret again', is_shared: false },
    ],
  ])
  const backwards = (await other('GET', `/changes.php?order=desc&id=${id}`)).text
  assert.doesNotMatch(backwards, /Secret/)
})

test('only the owner of a view can stop sharing it', async () => {
  const kappa = await tenant('kappa')
  const other = client(await createKey(environment, 'kappa', ['views:write', 'views:read']))
  const { id } = (await kappa('POST', path, { ...laptops, is_shared: true })).body
  for (const is_shared of [false, null, '0']) {
    const refused = await other('PUT', `${path}?id=${id}`, { name: 'Mine', is_shared })
    assertRefused(refused, 'forbidden')
    assert.match(refused.body.error.message, /owner/)
  }
  const { body } = await other('PUT', `${path}?id=${id}`, { is_shared: true, query: '' })
  assert.deepEqual([body.name, body.query, body.is_shared], [laptops.name, '', true])
  assert.equal((await kappa('PUT', `${path}?id=${id}`, { is_shared: false })).body.is_shared, false)
  assertRefused(await other('GET', `${path}?id=${id}`), 'not_found')
})

test('a tenant’s views are not visible to other tenants', async () => {
  const [delta, epsilon] = [await tenant('delta'), await tenant('epsilon')]
  const { id } = (await delta('POST', path, { ...laptops, is_shared: true })).body
  for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
    assertRefused(await epsilon(method, `${path}?id=${id}`, body), 'not_found')
  const { data } = (await epsilon('GET', path)).body
  assert.deepEqual(
    data.filter((view: Json) => view.id > 0),
    [],
  )
})

test('the list of views has pages and can be filtered by resource', async () => {
  const zeta = await tenant('zeta')
  for (const name of ['A', 'B', 'C']) await zeta('POST', path, { ...laptops, name })
  await zeta('POST', path, { name: 'D', resource: 'employees' })
  const all = (await zeta('GET', `${path}?limit=200`)).body.data
  assert.deepEqual(
    all.slice(-4).map(({ name }: Json) => name),
    ['A', 'B', 'C', 'D'],
  )
  const pagedViews = []
  for (let cursor = ''; ; ) {
    const { data, page } = (await zeta('GET', `${path}?limit=2${cursor}`)).body
    pagedViews.push(...data)
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  assert.deepEqual(pagedViews, all)
  const { next_cursor: cursor } = (await zeta('GET', `${path}?limit=2`)).body.page
  assert.equal((await zeta('GET', `${path}?limit=9&cursor=${cursor}`)).status, 200)
  for (const query of [`resource=employees&cursor=${cursor}`, 'cursor=1', 'cursor=-1', `cursor=${cursor}x`])
    assertRefused(await zeta('GET', `${path}?${query}`), 'invalid_request', query)
  const employeeViews = (await zeta('GET', `${path}?resource=employees`)).body.data
  assert.ok(employeeViews.every(({ resource }: Json) => resource === 'employees') && employeeViews.at(-1).name === 'D')
  for (const query of ['resource=cars', 'limit=0', 'cursor=x', 'sort=name', 'id=1&limit=5', 'limit=1&limit=2'])
    assertRefused(await zeta('GET', `${path}?${query}`), 'invalid_request', query)
})

test('views have their own scopes, which the wildcard scopes include', async () => {
  const key = async (scope: string) => client(await createKey(environment, 'acme', [scope]))
  for (const scope of ['views:write', '*:write', 'hardware:read'])
    assertRefused(await (await key(scope))('GET', path), 'forbidden', scope)
  for (const scope of ['views:read', '*:read', 'hardware:write'])
    assertRefused(await (await key(scope))('POST', path, laptops), 'forbidden', scope)
  for (const scope of ['views:read', '*:read']) assert.equal((await (await key(scope))('GET', path)).status, 200)
  for (const scope of ['views:write', '*:write'])
    assert.equal((await (await key(scope))('POST', path, laptops)).status, 201)
})
