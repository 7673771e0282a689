// Another process has a tenant's file locked for a moment, as a command does when it opens or closes the file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

const { client, environment } = await startService({ DATABASE_URL: '' }, { workers: 1 })
const neighbour = client(await makeTenant(environment, 'neighbour'))

/** Opens another connection to a tenant's file. `begin immediate` then locks it for writers. */
async function openAnother(slug: string, installation = environment): Promise<DatabaseSync> {
  const { id } = await tenantDatabaseOf(installation, slug)
  return new DatabaseSync(join(installation.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`))
}

for (const state of ['open', 'not open yet'] as const) {
  test(`a change waits while another process has locked the file, which is ${state}, and other tenants do not`, async (context) => {
    const slug = state.replaceAll(' ', '-')
    const acme = client(await makeTenant(environment, slug))
    if (state === 'open') await acme('POST', '/customers.php', { name: 'First' })
    using other = await openAnother(slug)
    other.exec('begin exclusive')
    const create = async (name: string) => (await acme('POST', '/customers.php', { name })).status
    let answered = 0
    const changes = ['a', 'b', 'c'].map((name) => create(name).finally(() => answered++))
    const startedAt = performance.now()
    assert.equal((await neighbour('POST', '/customers.php', { name: 'N' })).status, 201)
    await sleep(200) // longer than one attempt waits
    const [early, lockedMs] = [answered, performance.now() - startedAt]
    other.exec('rollback')
    const statuses = await Promise.all(changes)
    if (lockedMs > 900) return context.skip(`this machine is too slow: the file was locked for ${lockedMs} ms`)
    assert.deepEqual([early, ...statuses], [0, 201, 201, 201])
    const { body } = await acme('GET', '/changes.php')
    assert.equal(body.data.length, state === 'open' ? 4 : 3)
  })
}

test('a change is refused once its file has been locked for a second, and served once the lock is gone', async () => {
  const acme = client(await makeTenant(environment, 'long'))
  await acme('POST', '/customers.php', { name: 'First' })
  using other = await openAnother('long')
  other.exec('begin immediate')
  const startedAt = performance.now()
  const [first, second] = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const response = await acme('POST', '/customers.php', { name })
      return { response, waitedMs: performance.now() - startedAt }
    }),
  )
  for (const { response, waitedMs } of [first!, second!]) {
    assertRefused(response, 'tenant_unavailable')
    assert.ok(waitedMs >= 1000, `${waitedMs} ms`)
  }
  assert.equal((await acme('GET', '/customers.php?id=1')).status, 200)
  other.exec('rollback')
  assert.equal((await acme('POST', '/customers.php', { name: 'c' })).status, 201)
  const { body } = await acme('GET', '/customers.php')
  assert.deepEqual(
    body.data.map(({ name }: Json) => name),
    ['First', 'c'],
  )
})

test('a server that is stopped while a file is locked answers the waiting change first', async () => {
  const own = await startService({ DATABASE_URL: '' }, { workers: 1 })
  const acme = own.client(await makeTenant(own.environment, 'closing'))
  await acme('POST', '/customers.php', { name: 'First' })
  using other = await openAnother('closing', own.environment)
  other.exec('begin immediate')
  const change = acme('POST', '/customers.php', { name: 'Last' })
  await sleep(100)
  const closed = own.service.close()
  other.exec('rollback')
  assert.equal((await change).status, 201)
  await closed
})
