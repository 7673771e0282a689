// POST /undo.php: either every change in a change set is undone, or every conflict is reported.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { scopesOf } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { uploadImport } from '../../support/api/imports.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { type Client, createKey, type Json, type Response, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')

const setOf = ({ headers }: Response) => headers['change-set']!

const undo = (set: string, members: object = {}, client: Client = acme) =>
  client('POST', '/undo.php', { change_set: set, ...members })

/** Returns the reasons for a refusal, each in the form `resource id reason`. */
function reasonsOf(response: Response): string[] {
  assertRefused(response, 'conflict')
  assert.match(response.body.details, /record/)
  return response.body.records.map(({ resource, id, reason }: Json) => `${resource} ${id} ${reason}`)
}

async function create(path: string, body: object): Promise<{ id: number; path: string; record: Json; set: string }> {
  const response = await acme('POST', path, body)
  assert.equal(response.status, 201, response.text)
  const { id } = response.body
  return { id, path: `${path}?id=${id}`, record: response.body, set: setOf(response) }
}

const customer = (body: object = {}) => create('/customers.php', { name: 'Branch', ...body })
const employee = (customer_id: number, body: object = {}) =>
  create('/employees.php', { customer_id, email: 'a@b.c', ...body })
const hardware = (employee_id: number, body: object = {}) => create('/hardware.php', { employee_id, ...body })

async function undoSet(set: string): Promise<string> {
  const response = await undo(set)
  assert.deepEqual([response.status, response.body.undone], [200, 1], response.text)
  assert.equal(setOf(response), response.body.change_set)
  return response.body.change_set
}

test('undoing a creation deletes the record, and its id is not reused', async () => {
  const { id, path, record, set } = await customer()
  const undoSetId = await undoSet(set)
  assertRefused(await acme('GET', path), 'not_found')
  const [change] = (await acme('GET', `/changes.php?change_set=${undoSetId}`)).body.data
  const { id: _, created_at, updated_at, ...before } = record
  assert.deepEqual([change.action, change.id, change.before, change.after], ['delete', id, before, null])
  assert.equal((await customer()).id, id + 1)
})

test('undoing an update restores the previous values of the fields that the update changed', async () => {
  const { path } = await customer({ city: 'Izmir', is_active: false })
  const changed = await acme('PUT', path, { city: 'Ankara', is_active: true, country: 'TR', name: 'Branch' })
  const undoSetId = await undoSet(setOf(changed))
  const { updated_at, ...now } = (await acme('GET', path)).body
  assert.deepEqual([now.city, now.is_active, now.country, now.name], ['Izmir', false, null, 'Branch'])
  const [change] = (await acme('GET', `/changes.php?change_set=${undoSetId}`)).body.data
  assert.deepEqual(change.after, { city: 'Izmir', country: null, is_active: false })
  assert.equal(change.at, updated_at)
})

test('a request that changes no value writes nothing, and does not prevent an undo', async () => {
  const fresh = await service.tenant('unchanged')
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const { status, headers: received, body: answer } = await fresh(method, path, body, headers)
    return {
      status,
      etag: received.etag,
      set: received['change-set'],
      body: answer,
      replayed: received['idempotent-replayed'],
    }
  }
  const created = await send('PUT', '/customers.php?external_id=c', { name: 'C', notes: 'x' })
  const key = { 'idempotency-key': randomUUID() }
  const person = await send('POST', '/employees.php', { customer_id: 1, email: 'a@example.com' })
  await send('PUT', '/settings.php', { currency: 'TRY' })
  const view = await send('POST', '/views.php', { name: 'V', resource: 'hardware', query: 'sort=name' })
  const settingsBefore = await send('GET', '/settings.php')
  const latest = (await send('GET', '/changes.php')).body.page.latest
  for (const [path, body, before] of [
    ['/customers.php?id=1', { name: ' C ', notes: 'x' }, created],
    ['/customers.php?external_id=c', { name: 'C' }, created],
    ['/employees.php?id=1', { customer_external_id: 'c', email: 'a@example.com', is_remote: 0 }, person],
    ['/settings.php', { currency: 'TRY' }, settingsBefore],
    [`/views.php?id=${view.body.id}`, { name: 'V', query: 'sort=name' }, view],
  ] as const) {
    const { status, etag, set, body: answer } = await send('PUT', path, body, { 'if-match': before.etag as string })
    assert.deepEqual([status, etag, set, answer], [200, before.etag, undefined, before.body], path)
    assert.equal((await send('PUT', path, body, { 'if-match': '"other"' })).status, 412, path)
  }
  const first = await send('PUT', '/customers.php?id=1', { name: 'C' }, key)
  assert.deepEqual([first.status, first.set, first.replayed], [200, undefined, undefined])
  const { etag, set, body, replayed } = await send('PUT', '/customers.php?id=1', { name: 'C' }, key)
  assert.deepEqual([etag, set, body, replayed], [created.etag, undefined, created.body, 'true'])
  for (const body of [{ customer_id: 9 }, { customer_external_id: 'none' }])
    assert.equal((await send('PUT', '/employees.php?id=1', body)).body.error.code, 'invalid_customer')
  const operations = [
    { method: 'PUT', resource: 'customers', id: 1, body: { name: 'C' } },
    { method: 'PUT', resource: 'employees', id: 1, body: { customer_id: 1 } },
  ]
  const bulk = await send('POST', '/bulk.php', { operations })
  assert.deepEqual([bulk.set, bulk.body.change_set, bulk.body.succeeded], [undefined, null, 2])
  assert.equal(bulk.body.results[0].etag, created.etag)
  assert.equal((await send('GET', '/changes.php')).body.page.latest, latest)
  assert.equal((await undo(person.set as string, {}, fresh)).status, 200)
  assert.equal((await undo(created.set as string, {}, fresh)).status, 200)
})

test('a bulk request that changes a value and changes it back can be undone once', async () => {
  const fresh = await service.tenant('back')
  await fresh('POST', '/customers.php', { name: 'C' })
  const operations = ['D', 'C'].map((name) => ({ method: 'PUT', resource: 'customers', id: 1, body: { name } }))
  const set = (await fresh('POST', '/bulk.php', { operations })).body.change_set
  const undone = await undo(set, {}, fresh)
  assert.deepEqual([undone.status, undone.body.undone], [200, 1])
  assert.equal((await fresh('GET', `/changes.php?change_set=${undone.body.change_set}`)).body.data.length, 1)
  assert.equal((await undo(set, {}, fresh)).status, 409)
})

test('undoing a deletion restores the record with its id, values and creation time', async () => {
  const { path, record } = await customer({ name: 'Ünal İnşaat', notes: 'straße', is_active: false })
  const deleted = await acme('DELETE', path)
  const undoSetId = await undoSet(setOf(deleted))
  const restored = (await acme('GET', path)).body
  const [change] = (await acme('GET', `/changes.php?change_set=${undoSetId}`)).body.data
  assert.deepEqual([change.action, change.before], ['create', null])
  assert.deepEqual(restored, { ...record, updated_at: change.at })
  assert.deepEqual((await acme('GET', '/customers.php?q=inşaat+strasse')).body.data, [restored])
})

test('an undo can be undone, and so can the undo of an undo', async () => {
  const { path } = await customer()
  let set = setOf(await acme('PUT', path, { city: 'Izmir' }))
  for (const city of [null, 'Izmir', null]) {
    set = await undoSet(set)
    assert.equal((await acme('GET', path)).body.city, city)
  }
  let deletion = setOf(await acme('DELETE', path))
  for (const status of [200, 404, 200]) {
    deletion = await undoSet(deletion)
    assert.equal((await acme('GET', path)).status, status)
  }
})

test('a change set can be undone only once, because the undo changes its records again', async () => {
  const created = await customer()
  const updated = setOf(await acme('PUT', created.path, { city: 'Izmir' }))
  await undoSet(updated)
  assert.deepEqual(reasonsOf(await undo(updated)), [`customers ${created.id} changed_since`])
  assert.deepEqual(reasonsOf(await undo(created.set)), [`customers ${created.id} changed_since`])
})

test('a dry run of an undo says how many records would be restored or why that is impossible, and changes nothing', async () => {
  const { id, path, set } = await customer()
  const { latest } = (await acme('GET', '/changes.php?limit=1')).body.page
  const possible = await undo(set, { dry_run: true })
  assert.deepEqual([possible.status, possible.body], [200, { change_set: null, undone: 1 }])
  assert.equal(possible.headers['change-set'], undefined)
  await acme('PUT', path, { city: 'Izmir' })
  assert.deepEqual(reasonsOf(await undo(set, { dry_run: true })), [`customers ${id} changed_since`])
  assert.equal((await acme('GET', '/changes.php?limit=1')).body.page.latest, latest + 1)
})

test('an undo does not delete a record that other records refer to', async () => {
  const created = await customer()
  const { path } = await employee(created.id)
  assert.deepEqual(reasonsOf(await undo(created.set)), [`customers ${created.id} has_dependents`])
  await acme('PUT', created.path, { city: 'Izmir' })
  assert.deepEqual(reasonsOf(await undo(created.set)), [
    `customers ${created.id} changed_since`,
    `customers ${created.id} has_dependents`,
  ])
  await acme('DELETE', path)
  assert.deepEqual(reasonsOf(await undo(created.set)), [`customers ${created.id} changed_since`])
})

test('an undo does not restore a reference to a record that has since been deleted', async () => {
  const [{ id }, old, next] = [await customer(), await customer(), await customer()]
  const moved = await employee(old.id)
  const update = setOf(await acme('PUT', moved.path, { customer_id: next.id }))
  const removed = await employee(old.id)
  const deletion = setOf(await acme('DELETE', removed.path))
  await acme('DELETE', old.path)
  assert.deepEqual(reasonsOf(await undo(update)), [`employees ${moved.id} reference_gone`])
  assert.deepEqual(reasonsOf(await undo(deletion)), [`employees ${removed.id} reference_gone`])
  await acme('PUT', moved.path, { customer_id: id })
  assert.deepEqual(reasonsOf(await undo(update)), [
    `employees ${moved.id} changed_since`,
    `employees ${moved.id} reference_gone`,
  ])
})

test('an undo does not restore a unique value that another record has since taken', async () => {
  const { id: employeeId } = await employee((await customer()).id)
  const one = await hardware(employeeId, { asset_tag: 'TD-1', external_id: 'x-1' })
  const update = setOf(await acme('PUT', one.path, { asset_tag: 'TD-2' }))
  const other = await hardware(employeeId, { asset_tag: 'TD-1' })
  assert.deepEqual(reasonsOf(await undo(update)), [`hardware ${one.id} duplicate`])
  const deletion = setOf(await acme('DELETE', one.path))
  const third = await hardware(employeeId, { external_id: 'x-1' })
  assert.deepEqual(reasonsOf(await undo(deletion)), [`hardware ${one.id} duplicate`])
  await acme('DELETE', third.path)
  await undoSet(deletion)
  assert.deepEqual(reasonsOf(await undo(update)), [`hardware ${one.id} changed_since`, `hardware ${one.id} duplicate`])
  await acme('DELETE', other.path)
})

test('undoing a bulk request undoes all its operations: new records, swapped asset tags, moves and deletions', async () => {
  const bulk = await service.tenant('bulk')
  const send = async (...operations: object[]) => {
    const { status, text, body } = await bulk('POST', '/bulk.php', { operations })
    assert.equal(status, 200, text)
    return body.change_set as string
  }
  const post = (resource: string, body: object) => ({ method: 'POST', resource, body })
  const put = (resource: string, id: number, body: object) => ({ method: 'PUT', resource, id, body })
  const remove = (resource: string, id: number) => ({ method: 'DELETE', resource, id })
  await send(
    post('customers', { name: 'Old' }),
    post('employees', { customer_id: 1, email: 'a@b.c' }),
    post('hardware', { employee_id: 1, asset_tag: 'TD-1' }),
    post('hardware', { employee_id: 1, asset_tag: 'TD-2' }),
    post('hardware', { employee_id: 1, asset_tag: 'TD-3' }),
  )
  const readAll = async () =>
    Promise.all(
      ['customers', 'employees', 'hardware'].map(async (name) => (await bulk('GET', `/${name}.php`)).body.data),
    )
  const withoutTime = (lists: Json[][]) => lists.map((list) => list.map(({ updated_at, ...record }) => record))
  const before = await readAll()
  const set = await send(
    post('customers', { name: 'New' }),
    post('employees', { customer_id: 2, email: 'd@e.f' }),
    put('hardware', 1, { asset_tag: null, employee_id: 2 }),
    put('hardware', 2, { asset_tag: 'TD-1', employee_id: 2 }),
    put('hardware', 1, { asset_tag: 'TD-2' }), // now records 1 and 2 have exchanged their asset tags
    remove('hardware', 3),
    post('hardware', { employee_id: 2, asset_tag: 'TD-3' }),
    remove('employees', 1),
    post('hardware', { employee_id: 2 }),
    remove('hardware', 5),
  )
  const after = await readAll()
  const undone = await undo(set, {}, bulk)
  // Hardware 5 was created and deleted in the same change set.
  assert.deepEqual([undone.status, undone.body.undone], [200, 7], undone.text)
  assert.deepEqual(withoutTime(await readAll()), withoutTime(before))
  assert.equal((await undo(undone.body.change_set, {}, bulk)).status, 200)
  assert.deepEqual(withoutTime(await readAll()), withoutTime(after))
})

test('undoing a change set that is unknown or belongs to another tenant is refused with 404', async () => {
  const other = await service.tenant('other')
  const { set } = await customer()
  for (const unknown of [randomUUID(), '00000000-0000-0000-0000-000000000000'])
    assertRefused(await undo(unknown), 'not_found')
  for (const dry_run of [true, false]) assertRefused(await undo(set, { dry_run }, other), 'not_found')
  await undoSet(set.toUpperCase())
})

test('an undo request without a change set’s UUID is refused with a hint', async () => {
  const { set } = await customer()
  const invalidBodies = [
    {},
    { change_set: null },
    { change_set: 7 },
    { change_set: 'x' },
    { change_set: [set] },
    { set },
  ]
  for (const body of [...invalidBodies, { change_set: `${set}0` }, { change_set: { set } }]) {
    const response = await acme('POST', '/undo.php', body)
    assertRefused(response, 'invalid_request', JSON.stringify(body))
    assert.match(response.body.error.message, /^change_set must be the UUID/)
  }
  for (const dry_run of ['true', 1, null, {}]) {
    const response = await undo(set, { dry_run })
    assertRefused(response, 'invalid_request', JSON.stringify(dry_run))
    assert.match(response.body.error.message, /^dry_run must be true or false/)
  }
  const strict = { prefer: 'handling=strict' }
  const response = await acme('POST', '/undo.php', { change_set: set, dryrun: true }, strict)
  assertRefused(response, 'invalid_request')
  assert.match(response.body.error.message, /"dryrun" is unknown; the nearest name is dry_run/)
  assert.equal((await undo(set, { dryrun: true })).body.undone, 1)
})

test('an undo requires the create, update and delete scopes for each resource in the change set; a refusal names the missing scopes', async () => {
  const clientWith = async (...scopes: string[]) => service.client(await createKey(service.environment, 'acme', scopes))
  const { set } = await customer()
  const insufficientScopes = ['*:read', 'customers:create', 'customers:update', 'hardware:delete']
  const withoutScopes = await clientWith(...insufficientScopes)
  for (const each of [set, randomUUID(), 'x']) assertRefused(await undo(each, {}, withoutScopes), 'forbidden')
  const otherResources = await clientWith('hardware:write', 'customers:create', 'customers:update')
  for (const dry_run of [true, false]) {
    const response = await undo(set, { dry_run }, otherResources)
    assertRefused(response, 'forbidden')
    assert.match(response.body.error.message, /customers:write/)
    assert.equal(response.body.records, undefined)
  }
  const allThreeScopes = await clientWith('customers:create', 'customers:update', 'customers:delete')
  const undoSetId = (await undo(set, {}, allThreeScopes)).body.change_set
  const write = await undo(undoSetId, {}, await clientWith('customers:write'))
  assert.equal((await undo(write.body.change_set, {}, await clientWith('*:write'))).status, 200)
})

test('an undo names only scopes that a key can have, in its documentation and in every refusal', async () => {
  const document = JSON.parse((await service.request('GET', '/openapi.json', {})).text)
  const valid = new Set(scopesOf(endpointsOf(resources)))
  const { 'x-required-scopes': documented } = document.paths['/undo.php'].post
  assert.deepEqual(
    documented.filter((scope: string) => !valid.has(scope)),
    [],
  )
  const views = service.client(await createKey(service.environment, 'acme', ['views:read']))
  const refused = await undo(randomUUID(), {}, views)
  assertRefused(refused, 'forbidden')
  for (const [scope] of refused.body.error.message.split('The API key has')[0].matchAll(/\S+:\w+/g))
    assert.ok(valid.has(scope), scope)
})

test('undoing a saved mapping needs the scope that saves it', async () => {
  const importer = service.client(await createKey(service.environment, 'acme', ['imports:write', 'customers:write']))
  const save = () => uploadImport(importer, `resource=customers&map[T]=name&save_as=${randomUUID()}`, 'T\nA\n')
  const saved = [setOf(await save()), setOf(await save())] as const
  const customersOnly = service.client(await createKey(service.environment, 'acme', ['customers:write']))
  const refused = await undo(saved[0], {}, customersOnly)
  assertRefused(refused, 'forbidden')
  assert.match(refused.body.error.message, /needs imports:write\. /)
  for (const set of saved) assert.deepEqual((await undo(set, {}, importer)).body.undone, 1)
})

test('an undo with an Idempotency-Key is executed once, and its response is replayed only to keys with the required scopes', async () => {
  const { path, set } = await customer()
  const key = { 'idempotency-key': randomUUID() }
  const body = { change_set: set }
  const first = await acme('POST', '/undo.php', body, key)
  const replay = await acme('POST', '/undo.php', body, key)
  assert.deepEqual([replay.status, replay.text, setOf(replay)], [200, first.text, setOf(first)])
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  assertRefused(await acme('GET', path), 'not_found')
  const refusedKey = { 'idempotency-key': randomUUID() }
  const refused = await acme('POST', '/undo.php', body, refusedKey)
  assertRefused(refused, 'conflict')
  assert.equal((await acme('POST', '/undo.php', body, refusedKey)).text, refused.text)
  const withHardwareScope = service.client(await createKey(service.environment, 'acme', ['hardware:write']))
  const withCustomerScope = service.client(await createKey(service.environment, 'acme', ['customers:write']))
  for (const each of [key, refusedKey])
    assertRefused(await withHardwareScope('POST', '/undo.php', body, each), 'forbidden')
  assert.equal((await withCustomerScope('POST', '/undo.php', body, key)).text, first.text)
})
