// A tenant database of the previous version is migrated when it is next opened.

import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { resources } from '../../src/domain/declarations/all.ts'
import { migrationsOf } from '../../src/domain/schema/migrations.ts'
import { requireSound } from '../../src/domain/schema/schema.ts'
import { countsOf, waitForImport } from '../support/api/imports.ts'
import {
  insertRecords,
  query,
  schemaOf,
  type TenantDatabase,
  tenantDatabaseOf,
} from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { createPanelUser, formsIn, signIn } from '../support/panel/panel-client.ts'
import {
  type Client,
  createKey,
  type Environment,
  engine,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'
import { makeFirstVersionTenant, recordedAt, recordedKey, recordedRequests } from '../support/versions/first-version.ts'
import { newFields, nextResources, nextVersion, withFields } from '../support/versions/next-version.ts'
import { afterRecording, makeVersion11Tenant } from '../support/versions/version-11.ts'
import { makeVersion12Tenant, recordedNames } from '../support/versions/version-12.ts'

const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }

async function fill(client: Client): Promise<void> {
  const create = (resource: string, body: object) => ({ method: 'POST', resource, body })
  const hardware = (_: unknown, at: number) =>
    create('hardware', { employee_id: 1, asset_tag: `TD-${at}`, name: at % 2 ? 'Ä' : 'z' })
  const operations = [
    create('customers', { name: 'Ünal İnşaat', city: 'Çorlu', notes: 'straße' }),
    create('customers', { name: 'aa' }),
    create('employees', { customer_id: 1, email: 'Ada@example.com' }),
    ...Array.from({ length: 30 }, hardware),
  ]
  assert.equal((await client('POST', '/bulk.php', { operations })).status, 200)
}

const paths = [
  '/customers.php?q=INSAAT',
  '/customers.php?q=iNŞAAT+corlu',
  '/customers.php?q=İNŞAAT+çorlu',
  '/hardware.php?q=td29',
  '/hardware.php?q=TD-29',
  '/hardware.php?asset_tag[contains]=d-29',
  '/customers.php?q=STRASSE',
  '/customers.php?sort=-name',
  '/customers.php?name[contains]=A',
  '/employees.php?q=ada',
  '/hardware.php?q=td-2&sort=name&limit=200',
  '/hardware.php?condition=used&total=true',
  '/hardware.php?name[contains]=ä&total=true',
  '/hardware.php?customer_id=1&sort=-asset_tag',
  '/hardware.php?id=1',
]

/** Returns the schema without column positions, because a migration adds new columns at the end. */
async function unorderedSchema(tenantDatabase: TenantDatabase): Promise<string[]> {
  return (await schemaOf(tenantDatabase)).map(({ cid: _, ...part }) => JSON.stringify(part)).sort()
}

test('a migrated database has the same schema as a new one and returns the same lists', async () => {
  const now = () => new Date('2030-01-01T00:00:00.000Z')
  const token = await makeTenant(settings, 'old')
  const before = await startService(settings, { now })
  await fill(before.client(token))
  await before.service.close()
  const tenantDatabase = await tenantDatabaseOf(settings, 'old')
  const old = await unorderedSchema(tenantDatabase)

  const after = await startService(settings, { now, resources: nextResources })
  const [migrated, fresh] = [after.client(await createKey(settings, 'old')), await after.tenant('fresh')]
  await fill(fresh)
  for (const path of paths) {
    const [actual, expected] = [await migrated('GET', path), await fresh('GET', path)]
    assert.deepEqual([actual.status, actual.body], [200, expected.body], path)
  }
  assert.equal((await migrated('GET', '/hardware.php?name[contains]=ä&total=true')).body.page.total, 15)
  const schema = await unorderedSchema(tenantDatabase)
  assert.notDeepEqual(schema, old)
  assert.deepEqual(schema, await unorderedSchema(await tenantDatabaseOf(settings, 'fresh')))

  const words = { region: 'Marmara', notes: 'written since' }
  for (const client of [migrated, fresh]) await client('PUT', '/customers.php?id=2', words)
  for (const path of ['/customers.php?q=since+aa', '/customers.php?q=marmara', '/customers.php?region[contains]=mar']) {
    const [actual, expected] = [await migrated('GET', path), await fresh('GET', path)]
    assert.deepEqual([actual.body.data.length, actual.body.data], [1, expected.body.data], path)
  }
})

test('a tenant migrated from the first version has the new fields, empty or with their defaults, and the same schema as a new tenant', async () => {
  const environment = { ...settings, DATA_DIR: temporaryDirectory() }
  const { token, tenantDatabase } = await makeFirstVersionTenant(environment, 'first')
  const service = await startService(environment, { now: () => new Date(recordedAt) })
  const [migrated, fresh] = [service.client(token), await service.tenant('fresh')]
  for (const [path, body] of recordedRequests) await fresh('POST', path, body)
  for (const path of ['/customers.php?id=1', '/employees.php?kind=person', '/hardware.php?sort=due_back&limit=200']) {
    const [actual, expected] = [await migrated('GET', path), await fresh('GET', path)]
    assert.deepEqual([actual.status, actual.body], [200, expected.body], path)
  }
  for (const path of ['/customers.php?q=unal+insaat', '/hardware.php?q=td1', '/hardware.php?name[contains]=a']) {
    const [actual, expected] = [await migrated('GET', path), await fresh('GET', path)]
    assert.deepEqual([actual.body.data.length, actual.body.data], [1, expected.body.data], path)
  }
  const schemas = [tenantDatabase, await tenantDatabaseOf(environment, 'fresh')].map(unorderedSchema)
  assert.deepEqual(await schemas[0], await schemas[1])
  for (const client of [migrated, fresh]) await client('PUT', '/hardware.php?id=1', { external_id: 'hw-1' })
  for (const path of ['/hardware.php?q=HW-1', '/hardware.php?external_id[in]=hw-1']) {
    const [actual, expected] = [await migrated('GET', path), await fresh('GET', path)]
    assert.deepEqual([actual.body.data.length, actual.body.data], [1, expected.body.data], path)
  }
  const taken = await migrated('PUT', '/hardware.php?id=2', { external_id: ' hw-1 ' })
  assert.deepEqual([taken.status, taken.body.errors.external_id.code], [422, 'duplicate'])
})

test('changes and stored responses of the first version have no change set; later changes have one', async () => {
  const environment = { ...settings, DATA_DIR: temporaryDirectory() }
  const { token } = await makeFirstVersionTenant(environment, 'first')
  const { service, client: clientOf } = await startService(environment, { now: () => new Date(recordedAt) })
  const client = clientOf(token)
  const [path, body] = recordedRequests[0]
  // The request bypasses the client, which would refuse a stored response without the fields added later.
  const replay = { 'idempotency-key': recordedKey, authorization: `Bearer ${token}` }
  const url = `/api/v1${path}`
  const { headers } = await service.server.inject({ method: 'POST', url, payload: body, headers: replay })
  assert.deepEqual([headers['idempotent-replayed'], headers['change-set']], ['true', undefined])
  const set = (await client('POST', path, body)).headers['change-set']
  const { data } = (await client('GET', `/changes.php?change_set=${set}`)).body
  assert.deepEqual([data.length, data[0].seq, data[0].change_set], [1, recordedRequests.length + 1, set])
  const older = (await client('GET', '/changes.php?order=desc')).body.data.slice(1)
  assert.deepEqual(new Set(older.map((row: Json) => row.change_set)), new Set([null]))
})

/** Starts the service with a tenant of version 11. */
async function serveVersion11() {
  const environment = { ...settings, DATA_DIR: temporaryDirectory() }
  const { token, tenantDatabase } = await makeVersion11Tenant(environment, 'jobs')
  const service = await startService(environment, { now: () => new Date(afterRecording), jobPollIntervalMs: 20 })
  return { ...service, migrated: service.client(token), tenantDatabase }
}

test('an import that started in version 11 continues after the migration, and an earlier import keeps its failed rows', async () => {
  const { environment, migrated, tenant, tenantDatabase } = await serveVersion11()
  const { state, errors, ...counts } = await waitForImport(migrated, 3)
  const failedRows = errors.map(({ row }: Json) => row)
  assert.deepEqual([state, countsOf(counts), failedRows], ['done', '3 1 0 2', [3, 6]])
  const names = (await migrated('GET', '/customers.php?external_id[in]=c-3,c-4,c-5,c-6')).body.data.map(nameOf)
  assert.deepEqual(names, ['Third, renamed', 'Fourth', 'Fifth', 'Sixth'])
  assert.match((await migrated('GET', '/imports.php?id=1&format=csv')).text, /c-x,name: This field is required/)
  await tenant('fresh')
  const schemas = [tenantDatabase, await tenantDatabaseOf(environment, 'fresh')].map(unorderedSchema)
  assert.deepEqual(await schemas[0], await schemas[1])
})

test('an import without limits, as version 1.0.0 stored it, keeps its report within the limits of today', async () => {
  const environment = await withEngineUrl({ ...settings, DATA_DIR: temporaryDirectory() })
  const { token, tenantDatabase } = await makeVersion11Tenant(environment, 'jobs')
  const { all, run } = tenantDatabase
  const title = `name${'!'.repeat(100_000)}`
  const [job] = await all('select input from jobs where id = 1')
  const input = JSON.parse(job!.input as string)
  const wide = Array.from({ length: 3000 }, (_, index) => ({ title: `x${index}`, target: null }))
  input.columns.columns = [{ title, target: { kind: 'field', name: 'name' } }, ...wide]
  input.assumptions = wide.map(({ title: column }) => ({ code: 'ignored_column', column }))
  await run(`update jobs set state = 'done', input = '${JSON.stringify(input)}' where id = 1`)
  const errors = [
    { row: 2, column: title, code: 'required', message: 'This field is required.' },
    { row: 2, column: 'x2999', code: 'too_long', message: 'Too long.' },
    { row: 2, column: null, code: 'required', message: 'email: This field is required.' },
  ]
  await run(`update import_failures set errors = '${JSON.stringify(errors)}' where job_id = 1`)
  const [{ pass }] = (await all('select max(pass) as pass from import_failures where job_id = 1')) as [{ pass: number }]
  await run(`insert into import_failures (seq, job_id, pass, row, cells, errors)
    select 1000 + n, 1, ${pass}, 1000 + n, '["x"]', '[]' from (
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050) select n from numbers
    ) as numbers`)

  const service = await startService(environment, { now: () => new Date(afterRecording), jobPollIntervalMs: 3_600_000 })
  const client = service.client(token)
  const { text, body } = await client('GET', '/imports.php?id=1')
  assert.ok(text.length < 20_000, `${text.length} characters`)
  assert.deepEqual(body.errors.slice(0, 3), [
    { row: body.errors[0].row, column: title.slice(0, 200), code: 'required', message: 'This field is required.' },
    { row: body.errors[0].row, column: null, code: 'too_long', message: 'x2999: Too long.' },
    { row: body.errors[0].row, column: null, code: 'required', message: 'email: This field is required.' },
  ])
  assert.deepEqual(
    body.assumptions.map((sentence: string) => sentence.slice(0, 20)),
    ['The columns "x0", "x'],
  )
  const failedRows = (await client('GET', '/imports.php?id=1&format=csv')).text
  assert.ok(failedRows.split('\r\n').length <= 10_002)
  assert.ok((await client('GET', '/imports.php')).text.length < 20_000)
})

test('a bulk edit that was prepared in version 11 can be confirmed after the migration', async () => {
  const { environment, listen, migrated } = await serveVersion11()
  await createPanelUser(environment, 'manager@example.com', 'jobs')
  const manager = await signIn(new URL(await listen()).origin, 'manager@example.com')
  const path = 'bulk_edit.php?resource=customers&job=2'
  const { html } = await manager.get(path)
  assert.match(html, /<b>1<\/b> will be deleted.*<b>1<\/b> cannot be deleted.*Other records still refer to it/s)
  const { action, fields } = formsIn(html).find((form) => form.action.startsWith('bulk_edit'))!
  await manager.post(action, new URLSearchParams([...fields, ['run', '1']]))
  const result = await eventually('the bulk edit is done', async () => {
    const page = await manager.get(path)
    return page.html.includes('All done') && page.html
  })
  assert.match(result, /<b>1<\/b> deleted.*<b>1<\/b> could not be deleted/s)
  assert.deepEqual((await migrated('GET', '/customers.php?id[in]=1,2')).body.data.map(nameOf), ['With an employee'])
})

test('a tenant migrated from version 12 keeps its records and its history, and is searched by the new rules', async () => {
  const environment = { ...settings, DATA_DIR: temporaryDirectory() }
  const { token, tenantDatabase } = await makeVersion12Tenant(environment, 'umlauts')
  const tables = ['customers', 'employees', 'hardware', 'settings', 'views', 'changes', 'stored_responses', 'counters']
  const rowsOf = async () => {
    const rows = await Promise.all(tables.map((table) => tenantDatabase.all(`select * from ${table} order by 1`)))
    return rows.map((each) => each.map(({ search_text, search_grams, ...stored }) => stored))
  }
  const before = await rowsOf()
  const { client, tenant } = await startService(environment)
  const migrated = client(token)
  const found = async (path: string) => (await migrated('GET', path)).body.data.map(nameOf)
  assert.deepEqual(await found('/customers.php'), recordedNames)
  assert.deepEqual(await found('/customers.php?q=mueller'), ['Jörg Müller', 'Joerg Mueller'])
  assert.deepEqual(await found('/customers.php?q=jörg+müller'), ['Jörg Müller', 'Joerg Mueller'])
  assert.deepEqual(await found("/customers.php?q=o'brien"), ['O’Brien'])
  assert.deepEqual(await found('/customers.php?q=zoe-anne'), ['Zoë‐Anne'])
  assert.deepEqual(await found('/hardware.php?q=ueberwachung+joerg'), ['Überwachungsgerät'])
  const people = [null, 'Çelik', 'ilker', 'İlker', 'Jörg Müller', 'van Dyk', 'Zoe']
  assert.deepEqual(await found('/employees.php?sort=name'), people)
  assert.deepEqual(await found('/employees.php?sort=-name'), people.toReversed())
  const after = await rowsOf()
  const counters = after.pop()!.filter(({ name }) => name !== 'import_mappings') // the counter of a new table
  assert.deepEqual([...after, counters], before)
  await tenant('fresh')
  const schemas = [tenantDatabase, await tenantDatabaseOf(environment, 'fresh')].map(unorderedSchema)
  assert.deepEqual(await schemas[0], await schemas[1])
})

test('other tenants are served while a tenant is migrated', async () => {
  const { client, tenant } = await startService(settings, { resources: nextResources, workers: 1 })
  const other = await tenant('other')
  await eventually('the other tenant is migrated', async () => (await other('GET', '/customers.php')).status === 200)
  const migrating = client(await makeTenant(settings, 'migrating')) // by the command line, so it has the old schema
  await fillLarge('migrating', 10)
  const lock = await lockCustomers(settings, await tenantDatabaseOf(settings, 'migrating'))
  let isServed = false
  const read = eventually('the tenant is migrated', async () => {
    const response = await migrating('GET', '/customers.php?id=10')
    isServed = response.status !== 503
    return isServed && response.body
  })
  const startedAt = performance.now()
  for (let created = 0; created < 10 || performance.now() < startedAt + 1000; created++)
    assert.equal((await other('POST', '/customers.php', { name: 'C' })).status, 201)
  assert.ok(performance.now() - startedAt < 4000, 'a thread that waits for the lock on SQLite gives up after 5 s')
  assert.equal(isServed, false)
  await lock.release()
  const { name, region } = await read
  assert.deepEqual([name, region], ['Name 10', null])
})

test('a migration that is killed leaves the old schema or the new one, and the next start completes it', async () => {
  const environment = { ...settings, DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(environment, 'killed')
  const count = engine === 'postgres' ? 10_000 : 30_000
  await fillLarge('killed', count, environment)
  const tenantDatabase = await tenantDatabaseOf(environment, 'killed')
  const old = await unorderedSchema(tenantDatabase)
  const lock = engine === 'postgres' ? await lockCustomers(environment, tenantDatabase) : undefined
  const first = await startProcess(environment, { program: 'test/support/versions/serve-next-version.ts', nodes: 1 })
  await eventually('the migration has begun to write', () => hasUncommittedWork(environment, tenantDatabase), {
    everyMs: 1,
  })
  await first.end('SIGKILL')
  await lock?.release()
  if (engine === 'postgres')
    await eventually('the server has ended its transaction', () => hasNoSession(environment, tenantDatabase))
  const isOld = JSON.stringify(await unorderedSchema(tenantDatabase)) === JSON.stringify(old)
  assert.equal(await versionOf(tenantDatabase), isOld ? nextVersion - 1 : nextVersion + 1)

  const second = await startProcess(environment, { program: 'test/support/versions/serve-next-version.ts', nodes: 1 })
  const client = networkClient(second.url, token)
  const readLast = async () => {
    const response = await client('GET', `/customers.php?id=${count}`)
    return response.status !== 503 && response.body
  }
  const found = await eventually('the tenant is migrated', readLast, { withinMs: 60_000 })
  assert.deepEqual([found.name, found.region], [`Name ${count}`, null])
  assert.equal(await versionOf(tenantDatabase), nextVersion + 1)
  assert.equal((await client('POST', '/customers.php', { name: 'C', region: 'R' })).body.id, count + 1)
  await second.end('SIGTERM')
})

test('schema versions are numbered from 2, without gaps', () => {
  const versions = [...new Set(migrationsOf(resources).map(({ version }) => version))]
  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 2),
  )
})

test('a gap between version numbers, and a new field that is required, are refused at startup', () => {
  const gap = withFields({ ...newFields, colour: { kind: 'text', max: 9, since: nextVersion + 2 } })
  assert.throws(
    () => requireSound(gap),
    new RegExp(`hardware.colour" has schema version ${nextVersion + 2}, but the next version is ${nextVersion + 1}`),
  )
  const required = withFields({ colour: { kind: 'text', max: 9, since: nextVersion, required: true } })
  assert.throws(() => requireSound(required), /hardware\.colour is new, so it cannot be required/)
  requireSound(nextResources)
  requireSound(resources)
})

function nameOf({ name }: Json): string {
  return name
}

async function fillLarge(slug: string, count: number, environment: Environment = settings): Promise<void> {
  await insertRecords(await tenantDatabaseOf(environment, slug), 'customers', count, (n) => ({
    name: `Name ${n}`,
    notes: `note ${n}`,
    search_text: `name ${n} note ${n}`,
    json_tail: ',"name":"of an older version"',
  }))
}

async function versionOf(tenantDatabase: TenantDatabase): Promise<number> {
  const sql = engine === 'sqlite' ? 'pragma user_version' : 'select schema_version as user_version from tenant'
  return Number((await tenantDatabase.all(sql))[0].user_version)
}

async function hasUncommittedWork(environment: Environment, { id }: TenantDatabase): Promise<boolean> {
  if (engine === 'postgres') return (await sessionsIn(environment, id)).length > 0
  const path = join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite-wal`)
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}

async function hasNoSession(environment: Environment, { id }: TenantDatabase): Promise<boolean> {
  return (await sessionsIn(environment, id)).length === 0
}

/** Locks a tenant's customers, so that a migration waits. On PostgreSQL, it waits after its first step, which does not
 *  use this table. */
async function lockCustomers(environment: Environment, { id }: TenantDatabase): Promise<{ release(): unknown }> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  if (!DATABASE_URL) {
    const file = new DatabaseSync(join(DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite`))
    file.exec('begin immediate')
    return { release: () => file.close() }
  }
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  await client.query(`begin; lock table t_${id}.customers in access share mode`)
  return { release: () => client.end() }
}

/** Sessions that hold an exclusive lock on a table of the tenant. */
async function sessionsIn(environment: Environment, id: string): Promise<Json[]> {
  const { DATABASE_URL = '' } = await withEngineUrl(environment)
  const sql = `select pid from pg_locks where mode = 'AccessExclusiveLock' and granted and relation in
    (select oid from pg_class where relnamespace = 't_${id}'::regnamespace)`
  return query(DATABASE_URL, 'public', sql)
}
