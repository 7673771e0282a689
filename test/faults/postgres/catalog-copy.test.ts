// Kills the command that copies the catalog to another database. The old catalog then stays closed: other commands
// are refused. Repeating the command completes the copy.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalogDatabaseOf, query } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { random, withSeed } from '../../support/faults/exactly-once.ts'
import { isFullRun } from '../../support/faults/load.ts'
import { command, makeTenant, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const rounds = isFullRun ? 20 : 2

/** Enough rows that most copies are still running when the command is killed. */
const events = 20_000

test(`killing a catalog copy leaves the catalog closed, and repeating the command completes it (${rounds} rounds)`, async () => {
  let killed = 0
  for (let round = 0; round < rounds; round++) {
    const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
    const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
    const token = await makeTenant(environment, 'acme')
    const catalog = await catalogDatabaseOf(environment)
    await catalog.run(`insert into audit_events (seq, at, event)
      with recursive n (i) as (select 100 union all select i + 1 from n where i < ${99 + events})
      select i, '2026-01-01T00:00:00.000Z', 'signed_in' from n`)

    const child = spawn(process.execPath, ['src/main.ts', 'catalog', 'copy', '--to', DATABASE_URL], {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const isClosed = () =>
      child.exitCode !== null ||
      catalog.all('select 1 from catalog_copies').then(
        (rows) => rows.length > 0,
        () => false, // the command has not created the table yet
      )
    await eventually('the catalog is closed', isClosed, { withinMs: 120_000, everyMs: 2 })
    await wait(random() * 500)
    child.kill('SIGKILL')
    await ended
    if (child.signalCode === 'SIGKILL') killed++

    const refused = await command(environment, 'tenant', 'list')
    assert.equal(refused.exitCode, 1, withSeed('the catalog stays closed'))
    const repeated = await command(environment, 'catalog', 'copy', '--to', DATABASE_URL)
    assert.equal(repeated.exitCode, 0, withSeed(repeated.stderr))
    const count = `select count(*) as count from audit_events where event = 'signed_in'`
    assert.equal((await query(DATABASE_URL, 'tenantdesk', count))[0]!.count, events)
    const keys = await command({ ...environment, DATABASE_URL }, 'key', 'list', 'acme', '--json')
    assert.equal(JSON.parse(keys.stdout)[0].id, token.slice(4, 14))
  }
  if (isFullRun) assert.ok(killed >= rounds / 2, `only ${killed} commands were killed`)
})
