// Runs the soak test (`npm run soak`) for a few seconds, to check that it still works.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { soak } from '../../bench/soak/soak.ts'
import { cheapPasswords } from '../support/cheap-passwords.ts'
import { engine, temporaryDirectory } from '../support/service.ts'

process.env.NODE_OPTIONS = cheapPasswords // the servers must accept passwords hashed by this process

test('under mixed load with backups, moves and a kill, no change is lost and no request fails unexpectedly', async () => {
  const outcome = await soak(join(temporaryDirectory(), 'soak'), {
    engine: engine === 'postgres' ? 'PostgreSQL' : 'SQLite',
    tenants: 6,
    seconds: 5,
    clients: 4,
    kills: 1,
    log: () => {},
  })
  assert.deepEqual(outcome.failures, [])
  assert.ok(outcome.rows > outcome.changes / 2 && outcome.changes > 0 && outcome.reads > 0, JSON.stringify(outcome))
  assert.ok(outcome.kills === 1 && outcome.backups > 0 && outcome.moves > 0, JSON.stringify(outcome))
})
