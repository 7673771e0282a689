// Copies a tenant and then applies the changes made since the snapshot, as a move does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { type CopyEndpoint, catchUp, copyAll, requireSameCounts } from '../../src/domain/schema/copy.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { startService } from '../support/service.ts'

const service = await startService()

test('a copy applies later changes and undos; records restored by an undo keep their ids and creation times', async () => {
  const client = await service.tenant('source')
  await service.tenant('target')
  const send = async (method: string, path: string, body?: object) => {
    const { status, text, headers } = await client(method, path, body)
    assert.ok(status < 300, text)
    return headers['change-set']!
  }
  await send('POST', '/customers.php', { name: 'Kept' })
  await send('POST', '/employees.php', { customer_id: 1, email: 'a@b.c', external_id: 'e-1', is_active: false })
  const opened = await openDatabases(readConfig(service.environment), resources, {}, 'command')
  const [from, to] = await Promise.all(
    ['source', 'target'].map(async (slug) => {
      const tenant = await requireTenant(opened.catalog, slug)
      const access = slug === 'source' ? opened.databases.read : opened.databases.write
      const endpoint: CopyEndpoint = (work) => access(tenant, work)
      return endpoint
    }),
  )
  const snapshot = await copyAll(from!, to!, resources)
  const deletion = await send('DELETE', '/employees.php?id=1')
  await send('POST', '/employees.php', { customer_id: 1, email: 'b@b.c', external_id: 'e-2' })
  await send('POST', '/undo.php', { change_set: deletion })
  const creation = await send('POST', '/customers.php', { name: 'Undone' })
  const undo = (await client('POST', '/undo.php', { change_set: creation })).body.change_set
  await send('POST', '/undo.php', { change_set: undo })
  const { changes } = await catchUp(from!, to!, resources, snapshot) // compares every record
  assert.equal(changes, 6)
  await requireSameCounts(from!, to!, resources)
  const read = async (endpoint: CopyEndpoint) =>
    endpoint(({ database }) => Promise.resolve(database.all('select id, created_at from employees order by id')))
  assert.deepEqual(await read(to!), await read(from!))
  await opened.close()
})
