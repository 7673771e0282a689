// A process that stands still while it has a transaction open, for example because its machine was paused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPool } from '../../../src/engine/database/postgres/pool.ts'
import { temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const { DATABASE_URL } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })

/** Longer than the server waits for the next statement of a change. */
const standstillMs = 4000

test('a change is applied once if its process stood still until the server ended the session', async () => {
  const pool = openPool(DATABASE_URL!, 1)
  try {
    await pool.query({ text: 'create table standstill (id integer)' })
    let attempts = 0
    await pool.transaction('public', async (database) => {
      attempts++
      await database.run('insert into standstill values (1)')
      if (attempts === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, standstillMs)
      await database.run('insert into standstill values (2)')
    })
    assert.equal(attempts, 2)
    assert.deepEqual((await pool.query({ text: 'select id from standstill order by id' })).rows, [{ id: 1 }, { id: 2 }])
  } finally {
    await pool.close()
  }
})
