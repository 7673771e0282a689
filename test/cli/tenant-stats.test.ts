// `tenantdesk tenant stats` shows each tenant's rows, sizes and changes per month.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command, engine, startService } from '../support/service.ts'

let today = '2030-01-15T00:00:00.000Z'
const { environment, tenant } = await startService({}, { now: () => new Date(today) })
const acme = await tenant('acme')
await tenant('zeta')
for (let number = 0; number < 30; number++)
  await acme('POST', '/customers.php', { name: `C${number}`, notes: 'n'.repeat(2000) })
today = '2030-02-15T00:00:00.000Z'
for (let number = 0; number < 10; number++)
  await acme('POST', '/employees.php', { customer_id: 1, email: 'a@b.example' })

test('tenant stats shows rows, sizes and changes per month for one tenant or for all tenants', async () => {
  const { exitCode, stdout } = await command(environment, 'tenant', 'stats', '--json')
  assert.equal(exitCode, 0)
  const [first, second] = JSON.parse(stdout)
  assert.deepEqual([first.slug, second.slug, second.changes, second.months], ['acme', 'zeta', 0, []])
  assert.deepEqual(first.rows, { customers: 30, employees: 10, hardware: 0 })
  assert.deepEqual([first.changes, first.history_start], [40, null])
  const counts = first.months.map(({ month, changes }: { month: string; changes: number }) => [month, changes])
  assert.deepEqual(counts, [
    ['2030-02', 10],
    ['2030-01', 30],
  ])
  assert.ok(first.history_bytes > 30 * 2000 && first.history_bytes < first.bytes, stdout)
  assert.equal(typeof first.free_bytes, engine === 'sqlite' ? 'number' : 'object')
  const one = await command(environment, 'tenant', 'stats', 'acme')
  assert.match(one.stdout, /^acme +30 +10 +0 +40 +\d+\.\d MB /)
  const unknown = await command(environment, 'tenant', 'stats', 'nobody')
  assert.deepEqual([unknown.exitCode, unknown.stderr], [1, 'There is no tenant nobody.\n'])
})

test('compacting a tenant frees the disk space of deleted rows', { skip: engine === 'postgres' }, async () => {
  for (let number = 2; number <= 30; number++) await acme('DELETE', `/customers.php?id=${number}`)
  const statsOf = async () => JSON.parse((await command(environment, 'tenant', 'stats', 'acme', '--json')).stdout)[0]
  const before = await statsOf()
  const compacted = await command(environment, 'tenant', 'compact', 'acme', '--json')
  assert.equal(compacted.exitCode, 0, compacted.stderr)
  const after = await statsOf()
  assert.equal(after.free_bytes, 0)
  assert.ok(after.bytes < before.bytes)
  assert.deepEqual(JSON.parse(compacted.stdout), { slug: 'acme', bytes_before: before.bytes, bytes_after: after.bytes })
  assert.equal((await acme('POST', '/customers.php', { name: 'After' })).status, 201)
})
