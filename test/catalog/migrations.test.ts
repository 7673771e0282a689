// The numbered steps of the catalog's schema.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogMigration, catalogMigrations, latestVersion, pendingSteps } from '../../src/catalog/schema.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { engine, startService } from '../support/service.ts'
import { catalogDatabaseOf } from '../support/tenant-database.ts'

const { environment } = await startService()

const next: readonly CatalogMigration[] = [
  ...catalogMigrations(engine),
  { version: latestVersion(catalogMigrations(engine)) + 1, name: 'add hosts', up: ['create table hosts (name text)'] },
]

test('the steps of the catalog are numbered from 1 without a gap, on both engines alike', () => {
  const [sqlite, postgres] = [catalogMigrations('sqlite'), catalogMigrations('postgres')]
  assert.deepEqual(
    sqlite.map(({ version }) => version),
    sqlite.map((_, at) => at + 1),
  )
  assert.deepEqual(
    postgres.map(({ version, name }) => [version, name]),
    sqlite.map(({ version, name }) => [version, name]),
  )
})

test('a catalog of the previous version lacks the new step alone, and a new catalog lacks all of them', async () => {
  const sql =
    engine === 'sqlite'
      ? 'pragma user_version'
      : 'select schema_version as user_version from tenantdesk.catalog_version'
  const version = Number((await (await catalogDatabaseOf(environment)).all(sql))[0].user_version)
  assert.equal(version, latestVersion(catalogMigrations(engine)))
  assert.deepEqual(
    pendingSteps(next, version).map(({ name }) => name),
    ['add hosts'],
  )
  assert.deepEqual(pendingSteps(next, 0), next)
  assert.deepEqual(pendingSteps(next, latestVersion(next)), [])
})

test('a catalog of a newer version is refused', () => {
  assert.throws(() => pendingSteps(catalogMigrations(engine), latestVersion(next)), UserError)
})
