// What happens to work that begins after the databases were closed, for example in a background job during a shutdown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { retentionOperations } from '../../src/domain/history/retention.ts'
import { productOf } from '../../src/domain/product.ts'
import { Unavailable } from '../../src/engine/database/database.ts'
import { directEngine } from '../../src/engine/direct-engine.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { command, makeTenant, temporaryDirectory, withEngineUrl } from '../support/service.ts'

test('work that begins after the databases were closed is refused, and opens neither a file nor a thread', async () => {
  const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  for (const slug of ['here', 'files']) await makeTenant(environment, slug)
  if (environment.DATABASE_URL) {
    const moved = await command(environment, 'tenant', 'move', 'files', '--to', 'sqlite')
    assert.equal(moved.exitCode, 0, moved.stderr)
  }
  const { catalog, databases, startEngine, close } = await openDatabases(readConfig(environment), resources)
  const running = startEngine()
  const tenants = [await requireTenant(catalog, 'here'), await requireTenant(catalog, 'files')]
  const input = { before: '2000-01-01T00:00:00.000Z', limit: 1 }
  const { oldChanges } = retentionOperations
  for (const tenant of tenants) assert.deepEqual((await running.run(tenant, oldChanges, input)).seqs, [])

  await close()
  const resourcesBefore = process.getActiveResourcesInfo()
  const direct = directEngine(databases, productOf(resources))
  for (const tenant of tenants)
    for (const engine of [running, direct]) await assert.rejects(engine.run(tenant, oldChanges, input), Unavailable)
  assert.deepEqual(process.getActiveResourcesInfo(), resourcesBefore)

  const reopened = await openDatabases(readConfig(environment), resources)
  assert.ok(reopened.claimFiles())
  await reopened.close()
})
