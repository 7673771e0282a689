// Installations whose catalog is on PostgreSQL, with a DATA_DIR that may contain another installation.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertStartFails, runProgram, startAndStop } from '../../support/program.ts'
import { makeTenant, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

test('commands do not create an installation on PostgreSQL, and serve refuses an empty database if DATA_DIR contains tenants', async () => {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const DATA_DIR = temporaryDirectory()
  writeFileSync(join(DATA_DIR, 'notes.txt'), '')
  const none = await runProgram({ DATA_DIR, DATABASE_URL }, 'tenant list')
  assert.deepEqual([none.exitCode, none.stdout], [1, ''])
  assert.match(none.stderr, /^There is no installation in the database of DATABASE_URL\. [^\n]+\.\n$/)
  await makeTenant({ DATA_DIR, DATABASE_URL: '' }, 'acme')
  for (let attempt = 0; attempt < 2; attempt++) {
    const message = await assertStartFails({ DATA_DIR, DATABASE_URL })
    assert.match(message, /^DATABASE_URL \(127\.0\.0\.1:\d+\/\w+\) has no tenants, while [^\n]+\.\n$/)
    assert.ok(message.includes(`DATA_DIR (${DATA_DIR}) has 1`), message)
    assert.doesNotMatch(message, /:tests@/)
    assert.equal((await runProgram({ DATA_DIR, DATABASE_URL }, 'tenant list')).exitCode, 1)
  }
  const elsewhere = { DATA_DIR: temporaryDirectory(), DATABASE_URL, API_KEY_PEPPER: 'p'.repeat(32) }
  await startAndStop(elsewhere)
  await makeTenant(elsewhere, 'globex')
  await startAndStop({ ...elsewhere, DATA_DIR }) // an installation with its own tenants
  assert.match(await startAndStop({ DATA_DIR, DATABASE_URL: '' }), /^Tenantdesk is ready/)
})
