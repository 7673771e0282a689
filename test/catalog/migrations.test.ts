// The catalog's numbered migrations.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSession } from '../../src/accounts/sign-in/sessions.ts'
import { listUsers } from '../../src/accounts/users.ts'
import { hashToken, newToken } from '../../src/catalog/ids.ts'
import { type CatalogMigration, catalogMigrations, latestVersion, pendingSteps } from '../../src/catalog/schema.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { catalogDatabaseOf } from '../support/databases/tenant-database.ts'
import { withCatalogOf } from '../support/panel/panel-client.ts'
import { engine, startService, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const { environment } = await startService()

const withNewMigration: readonly CatalogMigration[] = [
  ...catalogMigrations(engine),
  { version: latestVersion(catalogMigrations(engine)) + 1, name: 'add hosts', up: ['create table hosts (name text)'] },
]

test('the catalog’s migrations are numbered from 1 without gaps, and are the same on both engines', () => {
  const [sqlite, postgres] = [catalogMigrations('sqlite'), catalogMigrations('postgres')]
  assert.deepEqual(
    sqlite.map(({ version }) => version),
    sqlite.map((_, index) => index + 1),
  )
  assert.deepEqual(
    postgres.map(({ version, name }) => [version, name]),
    sqlite.map(({ version, name }) => [version, name]),
  )
})

test('the pending migrations are only the newest for a catalog of the previous version, and all for an empty catalog', async () => {
  const sql =
    engine === 'sqlite'
      ? 'pragma user_version'
      : 'select schema_version as user_version from tenantdesk.catalog_version'
  const version = Number((await (await catalogDatabaseOf(environment)).all(sql))[0].user_version)
  assert.equal(version, latestVersion(catalogMigrations(engine)))
  assert.deepEqual(
    pendingSteps(withNewMigration, version).map(({ name }) => name),
    ['add hosts'],
  )
  assert.deepEqual(pendingSteps(withNewMigration, 0), withNewMigration)
  assert.deepEqual(pendingSteps(withNewMigration, latestVersion(withNewMigration)), [])
})

test('a catalog of a newer version is refused', () => {
  assert.throws(() => pendingSteps(catalogMigrations(engine), latestVersion(withNewMigration)), UserError)
})

test('the migration that adds memberships keeps tenant managers and their sessions', async () => {
  const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const database = await catalogDatabaseOf(environment)
  const token = newToken()
  await database.run(emptyCatalog)
  for (const { up } of catalogMigrations(engine).filter(({ version }) => version < 8))
    for (const statement of up) await database.run(statement)
  const now = new Date().toISOString()
  await database.run(`${setVersion};
    insert into tenants (id, slug, name, state, created_at) values ('t1', 'acme', 'Acme', 'active', '${now}');
    insert into users (id, email, role, tenant_id, state, password, created_at) values
      ('u1', 'root@example.com', 'administrator', null, 'active', 'x', '${now}'),
      ('u2', 'boss@example.com', 'manager', 't1', 'active', 'x', '${now}');
    insert into sessions (id, hash, user_id, created_at, last_seen_at)
      values ('s1', '${hashToken(token)}', 'u2', '${now}', '${now}')`)
  await withCatalogOf(environment, async (catalog) => {
    const acme = { tenant_id: 't1', tenant_slug: 'acme', tenant_name: 'Acme', role: 'manager' }
    const users = await listUsers(catalog)
    assert.deepEqual(
      users.map(({ email, role, tenant_slug, roles }) => [email, role, tenant_slug, roles]),
      [
        ['boss@example.com', 'manager', 'acme', [acme]],
        ['root@example.com', 'administrator', null, []],
      ],
    )
    assert.deepEqual((await findSession(catalog, token, new Date()))?.user.roles, [acme])
  })
})

/** Statements that create what the first migration requires. */
const emptyCatalog =
  engine === 'sqlite'
    ? 'select 1'
    : `create schema tenantdesk;
       create table catalog_version (schema_version bigint not null, changes bigint not null);
       insert into catalog_version values (7, 0)`

const setVersion = engine === 'sqlite' ? 'pragma user_version = 7' : 'select 1'
