// `"assign_tag": true` gives new hardware the next free tag of the setting `tag_format` (contract §14).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Client, type Json, type Response, startService } from '../../support/service.ts'

const { tenant } = await startService()

/** Creates a tenant with one employee and these settings. */
async function tenantWith(slug: string, settings: object | null): Promise<Client> {
  const client = await tenant(slug)
  await client('POST', '/customers.php', { name: 'C' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'a@example.com' })
  if (settings) assert.equal((await client('PUT', '/settings.php', settings)).status, 200)
  return client
}

const assigned = (body: object = {}) => ({ employee_id: 1, assign_tag: true, ...body })

function tagOf({ status, body, text }: Response): string {
  assert.equal(status, 201, text)
  assert.equal('assign_tag' in body, false)
  return body.asset_tag
}

function assertInvalid({ status, body, text }: Response, code: string): void {
  assert.deepEqual([status, body.fields, body.errors?.assign_tag?.code], [422, ['assign_tag'], code], text)
}

test('new hardware gets the next free tag, and a number that was given is not given again', async () => {
  const acme = await tenantWith('acme', { tag_format: 'KW-{000}', next_tag_number: 7 })
  await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'KW-008' })
  const first = await acme('POST', '/hardware.php', assigned())
  assert.equal(tagOf(first), 'KW-007')
  assert.deepEqual((await acme('GET', `/hardware.php?id=${first.body.id}`)).body, first.body)
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned({ asset_tag: ' ', assign_tag: '1' }))), 'KW-009')
  for (const id of [2, 3]) assert.equal((await acme('DELETE', `/hardware.php?id=${id}`)).status, 200)
  const third = await acme('POST', '/hardware.php', assigned())
  assert.equal(tagOf(third), 'KW-010')
  await acme('POST', '/undo.php', { change_set: third.headers['change-set'] })
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned())), 'KW-011')
  await acme('PUT', '/settings.php', { next_tag_number: 20 })
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned())), 'KW-020')
  await acme('PUT', '/settings.php', { tag_format: 'B{0}', next_tag_number: null })
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned())), 'B1')
  for (const assign_tag of [false, '0', null, ''])
    assert.equal(tagOf(await acme('POST', '/hardware.php', assigned({ assign_tag }))), null)
})

test('an assigned tag has 2 to 50 characters, like every tag', async () => {
  const acme = await tenantWith('lengths', { tag_format: '{0}' })
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned())), '10')
  const long = '🏷'.repeat(47)
  await acme('PUT', '/settings.php', { tag_format: `${long}{0}`, next_tag_number: 999 })
  const last = await acme('POST', '/hardware.php', assigned())
  assert.equal(tagOf(last), `${long}999`)
  const values = { asset_tag: last.body.asset_tag, name: 'Its own tag is valid' }
  assert.equal((await acme('PUT', `/hardware.php?id=${last.body.id}`, values)).status, 200)
  assertInvalid(await acme('POST', '/hardware.php', assigned()), 'not_in_list')
})

test('assign_tag is refused without a format, beside a tag, and if it is not a boolean', async () => {
  const acme = await tenantWith('refused', null)
  assertInvalid(await acme('POST', '/hardware.php', assigned()), 'not_in_list')
  assertInvalid(await acme('PUT', '/hardware.php?external_id=x', assigned()), 'not_in_list')
  await acme('PUT', '/settings.php', { tag_format: 'T{0}' })
  assertInvalid(await acme('POST', '/hardware.php', assigned({ asset_tag: 'T5' })), 'not_in_list')
  assertInvalid(await acme('POST', '/hardware.php', assigned({ assign_tag: 'yes' })), 'invalid_bool')
  const { body } = await acme('POST', '/hardware.php', assigned({ asset_tag: 'x', type: 'x' }))
  assert.deepEqual(body.fields, ['type', 'asset_tag', 'assign_tag'])
  await acme('POST', '/hardware.php', { employee_id: 1, external_id: 'taken' })
  const { body: twice } = await acme('POST', '/hardware.php', assigned({ asset_tag: 'x', external_id: 'taken' }))
  assert.deepEqual(twice.fields, ['asset_tag', 'external_id', 'assign_tag'])
  const operations = [assigned({ asset_tag: 'T5' }), assigned()].map((body) => ({
    method: 'POST',
    resource: 'hardware',
    body,
  }))
  const bulk = await acme('POST', '/bulk.php', { operations })
  assert.deepEqual([bulk.status, bulk.body.results[0].errors.assign_tag.code], [422, 'not_in_list'])
  const strict = { prefer: 'handling=strict' }
  assert.equal(tagOf(await acme('POST', '/hardware.php', assigned(), strict)), 'T1')
  const other = await acme('POST', '/customers.php', { name: 'C', assign_tag: true }, strict)
  assert.equal(other.body.errors.assign_tag.code, 'unknown_field')
})

test('a missing tag format is reported together with duplicates and all other invalid fields', async () => {
  const acme = await tenantWith('formatless', null)
  await acme('POST', '/hardware.php', { employee_id: 1, external_id: 'taken' })
  for (const [more, fields] of [
    [{}, ['external_id', 'assign_tag']],
    [{ type: 'x' }, ['type', 'external_id', 'assign_tag']],
  ] as const) {
    const { status, body } = await acme('POST', '/hardware.php', assigned({ external_id: 'taken', ...more }))
    assert.deepEqual([status, body.fields], [422, fields])
  }
})

test('an upsert with nothing but assign_tag follows the rules of POST if it creates, and has no field to change if not', async () => {
  const acme = await tenantWith('alone', { tag_format: 'T{0}' })
  const upsert = (body: object) => acme('PUT', '/hardware.php?external_id=a', body)
  const missing = await upsert({ assign_tag: true })
  assert.deepEqual([missing.status, missing.body.fields], [422, ['employee_id']])
  assert.equal(tagOf(await upsert(assigned())), 'T1')
  for (const body of [{ assign_tag: true }, {}])
    assert.equal((await upsert(body)).body.error.code, 'no_fields', JSON.stringify(body))
})

test('assign_tag acts only where a record is created', async () => {
  const acme = await tenantWith('created', { tag_format: 'T{00}' })
  const path = '/hardware.php?external_id=a'
  assert.equal(tagOf(await acme('PUT', path, assigned())), 'T01')
  const again = await acme('PUT', path, assigned({ name: 'N' }))
  assert.deepEqual([again.status, again.body.asset_tag, again.body.name], [200, 'T01', 'N'])
  const untagged = await acme('POST', '/hardware.php', { employee_id: 1 })
  const changed = await acme('PUT', `/hardware.php?id=${untagged.body.id}`, { assign_tag: true, name: 'N' })
  assert.deepEqual([changed.status, changed.body.asset_tag], [200, null])
  const nothing = await acme('PUT', `/hardware.php?id=${untagged.body.id}`, { assign_tag: true })
  assert.equal(nothing.body.error.code, 'no_fields')
  const beside = await acme('PUT', `/hardware.php?id=${untagged.body.id}`, { assign_tag: true, asset_tag: 'X1' })
  assert.deepEqual([beside.status, beside.body.asset_tag], [200, 'X1'])
})

test('a bulk request assigns different tags, and skips those that it gives anywhere itself', async () => {
  const acme = await tenantWith('bulk', { tag_format: 'T{0}' })
  const post = (body: object) => ({ method: 'POST', resource: 'hardware', body })
  await acme('POST', '/hardware.php', { employee_id: 1 })
  const operations = [
    post(assigned()),
    post(assigned()),
    post({ employee_id: 1, asset_tag: 'T1' }),
    { method: 'PUT', resource: 'hardware', id: 1, body: { asset_tag: 'T3' } },
    { method: 'PUT', resource: 'hardware', external_id: 'e', body: { employee_id: 1, asset_tag: 'T5' } },
    { method: 'PUT', resource: 'hardware', external_id: 'f', body: assigned() },
  ]
  const { body, text } = await acme('POST', '/bulk.php', { operations })
  const tags = body.results?.map((result: Json) => result.body.asset_tag)
  assert.deepEqual(tags, ['T2', 'T4', 'T1', 'T3', 'T5', 'T6'], text)
})

test('concurrent requests get different tags, and a repeated request gets its first response', async () => {
  const acme = await tenantWith('many', { tag_format: 'T{0000}' })
  const keys = Array.from({ length: 30 }, () => ({ 'idempotency-key': randomUUID() }))
  const responses = await Promise.all([...keys, {}].map((key) => acme('POST', '/hardware.php', assigned(), key)))
  assert.deepEqual(
    responses.map(tagOf).sort(),
    responses.map((_, index) => `T${String(index + 1).padStart(4, '0')}`),
  )
  await acme('PUT', '/settings.php', { tag_format: null })
  for (const [index, key] of keys.entries()) {
    const { status, text } = await acme('POST', '/hardware.php', assigned(), key)
    assert.deepEqual([status, text], [201, responses[index]!.text])
  }
  assertInvalid(await acme('POST', '/hardware.php', assigned()), 'not_in_list')
})
