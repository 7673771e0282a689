// An administrative change and its audit event are written in one transaction, so neither exists without the other.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey, deleteApiKey, listApiKeys, revokeApiKey } from '../../src/access/api-keys.ts'
import { rotateApiKey } from '../../src/access/rotate-api-key.ts'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { addServer, listServers, removeServer, setServer } from '../../src/tenants/databases/database-servers.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { eraseTenant } from '../../src/tenants/erase/erase.ts'
import { createTenant, deleteTenant } from '../../src/tenants/lifecycle.ts'
import { finishMoves, moveTenant } from '../../src/tenants/move/move.ts'
import { activateTenant, findTenant, listTenants, requireTenant, suspendTenant } from '../../src/tenants/tenants.ts'
import { actorAt, pepper } from '../support/people.ts'
import { command, engine, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
await command(environment, 'tenant', 'create', 'acme')
const { catalog, databases, close } = await openDatabases(readConfig(environment), resources)
after(close)

const actor = actorAt(0, '192.0.2.7')
const acme = await requireTenant(catalog, 'acme')
const key = { scopes: ['*:read'], allScopes: ['*:read'] }
const away = { name: 'away', url: 'postgres://127.0.0.1:1/away' }
let keyId = ''

type Operation = [event: string, run: () => Promise<unknown>]

/** Moves a tenant from PostgreSQL to SQLite. On SQLite this is not tested, because there is no second server. */
const moves: Operation[] =
  engine === 'sqlite'
    ? []
    : [['tenant_moved', () => moveTenant({ catalog, databases, resources }, acme, 'sqlite', actor)]]

/** Every operation with the event that it records. The order matters, because operations use rows that earlier
 *  operations created. */
const operations: Operation[] = [
  ['tenant_created', () => createTenant(catalog, databases, { slug: 'zeta' }, actor)],
  [
    'tenant_erased',
    async () => eraseTenant({ catalog, databases, resources }, await requireTenant(catalog, 'zeta'), actor),
  ],
  [
    'key_created',
    async () => {
      keyId = (await createApiKey({ catalog, pepper }, acme, key, actor)).id
    },
  ],
  ['key_rotated', () => rotateApiKey({ catalog, pepper }, keyId, { overlap: '24h' }, actor)],
  ['key_revoked', () => revokeApiKey(catalog, keyId, actor)],
  ['key_deleted', () => deleteApiKey(catalog, keyId, actor)],
  ['tenant_suspended', () => suspendTenant(catalog, acme, 'unpaid', actor)],
  ['tenant_activated', () => activateTenant(catalog, acme, actor)],
  ['server_added', () => addServer(catalog, pepper, away, actor)],
  ['server_set', () => setServer(catalog, pepper, { ...away, url: 'postgres://127.0.0.1:1/other' }, actor)],
  ['server_removed', () => removeServer(catalog, 'away', actor)],
  ...moves,
  ['tenant_deleted', async () => deleteTenant(catalog, databases, await requireTenant(catalog, 'acme'), actor)],
]

/** Reads everything that the operations change. */
async function readState(): Promise<unknown> {
  await finishMoves(catalog, databases)
  return [
    await listTenants(catalog),
    (await findTenant(catalog, 'acme')) && (await listApiKeys(catalog, acme, actor.now)),
    await listServers(catalog, pepper),
    await newestEvent(),
  ]
}

async function newestEvent() {
  return (await listEvents(catalog, { limit: 1 }))[0]
}

/** Runs `action` while every insert into the audit log fails. */
async function whileAuditLogFails(action: () => Promise<unknown>): Promise<void> {
  const rename = (from: string, to: string) =>
    catalog.transaction(async (database) => database.run(`alter table ${from} rename to ${to}`))
  await rename('audit_events', 'renamed_events')
  try {
    await action()
  } finally {
    await rename('renamed_events', 'audit_events')
  }
}

for (const [event, run] of operations) {
  test(`${event}: the change and its audit event are stored together, and neither is stored if the event cannot be written`, async () => {
    const before = await readState()
    await whileAuditLogFails(() => assert.rejects(run(), /audit_events/))
    assert.deepEqual(await readState(), before)

    await run()
    assert.notDeepEqual(await readState(), before)
    const { event: recorded, at, address } = (await newestEvent())!
    assert.deepEqual([recorded, at, address], [event, actor.now.toISOString(), '192.0.2.7'])
  })
}
