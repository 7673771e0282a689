// Kills the server while it undoes a change set. The set is undone completely or not at all, and a retry completes it.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { random, withSeed } from '../support/faults/exactly-once.ts'
import { isFullRun } from '../support/faults/load.ts'
import {
  type Client,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  temporaryDirectory,
} from '../support/service.ts'

const rounds = isFullRun ? 60 : 1
const count = 1000

test(`a change set is undone completely or not at all if the server is killed during the undo (${rounds} rounds)`, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(environment, 'acme')
  let server = await startProcess(environment)
  for (let round = 0; round < rounds; round++) {
    const client = networkClient(server.url, token)
    const operations = Array.from({ length: count }, () => ({
      method: 'POST',
      resource: 'customers',
      body: { name: 'C' },
    }))
    const created = await client('POST', '/bulk.php', { operations })
    assert.equal(created.status, 200, created.text.slice(0, 500))
    const undo = (to: Client) => to('POST', '/undo.php', { change_set: created.body.change_set }, key)
    const key = { 'idempotency-key': randomUUID() }
    const { latest } = (await client('GET', '/changes.php?limit=1')).body.page
    const response = undo(client).catch(() => undefined)
    await wait(random() * 150)
    await server.end('SIGKILL')
    const first = await response
    server = await startProcess(environment)
    const after = networkClient(server.url, token)
    const remaining = (await after('GET', '/customers.php?limit=1&total=true')).body.page.total
    assert.ok(remaining === 0 || (remaining === count && !first), withSeed(`${remaining} records remain`))
    const retried = await undo(after)
    assert.deepEqual([retried.status, retried.body.undone], [200, count], withSeed(retried.text))
    if (remaining === 0) assert.equal(retried.headers['idempotent-replayed'], 'true')
    const changes = await readChanges(after, latest)
    assert.equal(changes.length, count, withSeed('every deletion has one row in the history'))
    assert.deepEqual(new Set(changes.map((change) => change.change_set)), new Set([retried.body.change_set]))
  }
  await server.end('SIGKILL')
})

async function readChanges(client: Client, since: number): Promise<Json[]> {
  const { data, page } = (await client('GET', `/changes.php?limit=200&since=${since}`)).body
  return page.has_more ? [...data, ...(await readChanges(client, page.since))] : data
}
