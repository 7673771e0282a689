// Changes older than the retention period are removed from the history. Newer changes are kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { productOf } from '../../src/domain/product.ts'
import { directEngine } from '../../src/engine/direct-engine.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { removeOldHistory } from '../../src/tenants/retention/retention.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { eventually } from '../support/eventually.ts'
import {
  type Client,
  command,
  engine,
  type Json,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

let today = '2030-01-01T00:00:00.000Z'
const now = () => new Date(today)
const service = await startService({}, { now, retentionIntervalMs: 20, nodes: 1 })
const { environment } = service

const pages = ['customers', 'employees', 'hardware'].flatMap((name) => [
  `/${name}.php?sort=-updated_at&total=true`,
  `/${name}.php?created_at[lte]=2030-01-02T00:00:00Z`,
  `/${name}.php?id=1`,
  `/${name}.php?limit=1`,
])

/** All records of the tenant at a past time. */
async function stateAt(client: Client, moment: string): Promise<Json[]> {
  const responses = await Promise.all(pages.map((page) => client('GET', `${page}&as_of=${moment}`)))
  return responses.map(({ status, body }) => [status, body.data ?? body, body.page?.total])
}

const changesOf = async (client: Client, query = ''): Promise<Json[]> =>
  (await client('GET', `/changes.php?limit=200${query}`)).body.data

/** Creates records in January, and changes some of them in January and June. */
async function fill(client: Client): Promise<{ january: string; deletion: string }> {
  today = '2030-01-01T00:00:00.000Z'
  const { headers } = await client('POST', '/customers.php', { name: 'A' })
  for (const name of ['B', 'C', 'D']) await client('POST', '/customers.php', { name })
  await client('POST', '/employees.php', { customer_id: 1, email: 'a@b.example' })
  await client('POST', '/employees.php', { customer_id: 2, email: 'c@d.example' })
  await client('POST', '/hardware.php', { employee_id: 1, name: 'Laptop' })
  await client('POST', '/hardware.php', { employee_id: 1, name: 'Phone' })
  today = '2030-01-05T00:00:00.000Z'
  await client('DELETE', '/customers.php?id=4')
  await client('PUT', '/settings.php', { currency: 'TRY' })
  for (const city of ['Bonn', 'Kiel', 'Jena']) await client('PUT', '/customers.php?id=1', { city })
  await client('PUT', '/customers.php?id=3', { city: 'Ulm' })
  await client('PUT', '/hardware.php?id=2', { employee_id: 2 })
  today = '2030-06-01T00:00:00.000Z'
  await client('PUT', '/customers.php?id=1', { city: 'Gera', name: 'A2' })
  const deleted = await client('DELETE', '/customers.php?id=3')
  await client('PUT', '/hardware.php?id=2', { employee_id: 1 })
  await client('POST', '/customers.php', { name: 'E' })
  today = '2030-06-02T00:00:00.000Z'
  return { january: headers['change-set']!, deletion: deleted.headers['change-set']! }
}

/** Sets a retention of 40 days, and waits until older changes are removed. Returns the number of the last
 *  change removed. */
async function removeOld(slug: string, client: Client): Promise<number> {
  const set = await command(environment, 'tenant', 'set', slug, '--history-days', '40')
  assert.equal(set.exitCode, 0, set.stderr)
  return eventually('old history is removed', async () => {
    const [first] = await changesOf(client)
    return first && first.at >= '2030-06-01' ? first.seq - 1 : undefined
  })
}

const acme = await service.tenant('acme')
const changeSets = await fill(acme)
const all = await changesOf(acme)
const before = await stateAt(acme, '2030-05-31T00:00:00.000Z')
const atDeletion = await stateAt(acme, '2030-06-01T12:00:00.000Z')
const lastRemoved = await removeOld('acme', acme)

test('removing old changes does not affect as_of for times within the remaining history', async () => {
  assert.ok(lastRemoved > 10)
  assert.deepEqual(await stateAt(acme, '2030-05-31T00:00:00.000Z'), before)
  assert.deepEqual(await stateAt(acme, '2030-06-01T12:00:00.000Z'), atDeletion)
})

test('as_of before the start of the history is refused, for lists and for single records', async () => {
  for (const path of ['/customers.php?', '/customers.php?id=1&']) {
    const refused = await acme('GET', `${path}as_of=2030-01-04T00:00:00Z`)
    assertRefused(refused, 'invalid_request')
    assert.match(refused.body.error.message, /^as_of is before the start of the history: .* 2030-01-05T00:00:00\.000Z /)
  }
})

test('the remaining changes are listed; a client that had read only some of the removed changes is refused', async () => {
  assert.deepEqual(await changesOf(acme), all.slice(lastRemoved))
  assert.deepEqual(await changesOf(acme, '&since=0'), all.slice(lastRemoved))
  assert.deepEqual(await changesOf(acme, `&since=${lastRemoved}`), all.slice(lastRemoved))
  assert.deepEqual(await changesOf(acme, '&order=desc'), all.slice(lastRemoved).reverse())
  const changesOfCustomer = all.slice(lastRemoved).filter(({ resource, id }) => resource === 'customers' && id === 1)
  assert.deepEqual(await changesOf(acme, '&resource=customers&id=1'), changesOfCustomer)
  assert.deepEqual(await changesOf(acme, `&change_set=${changeSets.january}`), [])
  const refused = await acme('GET', '/changes.php?since=1')
  assertRefused(refused, 'invalid_request')
  assert.match(
    refused.body.error.message,
    new RegExp(`up to number ${lastRemoved} were removed .* since=${lastRemoved}, and compare`),
  )
})

test('the assignments of older equipment begin where the remaining history begins', async () => {
  const [unchanged, changed] = await Promise.all(
    [1, 2].map((id) => acme('GET', `/hardware.php?id=${id}&history=assignments`)),
  )
  const from = '2030-01-05T00:00:00.000Z'
  assert.deepEqual(unchanged!.body.assignments, [{ employee_id: 1, from, to: null }])
  const changedAt = '2030-06-01T00:00:00.000Z'
  assert.deepEqual(changed!.body.assignments, [
    { employee_id: 2, from, to: changedAt },
    { employee_id: 1, from: changedAt, to: null },
  ])
})

test('a removed change set cannot be undone; undoing a later deletion restores the record with its creation time', async () => {
  for (const dry_run of [true, false]) {
    const refused = await acme('POST', '/undo.php', { change_set: changeSets.january, dry_run })
    assertRefused(refused, 'invalid_request')
    assert.match(refused.body.error.message, /^The change set is before the start of the history/)
  }
  assert.equal((await acme('POST', '/undo.php', { change_set: changeSets.deletion })).status, 200)
  const { created_at, city } = (await acme('GET', '/customers.php?id=3')).body
  assert.deepEqual([created_at, city], ['2030-01-01T00:00:00.000Z', 'Ulm'])
})

test('change numbers are not reused, even after all changes have been removed', async () => {
  const client = await service.tenant('quiet')
  await fill(client)
  const { latest } = (await client('GET', '/changes.php')).body.page
  today = '2031-01-01T00:00:00.000Z'
  await command(environment, 'tenant', 'set', 'quiet', '--history-days', '1')
  await eventually('all history is removed', async () => (await changesOf(client)).length === 0)
  const page = (await client('GET', '/changes.php')).body.page
  assert.deepEqual([page.since, page.latest], [latest, latest])
  await client('POST', '/customers.php', { name: 'F' })
  const [change] = await changesOf(client, `&since=${latest}`)
  assert.deepEqual([change.seq, change.after.name], [latest + 1, 'F'])
  assert.equal((await client('GET', `/customers.php?id=1&as_of=2030-12-31T23:00:00Z`)).body.city, 'Gera')
})

test('a failure removes nothing and is reported, and the next run continues', async () => {
  const settings = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const stopped = await startService(settings, { now, nodes: 1 })
  const client = await stopped.tenant('acme')
  await fill(client)
  const changes = await changesOf(client)
  const { catalog, databases, close } = await openDatabases(readConfig(settings), resources)
  const direct = directEngine(databases, productOf(resources))
  const reports: string[] = []
  const run = (engine: typeof direct) =>
    removeOldHistory({
      catalog,
      engine,
      now,
      signal: new AbortController().signal,
      defaultDays: 40,
      report: ({ slug }, reason) => void reports.push(`${slug}: ${reason}`),
    })
  const failing: typeof direct = {
    run: (tenant, operation, input) =>
      operation.name === 'removeChanges' ? Promise.reject(new Error('crash')) : direct.run(tenant, operation, input),
  }
  assert.equal(await run(failing), 0)
  assert.deepEqual(reports, ['acme: crash'])
  assert.deepEqual(await changesOf(client), changes)
  const removed = await run(direct)
  await close()
  assert.ok(removed > 10)
  assert.deepEqual(await changesOf(client), changes.slice(removed))
})

test('--history-days refuses invalid numbers of days; --history-days default restores the default', async () => {
  for (const invalid of ['-1', '1.5', 'never', '99999']) {
    const refused = await command(environment, 'tenant', 'set', 'acme', `--history-days=${invalid}`)
    assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^--history-days takes a number of days/)
  }
  const { stderr } = await command(environment, 'tenant', 'set', 'acme', '--history-days', 'default')
  assert.match(stderr, /^The history of tenant acme is kept for ever\.$/m)
})

test('a move copies a tenant’s remaining history', { skip: engine === 'sqlite' }, async () => {
  today = '2030-06-02T00:00:00.000Z'
  const client = await service.tenant('mover')
  await fill(client)
  await removeOld('mover', client)
  const [changes, state] = [await changesOf(client), await stateAt(client, '2030-05-31T00:00:00.000Z')]
  const moved = await command(environment, 'tenant', 'move', 'mover', '--to', 'sqlite')
  assert.equal(moved.exitCode, 0, moved.stderr)
  assert.deepEqual(await changesOf(client), changes)
  assert.deepEqual(await stateAt(client, '2030-05-31T00:00:00.000Z'), state)
})
