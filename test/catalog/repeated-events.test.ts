// Audit events that any client can cause are counted in memory, and written at most once a minute per source.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import { openRepeatedEvents } from '../../src/catalog/audit/repeated-events.ts'
import { Unavailable } from '../../src/engine/database/database.ts'
import { actorAt, createInstallation, testTime } from '../support/people.ts'
import { replaceMethods } from '../support/replace-methods.ts'

const { catalog } = await createInstallation()

test('repeated events are counted while the catalog is unreachable, and written when the catalog is reachable again', async () => {
  let [seconds, isReachable] = [0, true]
  const unreliable = replaceMethods(catalog, {
    transaction: (...parts) =>
      isReachable ? catalog.transaction(...parts) : Promise.reject(new Unavailable('unreachable')),
  })
  const events = openRepeatedEvents(unreliable, () => testTime(seconds))
  const record = (address: string) => events.record('form_refused', actorAt(seconds, address), {})
  isReachable = false
  for (let count = 0; count < 3; count++) await record('192.0.2.1')
  seconds = 61
  await record('192.0.2.1')
  isReachable = true
  await record('198.51.100.1')
  await events.close()
  const rows = await listEvents(catalog, { limit: 10 })
  const counts = rows
    .filter(({ event }) => event === 'form_refused')
    .map(({ address, detail }) => [address, detail?.count])
  assert.deepEqual(counts, [
    ['192.0.2.1', 4],
    ['198.51.100.1', undefined],
  ])
})
