// Asserts that a tenant exists completely or not at all, and that there are no leftover files or schemas.

import assert from 'node:assert/strict'
import { storedNames, tenantDatabaseOf } from '../databases/tenant-database.ts'
import { command, type Environment, type Json } from '../service.ts'
import { withSeed } from './exactly-once.ts'

export async function listTenants(settings: Environment): Promise<Json[]> {
  return JSON.parse((await command(settings, 'tenant', 'list', '--json')).stdout)
}

/** If the tenant is listed, asserts that it has its database and that `tenant create` reports that it exists. If the
 *  tenant is not listed, asserts that `tenant create` succeeds. */
export async function requireCompleteOrAbsent(settings: Environment, slug: string): Promise<void> {
  const tenant = (await listTenants(settings)).find((listed) => listed.slug === slug)
  if (tenant) {
    const ids = (await (await tenantDatabaseOf(settings, slug)).all('select id from tenant')).map(({ id }) => id)
    assert.deepEqual(ids, [tenant.id], withSeed(`the database of ${slug} contains its id`))
  }
  const { exitCode, stdout, stderr } = await command(settings, 'tenant', 'create', slug)
  const expected = tenant ? { exitCode: 1, stdout: '' } : { exitCode: 0, stdout: `${slug}\n` }
  assert.deepEqual({ exitCode, stdout }, expected, withSeed(stderr))
  if (tenant) assert.equal(stderr, `The tenant ${slug} already exists.\n`)
}

/** Asserts that every file or schema belongs to a listed tenant. */
export async function requireNoStrayFiles(settings: Environment): Promise<void> {
  const ids = (await listTenants(settings)).map(({ id }) => id)
  const owners = (await storedNames(settings)).map(
    (name) => /^(?:t_)?(\w{20})(?:\.sqlite(?:-wal|-shm)?)?$/.exec(name)?.[1] ?? name,
  )
  assert.deepEqual([...new Set(owners)].sort(), ids.sort(), withSeed('every file or schema belongs to a tenant'))
}
