// A thread that takes longer to start than an operation may wait in a queue, as on an overloaded machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

/** Starts a service, and sends it the first change and the first list, which start its threads. Returns their results,
 *  and how long they took, in milliseconds. */
async function startAndUse(settings: { queueTimeoutMs?: number }) {
  const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  const token = await makeTenant(environment, 'acme')
  const acme = (await startService(environment, { workers: 1, ...settings })).client(token)
  const startedAt = performance.now()
  const change = await acme('POST', '/customers.php', { name: 'First' })
  const changedAt = performance.now()
  const list = await acme('GET', '/changes.php')
  const durations = [changedAt - startedAt, performance.now() - changedAt]
  return { statuses: [change.status, list.status], durations }
}

test('the first change and the first list are answered, although their threads take long to start', async () => {
  const { durations } = await startAndUse({})
  const queueTimeoutMs = Math.min(...durations) / 3
  let statuses: number[] = []
  // Other programs may take the processors for longer than this limit once the threads are ready, but hardly every time.
  for (let attempt = 0; attempt < 5 && statuses.join() !== '201,200'; attempt++)
    statuses = (await startAndUse({ queueTimeoutMs })).statuses
  assert.deepEqual(statuses, [201, 200], `after at most ${queueTimeoutMs} ms in a queue`)
})
