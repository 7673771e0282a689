// Asserts that a tenant exists completely or not at all, and that nothing else is left.

import assert from 'node:assert/strict'
import { withSeed } from './exactly-once.ts'
import { command, type Environment, type Json } from './service.ts'
import { storedNames, tenantDatabaseOf } from './tenant-database.ts'

export async function listTenants(settings: Environment): Promise<Json[]> {
  return JSON.parse((await command(settings, 'tenant', 'list', '--json')).stdout)
}

/** The list shows the tenant only if it is complete; creating it again works, or is refused because it exists. */
export async function requireCompleteOrAbsent(settings: Environment, slug: string): Promise<void> {
  const tenant = (await listTenants(settings)).find((each) => each.slug === slug)
  if (tenant) {
    const tables = (await (await tenantDatabaseOf(settings, slug)).all('select id from tenant')).map(({ id }) => id)
    assert.deepEqual(tables, [tenant.id], withSeed(`${slug} has no database`))
  }
  const again = await command(settings, 'tenant', 'create', slug)
  assert.deepEqual([again.exitCode, again.stdout], tenant ? [1, ''] : [0, `${slug}\n`], withSeed(again.stderr))
  if (tenant) assert.equal(again.stderr, `The tenant ${slug} already exists.\n`)
}

/** Every file or schema is that of a tenant in the list. */
export async function requireNoStrayFiles(settings: Environment): Promise<void> {
  const ids = (await listTenants(settings)).map(({ id }) => id)
  const left = (await storedNames(settings)).map(
    (name) => /^(?:t_)?(\w{20})(?:\.sqlite(?:-wal|-shm)?)?$/.exec(name)?.[1] ?? name,
  )
  assert.deepEqual([...new Set(left)].sort(), ids.sort(), withSeed('leftover files or schemas'))
}
