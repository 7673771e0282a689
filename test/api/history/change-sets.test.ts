// Change sets: all changes made by one request share a UUID, which appears in the history and the Change-Set header.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Client, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')

const setOf = ({ headers }: Awaited<ReturnType<Client>>) => headers['change-set']

async function changesOf(query: string, client: Client = acme) {
  const { status, body, text } = await client('GET', `/changes.php?${query}`)
  assert.equal(status, 200, text)
  return body.data
}

test('each request that makes one change has its own change set, and the response and the history contain the change set’s id', async () => {
  const created = await acme('POST', '/customers.php', { name: 'A' })
  const path = `/customers.php?id=${created.body.id}`
  const sets = [created, await acme('PUT', path, { city: 'Izmir' }), await acme('DELETE', path)].map(setOf)
  assert.equal(new Set(sets).size, 3)
  const rows = await changesOf(`resource=customers&id=${created.body.id}`)
  assert.deepEqual(
    rows.map((row: { change_set: string }) => row.change_set),
    sets,
  )
  for (const set of sets) assert.match(set!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(sets.toSorted(), sets, 'the ids of change sets increase with time')
})

test('the response to a request that changed nothing has no Change-Set header', async () => {
  const responses = [
    await acme('GET', '/customers.php'),
    await acme('GET', '/changes.php'),
    await acme('POST', '/customers.php', { name: '' }),
    await acme('PUT', '/customers.php?id=987654', { name: 'x' }),
    await acme('DELETE', '/customers.php?id=987654'),
  ]
  for (const response of responses) assert.equal(setOf(response), undefined, response.text)
})

test('a replayed response has the Change-Set header of the first response; a replayed refusal has no Change-Set header', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const first = await acme('POST', '/customers.php', { name: 'Once' }, key)
  const replay = await acme('POST', '/customers.php', { name: 'Once' }, key)
  assert.deepEqual([replay.headers['idempotent-replayed'], setOf(replay)], ['true', setOf(first)])
  assert.equal((await changesOf(`change_set=${setOf(first)}`)).length, 1)
  const refused = { 'idempotency-key': randomUUID() }
  for (const isReplay of [undefined, 'true']) {
    const { status, headers } = await acme('DELETE', '/customers.php?id=987654', undefined, refused)
    assert.deepEqual([status, headers['idempotent-replayed'], headers['change-set']], [404, isReplay, undefined])
  }
})

test('the history can be filtered by change set, in any letter case and together with other filters', async () => {
  const created = await acme('POST', '/customers.php', { name: 'Filtered' })
  const [set, id] = [setOf(created)!, created.body.id]
  await acme('PUT', `/customers.php?id=${id}`, { city: 'Izmir' })
  const changesWith = async (query: string) =>
    (await changesOf(query)).map((row: { change_set: string; action: string }) => [row.change_set, row.action])
  for (const query of ['', '&resource=customers', `&id=${id}`, '&action=create', '&order=desc', '&limit=1&since=1']) {
    assert.deepEqual(await changesWith(`change_set=${set}${query}`), [[set, 'create']], query)
  }
  assert.deepEqual(await changesWith(`change_set=${set.toUpperCase()}`), [[set, 'create']])
  for (const query of ['&resource=hardware', '&id=987654', '&action=update']) {
    assert.deepEqual(await changesWith(`change_set=${set}${query}`), [], query)
  }
  assert.deepEqual(await changesWith(`change_set=${randomUUID()}`), [])
})

test('filtering the history by another tenant’s change set returns no changes', async () => {
  const other = await service.tenant('other')
  const set = setOf(await other('POST', '/customers.php', { name: 'Other' }))
  assert.deepEqual(await changesOf(`change_set=${set}`), [])
  assert.equal((await changesOf(`change_set=${set}`, other)).length, 1)
})
