// Mappings for imported files: kept with an import, used by name, listed and deleted (contract §17).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { countsOf, importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { createKey, type Json, startService } from '../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 50 })
const acme = await service.tenant('acme')
await acme('POST', '/customers.php', { name: 'Head office', code: 'HQ' })

async function mappings(client = acme): Promise<Json[]> {
  return (await client('GET', '/import_mappings.php')).body.data
}

const ownMappings = async (client = acme) => (await mappings(client)).filter(({ is_shipped }) => !is_shipped)

test('a mapping is kept with an accepted import, and used for further files by its name', async () => {
  const query = 'resource=employees&map[Login]=email&map[Who]=name&map[Team]=&map[Site]=customer_code&match=email'
  const first = await uploadImport(
    acme,
    `${query}&amounts=major&save_as=${encodeURIComponent('Our list')}`,
    'Login,Who,Team,Site\none@a.test,One,X,HQ\n',
  )
  assert.deepEqual([first.status, typeof first.headers['change-set']], [202, 'string'])
  assert.deepEqual(await ownMappings(), [
    {
      name: 'Our list',
      resource: 'employees',
      is_shipped: false,
      map: { Login: 'email', Who: 'name', Team: '', Site: 'customer_code' },
      set: {},
      value: {},
      amounts: 'major',
      match: 'email',
    },
  ])
  const used = await importFile(
    acme,
    'resource=employees&mode=valid_rows&mapping=Our list',
    'Site,Login,Who\nHQ,one@a.test,Uno\nHQ,two@a.test,Due\n',
  )
  assert.deepEqual([countsOf(used), used.match, used.assumptions], ['2 0 0 0', 'email', []])
  const changes = (await acme('GET', '/changes.php?resource=import_mappings')).body.data
  assert.deepEqual(
    changes.map(({ action, after }: Json) => [action, after.name]),
    [['create', 'Our list']],
  )
  assert.equal(changes[0].change_set, first.headers['change-set'])
})

test('a mapping is replaced by one with the same name for the same resource', async () => {
  const save = (resource: string, query: string, file: string) =>
    uploadImport(acme, `resource=${resource}&save_as=Twice&${query}`, file)
  const first = await save('customers', 'map[T]=name', 'T\nA\n')
  const again = await save('customers', 'map[T]=name', 'T\nA\n')
  assert.deepEqual([typeof first.headers['change-set'], again.headers['change-set']], ['string', undefined])
  await save('customers', 'map[Titel]=name', 'Titel\nA\n')
  await save('employees', 'map[E]=email', 'E,customer_code\na@a.test,HQ\n')
  const twice = (await ownMappings()).filter(({ name }) => name === 'Twice')
  assert.deepEqual(
    twice.map(({ resource, map }) => [resource, map]),
    [
      ['customers', { Titel: 'name' }],
      ['employees', { E: 'email' }],
    ],
  )
})

test('a refused upload keeps no mapping, and a repeated one keeps it once', async () => {
  const before = (await ownMappings()).length
  assertRefused(await uploadImport(acme, 'resource=customers&map[T]=name&save_as=Refused', 'X\nA\n'), 'invalid_request')
  assert.equal((await ownMappings()).length, before)
  const headers = { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' }
  const send = () => acme('POST', '/imports.php?resource=customers&map[T]=name&save_as=Once', 'T\nA\n', headers)
  const [sent, repeated] = [await send(), await send()]
  assert.equal(repeated.headers['change-set'], sent.headers['change-set'])
  assert.equal((await ownMappings()).length, before + 1)
})

test('parameters beside a mapping take precedence, and its columns that a file lacks are ignored', async () => {
  const wide = 'Nr,Titel,Ort,Zeit\n1,A,Berlin,x\n'
  const query = 'resource=customers&map[Nr]=code&map[Titel]=name&map[Ort]=city&map[Zeit]=notes&match=code'
  await importFile(acme, `${query}&save_as=Wide`, wide)
  const narrow = 'titel:,Ort,Stadt\nB,Bremen,Hamburg\n'
  const report = await importFile(acme, 'resource=customers&mapping=Wide&map[Stadt]=city', narrow)
  assert.deepEqual(
    report.columns.map(({ title, field }: Json) => [title, field]),
    [
      ['titel:', 'name'],
      ['Ort', null],
      ['Stadt', 'city'],
    ],
  )
  assert.equal(report.match, 'external_id')
  const lacking = await uploadImport(acme, 'resource=customers&mapping=Wide&match=code', 'Titel\nB\n')
  assertRefused(lacking, 'invalid_request')
})

test('a column whose title is known does not disturb the one that a mapping chooses for the same field', async () => {
  await importFile(
    acme,
    'resource=employees&map[Login]=email&map[Site]=customer_code&save_as=Logins',
    'Login,Site\na@a.test,HQ\n',
  )
  const file = 'Email,Login,Site\nprivate@a.test,work@a.test,HQ\n'
  const { columns } = await importFile(acme, 'resource=employees&mapping=Logins', file)
  assert.deepEqual(
    columns.map(({ field }: Json) => field),
    [null, 'email', 'customer_id'],
  )
})

test('an unknown mapping is refused with the names of the known ones, and one is known for its resource only', async () => {
  const refusal = await uploadImport(acme, 'resource=employees&mapping=Wide', 'email\na@a.test\n')
  assertRefused(refusal, 'invalid_request')
  assert.match(refusal.body.error.message, /^There is no mapping "Wide" for employees; known: .*\bOur list\b/)
})

test('a mapping cannot have the name of a shipped one, and its name is one line of at most 100 characters', async () => {
  const shipped = (await mappings()).filter(({ is_shipped }) => is_shipped)
  for (const name of [...shipped.map((each) => each.name), '', ' ', 'x'.repeat(101), 'a\nb']) {
    const refusal = await uploadImport(acme, `resource=customers&save_as=${encodeURIComponent(name)}`, 'name\nA\n')
    assertRefused(refusal, 'invalid_request')
  }
  const long = await uploadImport(acme, `resource=customers&save_as=${'ü'.repeat(100)}`, 'name\nA\n')
  assert.equal(long.status, 202)
})

test('the list of mappings has pages, the shipped ones first', async () => {
  const all = await mappings()
  const found: Json[] = []
  for (let cursor = ''; cursor !== null; ) {
    const { body } = await acme('GET', `/import_mappings.php?limit=2${cursor && `&cursor=${cursor}`}`)
    found.push(...body.data)
    cursor = body.page.next_cursor
  }
  assert.deepEqual(found, all)
  assert.deepEqual(
    all
      .map(({ is_shipped }) => is_shipped)
      .toSorted()
      .reverse(),
    all.map(({ is_shipped }) => is_shipped),
  )
})

test('a tenant’s own mapping can be deleted; a shipped or unknown one cannot', async () => {
  await importFile(acme, 'resource=customers&map[T]=name&save_as=Gone soon', 'T\nA\n')
  const remove = (query: string) => acme('DELETE', `/import_mappings.php?${query}`)
  assertRefused(await remove('resource=employees&name=Gone soon'), 'not_found')
  const deleted = await remove('resource=customers&name=Gone soon')
  assert.deepEqual(
    [deleted.status, deleted.body, typeof deleted.headers['change-set']],
    [200, { resource: 'customers', name: 'Gone soon', deleted: true }, 'string'],
  )
  assertRefused(await remove('resource=customers&name=Gone soon'), 'not_found')
  for (const query of ['', 'resource=customers', 'resource=customers&name=', 'resource=pens&name=x', 'name=x'])
    assertRefused(await remove(query), 'invalid_request')
  for (const { name } of (await mappings()).filter(({ is_shipped }) => is_shipped))
    assertRefused(await remove(`resource=customers&name=${name}`), 'forbidden')
  const undone = await acme('POST', '/undo.php', { change_set: deleted.headers['change-set'] })
  assert.equal(undone.status, 200)
  assert.ok((await ownMappings()).some(({ name }) => name === 'Gone soon'))
})

test('other methods are refused, and name the ones that are allowed', async () => {
  for (const method of ['POST', 'PUT', 'PATCH']) {
    const { status, headers } = await acme(method, '/import_mappings.php')
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, DELETE'])
  }
})

test('a key sees and deletes the mappings of the resources that it may read or change', async () => {
  const clientWith = async (...scopes: string[]) =>
    service.client(await createKey(service.environment, 'acme', ['imports:read', 'imports:write', ...scopes]))
  const reader = await clientWith('customers:read')
  const writer = await clientWith('employees:write')
  const none = await clientWith()
  const resourcesOf = async (client: typeof acme) => [
    ...new Set((await ownMappings(client)).map((each) => each.resource)),
  ]
  assert.deepEqual(await resourcesOf(reader), ['customers'])
  assert.deepEqual(await resourcesOf(writer), ['employees'])
  assert.deepEqual(await resourcesOf(none), [])
  assertRefused(await reader('DELETE', '/import_mappings.php?resource=customers&name=Wide'), 'forbidden')
  assertRefused(await writer('DELETE', '/import_mappings.php?resource=customers&name=Wide'), 'forbidden')
  assert.equal((await writer('DELETE', '/import_mappings.php?resource=employees&name=Twice')).status, 200)
})

test('a tenant keeps at most 100 mappings, and sees only its own', async () => {
  const globex = await service.tenant('globex')
  assert.deepEqual(await ownMappings(globex), [])
  const save = (name: string) => uploadImport(globex, `resource=customers&map[T]=name&save_as=${name}`, 'T\nA\n')
  for (let number = 1; number <= 100; number++) assert.equal((await save(`m${number}`)).status, 202)
  const refusal = await save('m101')
  assertRefused(refusal, 'invalid_request')
  assert.match(refusal.body.error.message, /100 mappings/)
  const replaced = await save('m7')
  assert.equal(replaced.status, 202)
  await waitForImport(globex, replaced.body.id)
})
