// The background check of databases reports failures of tenants and of database servers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/engine/database/database.ts'
import type { FailureKind } from '../../src/engine/tenant-health.ts'
import { startDatabaseWatch } from '../../src/tenants/databases/watch-databases.ts'
import { eventually } from '../support/eventually.ts'
import { createInstallation } from '../support/people.ts'
import { command } from '../support/service.ts'

const { catalog, environment } = await createInstallation()
await command(environment, 'server', 'add', 'away', 'postgres://127.0.0.1:1/away', '--offline')
await catalog.transaction(async (database) => database.run("update tenants set server = 'away'"))

test('while a database server does not respond, nothing is reported about its tenants', async () => {
  const failures = new Map<string, FailureKind>()
  const reports: string[] = []
  let [checks, isResponsive] = [0, true]
  const watch = startDatabaseWatch({
    catalog,
    databases: { probe: async () => (isResponsive ? undefined : Promise.reject(new Unavailable('refused'))) },
    health: {
      unreachableAmong: async () => new Set(),
      check: async (tenants) => {
        failures.clear()
        if (checks < 4) for (const { id } of tenants) failures.set(id, 'damaged')
        checks++
        isResponsive = checks < 2 || checks > 3
      },
    },
    record: { failures, recordSuccess() {}, recordFailure() {}, keepOnly() {} },
    events: {
      tenantChanged: ({ slug }, kind) => reports.push(`${slug} ${kind}`),
      serverChanged: (server, reason) => server === 'away' && reports.push(`server ${reason}`),
    },
    intervalMs: 1,
  })
  await eventually('the tenant is reported as working', () => reports.includes('acme null'))
  await watch.stop()
  assert.deepEqual(reports, ['acme damaged', 'server refused', 'server null', 'acme null'])
})
