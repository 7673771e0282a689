// The limit on the size of a change set that can be undone. The test has its own file, because it inserts a quarter of
// a million changes, which takes half a minute on PostgreSQL.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { startService } from '../../support/service.ts'

const service = await startService()

test('a change set of more than 250,000 changes is refused', async () => {
  const set = randomUUID()
  const large = await service.tenant('large')
  await large('POST', '/customers.php', { name: 'Large' })
  const tenantDatabase = await tenantDatabaseOf(service.environment, 'large')
  await tenantDatabase.run(`
    insert into changes (seq, at, resource, record_id, action, after, request_id, change_set)
    with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < 250002)
    select n, '2026-01-01T00:00:00.000Z', 'customers', n, 'create', '{}', 'r', '${set}' from numbers`)
  const response = await large('POST', '/undo.php', { change_set: set, dry_run: true })
  assertRefused(response, 'invalid_request')
  assert.match(response.body.error.message, /too many changes to undo; the maximum is 250000/)
})
