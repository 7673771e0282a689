// Runs tenantdesk backup, verify and restore as an operator would, while the server is running.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import type { TenantDatabases } from '../../src/engine/tenant-databases.ts'
import { backUp as runBackUp } from '../../src/tenants/backup/back-up.ts'
import { verifyBackups } from '../../src/tenants/backup/verify.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import {
  type Client,
  command,
  createKey,
  engine,
  type Json,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'
import { writeVersion11File } from '../support/versions/version-11.ts'

const service = await startService()
const { environment } = service
const scratch = temporaryDirectory()

const run = (...line: string[]) => command(environment, ...line)

/** Creates a backup. Returns the JSON output of the command. */
async function backUp(directory: string, ...line: string[]): Promise<Json> {
  const created = await run('backup', ...line, '--to', join(scratch, directory), '--json')
  assert.equal(created.exitCode, 0, created.stderr)
  return JSON.parse(created.stdout)
}

async function restore(directory: string, slug: string, ...line: string[]) {
  return run('restore', join(scratch, directory), '--tenant', slug, ...line)
}

async function restoreOk(directory: string, slug: string, ...line: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await restore(directory, slug, ...line, '--json')
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout)
}

function assertCommandRefused({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof run>>, message: RegExp): void {
  assert.deepEqual([exitCode, stdout], [1, ''], stderr)
  assert.match(stderr, /^\S[^\n]*\.\n$/)
  assert.match(stderr, message)
}

/** The records and changes of a tenant. */
async function contentOf(client: Client): Promise<Json> {
  const paths = ['customers', 'employees', 'hardware', 'changes'].map((name) => `/${name}.php?limit=200`)
  return Promise.all(paths.map(async (path) => (await client('GET', path)).body.data))
}

/** The records without `updated_at`, which an undo changes. */
async function recordsOf(client: Client, query = ''): Promise<Json> {
  const names = ['customers', 'employees', 'hardware']
  const lists = await Promise.all(names.map((name) => client('GET', `/${name}.php?limit=200${query}`)))
  return lists.map(({ body }) => body.data.map(({ updated_at, ...record }: Json) => record))
}

async function clientOf(slug: string): Promise<Client> {
  return service.client(await createKey(environment, slug))
}

const plainAccess = { passphrase: undefined, acceptUnencrypted: false, warn: () => {} }

const key = randomUUID()

async function createFilledTenant(slug: string): Promise<Client> {
  const client = await service.tenant(slug)
  await client('POST', '/customers.php', { name: 'Müller "Söhne"', external_id: 'c-1' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'ada@b.c', name: 'Ada' })
  await client('POST', '/hardware.php', { employee_id: 1, name: '日本', asset_tag: 'A-1' })
  await client('PUT', '/hardware.php?id=1', { status: 'lost' }, { 'idempotency-key': key })
  await client('POST', '/customers.php', { name: 'Second' })
  await client('DELETE', '/customers.php?id=2')
  return client
}

const acme = await createFilledTenant('acme')
const acmeKey = await createKey(environment, 'acme')
const globex = await createFilledTenant('globex')

test('a backup has a file for each tenant, and a manifest with each tenant’s row counts and last change', async () => {
  const { manifest, copied, path } = await backUp('first')
  assert.deepEqual(copied, ['acme', 'globex'])
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')).tenants, manifest.tenants)
  for (const tenant of manifest.tenants) {
    const { slug, seq, engine: from, rows, bytes, encrypted, file } = tenant
    const { customers, employees, hardware, changes, stored_responses } = rows
    assert.deepEqual([seq, from, encrypted], [6, engine, false], slug)
    assert.deepEqual([customers, employees, hardware, changes, stored_responses], [1, 1, 1, 6, 1], slug)
    const storedFile = statSync(join(scratch, 'first', 'databases', file))
    assert.deepEqual([storedFile.size, storedFile.mode & 0o777], [bytes, 0o600])
  }
  const verified = await run('verify', join(scratch, 'first'))
  assert.deepEqual([verified.exitCode, verified.stdout], [0, ''])
  assert.match(verified.stderr, /^Backups in .*first: 1, all complete; files verified: \d\.\n$/)
})

test('restore refuses an existing slug without --replace, and invalid or contradictory options', async () => {
  assertCommandRefused(await restore('first', 'acme'), /Tenant acme already exists: .*--as.*--replace/)
  assertCommandRefused(await restore('first', 'acme', '--as', 'globex'), /Tenant globex already exists/)
  assertCommandRefused(await restore('first', 'acme', '--as', 'x', '--replace'), /cannot be used together/)
  assertCommandRefused(await restore('first', 'acme', '--as', 'Not a slug'), /is not a slug/)
  assertCommandRefused(await restore('first', 'nobody'), /has no tenant nobody/)
  assertCommandRefused(
    await restore('first', 'acme', '--as', 'copy', '--server', 'nowhere'),
    /There is no server nowhere/,
  )
  assertCommandRefused(await restore('nothing', 'acme'), /There is no backup in/)
  assert.equal((await run('restore', join(scratch, 'first'))).exitCode, 2)
})

test('a tenant restored under another slug has the backup’s records and history, and no API key', async () => {
  const before = await contentOf(acme)
  await acme('POST', '/customers.php', { name: 'After the backup' })
  const result = await restoreOk('first', 'acme', '--as', 'acme-copy')
  assert.deepEqual([result.slug, result.seq, result.undone, result.aside, result.keys], ['acme-copy', 6, 0, null, 0])
  const copy = await clientOf('acme-copy')
  assert.deepEqual(await contentOf(copy), before)
  const { status, body } = await copy('POST', '/customers.php', { name: 'Next' })
  assert.deepEqual([status, body.id], [201, 3]) // ids continue after those in the backup
  assert.deepEqual((await copy('GET', '/customers.php?q=müller')).body.data.length, 1)
})

test('restore --replace keeps the API keys and users of the tenant, and suspends the replaced tenant under another slug', async () => {
  await run('user', 'create', 'boss@acme.example', '--role', 'manager', '--tenant', 'acme')
  const result = await restoreOk('first', 'acme', '--replace')
  assert.deepEqual([result.slug, result.aside, result.keys], ['acme', 'acme-replaced', 2])
  assert.equal((await contentOf(acme))[0].length, 1)
  assert.equal(
    (await acme('PUT', '/hardware.php?id=1', { status: 'lost' }, { 'idempotency-key': key })).headers[
      'idempotent-replayed'
    ],
    'true',
  )
  const tenants = JSON.parse((await run('tenant', 'list', '--json')).stdout)
  assert.equal(tenants.find(({ slug }: Json) => slug === 'acme-replaced').state, 'suspended')
  const users = JSON.parse((await run('user', 'list', '--json')).stdout)
  assert.equal(users.find(({ email }: Json) => email === 'boss@acme.example').tenant_slug, 'acme')
  await run('tenant', 'activate', 'acme-replaced')
  const names = (await contentOf(await clientOf('acme-replaced')))[0].map(({ name }: Json) => name)
  assert.deepEqual(names, ['Müller "Söhne"', 'After the backup'])
})

test('if the directory for a backup cannot be created, the backup fails with a message that names the directory', async () => {
  const file = join(scratch, 'not-a-directory')
  writeFileSync(file, '')
  assertCommandRefused(await run('backup', '--to', file), /^The backup to \S+not-a-directory failed: E\w+/)
})

test('restore --until undoes all changes after a given change or time, in one change set', async () => {
  const client = await createFilledTenant('timely')
  await client('PUT', '/customers.php?id=1', { name: 'Renamed', external_id: null })
  await client('POST', '/customers.php', { name: 'Third', external_id: 'c-1' })
  const changes: Json[] = (await client('GET', '/changes.php?limit=200')).body.data
  await backUp('timely', 'timely')
  for (const { seq, at } of changes.toSpliced(-1)) {
    const slug = `until-${seq}`
    const result = await restoreOk('timely', 'timely', '--as', slug, '--until', String(seq))
    assert.deepEqual([result.seq, result.undone], [seq, changes.length - seq])
    const copy = await clientOf(slug)
    const later = changes.findLast((change) => change.at === at)!
    if (later.seq === seq) assert.deepEqual(await recordsOf(copy), await recordsOf(client, `&as_of=${at}`), slug)
    const all: Json[] = (await copy('GET', '/changes.php?limit=200')).body.data
    assert.deepEqual(all.slice(0, changes.length), changes)
    assert.equal(new Set(all.slice(changes.length).map(({ change_set }) => change_set)).size, 1)
  }
  const byTime = await restoreOk('timely', 'timely', '--as', 'by-time', '--until', changes[5]!.at)
  assert.ok(byTime.seq >= 6)
  const empty = await restoreOk('timely', 'timely', '--as', 'emptied', '--until', '0')
  assert.deepEqual(await recordsOf(await clientOf('emptied')), [[], [], []])
  assert.equal(empty.undone, changes.length)
  assertCommandRefused(await restore('timely', 'timely', '--as', 'x1', '--until', '99'), /ends with change 8/)
  assertCommandRefused(await restore('timely', 'timely', '--as', 'x1', '--until', 'noon'), /--until takes/)
  assertCommandRefused(
    await restore('timely', 'timely', '--as', 'x1', '--until', '2006-01-01T09:30:00Z'),
    /The tenant had no records yet at 2006-01-01T09:30:00\S*Z; choose a later time, or change 0\./,
  )
})

test('restore --until refuses a time after the backup, and creates no tenant', async () => {
  await createFilledTenant('punctual')
  const { manifest } = await backUp('punctual', 'punctual')
  const { verified_at } = manifest.tenants[0]
  const millisecondLater = new Date(Date.parse(verified_at) + 1).toISOString()
  for (const time of [millisecondLater, '2999-01-01'])
    assertCommandRefused(
      await restore('punctual', 'punctual', '--as', 'too-late', '--until', time),
      /^The backup shows the tenant at \S+Z; it cannot be restored to the later \S+Z\.\n$/,
    )
  assert.equal((await run('tenant', 'stats', 'too-late')).exitCode, 1)
  assert.equal((await restoreOk('punctual', 'punctual', '--as', 'in-time', '--until', verified_at)).undone, 0)
})

test('--since-last copies only tenants that have changed, and --keep removes older backups with their files', async () => {
  const all = await backUp('series')
  const slugs = all.copied
  const second = await backUp('series', '--since-last')
  assert.deepEqual([second.copied, second.unchanged], [[], slugs])
  await globex('POST', '/customers.php', { name: 'New' })
  const third = await backUp('series', '--since-last', '--keep', '2')
  assert.deepEqual([third.copied, third.unchanged.length, third.removed], [['globex'], slugs.length - 1, 1])
  const fourth = await backUp('series', 'globex', '--keep', '1')
  assert.deepEqual(
    fourth.manifest.tenants.map(({ slug }: Json) => slug),
    slugs, // the files of tenants that the command does not name are kept
  )
  const keptFiles = fourth.manifest.tenants.map(({ file }: Json) => file)
  const storedFiles = readdirSync(join(scratch, 'series', 'databases'))
  for (const file of keptFiles) assert.ok(storedFiles.includes(file))
  assert.equal((await run('verify', join(scratch, 'series'))).exitCode, 0)
  assertCommandRefused(await run('backup', '--to', join(scratch, 'series'), '--keep', '0'), /--keep must be/)
  assertCommandRefused(await run('backup', 'nobody', '--to', join(scratch, 'series')), /There is no tenant nobody/)
})

test('verify skips a backup that is being removed', async () => {
  await backUp('pruned', 'globex')
  await globex('POST', '/customers.php', { name: 'Newer' })
  const env = { ...process.env, ...(await withEngineUrl(environment)) }
  const directory = join(scratch, 'pruned')
  const line = ['src/main.ts', 'backup', 'globex', '--to', directory, '--keep', '1']
  const removeWhileVerifying = () => spawnSync(process.execPath, line, { env })
  const verified = await verifyBackups(directory, plainAccess, removeWhileVerifying)
  assert.deepEqual(verified, { bytes: 0, backups: 0, files: 0, damaged: [], refused: [] })
  assert.equal((await run('verify', directory)).exitCode, 0)
})

test('verify finds a changed byte in any file of a backup, and restore refuses the file', async () => {
  await backUp('damage', 'globex')
  const directory = join(scratch, 'damage')
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('.lock'),
  )
  assert.equal(files.length, 2)
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    const whole = readFileSync(path)
    for (const position of [0, Math.floor(whole.length / 2), whole.length - 1]) {
      const bytes = Buffer.from(whole)
      bytes[position]! ^= 1
      writeFileSync(path, bytes)
      assertCommandRefused(await run('verify', directory), new RegExp(`Damaged files in .*: 1, such as ${name}`))
      assertCommandRefused(await restore('damage', 'globex', '--as', 'never'), new RegExp(`${name} is damaged`))
    }
    writeFileSync(path, whole)
  }
  assert.equal((await run('verify', directory)).exitCode, 0)
  rmSync(join(directory, 'databases'), { recursive: true })
  assertCommandRefused(await run('verify', directory), /the file is missing/)
})

test('an encrypted backup is not a plain zstd file, and can be read only with its passphrase', async () => {
  const [right, wrong] = ['right', 'wrong'].map((name) => {
    const path = join(scratch, `${name}.txt`)
    writeFileSync(path, `a ${name} passphrase\n`, { mode: 0o600 })
    return path
  }) as [string, string]
  const { manifest } = await backUp('sealed', 'globex', '--passphrase-file', right)
  const [{ file, encrypted }] = manifest.tenants
  assert.equal(encrypted, true)
  const directory = join(scratch, 'sealed')
  const bytes = readFileSync(join(directory, 'databases', file))
  assert.ok(!bytes.includes(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) // the magic number of zstd
  assertCommandRefused(await run('verify', directory), /is encrypted/)
  assertCommandRefused(await run('verify', directory, '--passphrase-file', wrong), /not the passphrase of this backup/)
  assertCommandRefused(
    await restore('sealed', 'globex', '--as', 'never', '--passphrase-file', wrong),
    /not the passphrase of this backup/,
  )
  assertCommandRefused(await run('verify', directory, '--passphrase-file', join(scratch, 'no-file')), /cannot be read/)
  assert.equal((await run('verify', directory, '--passphrase-file', right)).exitCode, 0)
  const secret = { ...environment, BACKUP_PASSPHRASE_FILE: right }
  const line = ['restore', directory, '--tenant', 'globex', '--as', 'unsealed']
  assert.equal((await command(secret, ...line)).exitCode, 0)
  assert.deepEqual(await recordsOf(await clientOf('unsealed')), await recordsOf(globex))
  const withNewPassphrase = await backUp('sealed', 'globex', '--since-last', '--passphrase-file', wrong)
  assert.deepEqual(withNewPassphrase.copied, ['globex']) // the old file could not be read with the new passphrase
})

test('a tenant whose database cannot be read keeps its earlier backup, and other tenants are backed up', async () => {
  await createFilledTenant('broken')
  const first = await backUp('partly', 'broken', 'globex')
  const database = await tenantDatabaseOf(environment, 'broken')
  await database.hide()
  const created = await run('backup', 'broken', 'globex', '--to', join(scratch, 'partly'))
  await database.show()
  assert.equal(created.exitCode, 1)
  assert.match(created.stderr, /Not backed up: broken: .*Tenants that could not be backed up: 1\./s)
  const manifest = JSON.parse(readFileSync(created.stdout.trim(), 'utf8'))
  assert.deepEqual(manifest.tenants[0], first.manifest.tenants[0])
  assert.notEqual(manifest.tenants[1].file, first.manifest.tenants[1].file)
})

test('a tenant that is moved during a backup is copied from its new server, and a tenant that is deleted is omitted', async () => {
  for (const slug of ['during-a', 'during-b', 'during-c']) await createFilledTenant(slug)
  const { catalog, databases, close } = await openDatabases(readConfig(environment), resources)
  let isFirst = true
  const pause = async () => {
    if (isFirst) await run('tenant', 'delete', 'during-b', '--yes')
    if (isFirst && engine === 'postgres') await run('tenant', 'move', 'during-c', '--to', 'sqlite')
    isFirst = false
  }
  const request = { directory: join(scratch, 'during'), slugs: ['during-a', 'during-b', 'during-c'], sinceLast: false }
  const options = { access: plainAccess, scratchDirectory: scratch, keep: null }
  const deps = { catalog, databases, resources, now: () => new Date(), pause }
  const { failed, manifest } = await runBackUp(deps, { ...request, ...options })
  await close()
  assert.deepEqual([failed, manifest.tenants.map(({ slug }) => slug)], [[], ['during-a', 'during-c']])
  await run('tenant', 'delete', 'during-c', '--yes') // a test below restores the whole installation to a single server
})

test('a deleted tenant is restored under its slug, without the API keys that were deleted with it', async () => {
  const client = await createFilledTenant('deleted')
  const before = await contentOf(client)
  await backUp('deleted', 'deleted')
  await run('tenant', 'delete', 'deleted', '--yes')
  const result = await restoreOk('deleted', 'deleted')
  assert.deepEqual([result.slug, result.keys], ['deleted', 0])
  assert.equal((await client('GET', '/customers.php')).status, 401)
  assert.deepEqual(await contentOf(await clientOf('deleted')), before)
})

test('an import that was running during the backup does not continue in the restored tenant', async () => {
  await createFilledTenant('importing')
  const database = await tenantDatabaseOf(environment, 'importing')
  const time = '2026-01-01T00:00:00.000Z'
  const origin = { actor: { command: true }, requestId: 'r', changeSet: randomUUID(), revertSet: randomUUID() }
  const input = {
    resource: 'customers',
    mode: 'valid_rows',
    match: 'external_id',
    columns: {},
    origin,
    rows: 1,
    parts: 1,
  }
  const texts = [input, { phase: 'run', pass: 1, part: 0 }, { processed: 0, invalid: 0 }].map((value) =>
    JSON.stringify(value),
  )
  await database.run(`insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at)
    values (1, 'import', 'running', ${texts.map((text) => `'${text}'`).join(', ')}, '${time}', '${time}')`)
  await backUp('importing', 'importing')
  await restoreOk('importing', 'importing', '--as', 'imported')
  const copy = await tenantDatabaseOf(environment, 'imported')
  assert.equal((await copy.all('select state from jobs'))[0].state, 'failed')
  assert.equal((await database.all('select state from jobs'))[0].state, 'running')
})

test('a backup made at version 11 of the schema is complete, and a restored tenant has the rows of its jobs', async () => {
  const older = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  await makeTenant(older, 'older')
  const { catalog, databases, close } = await openDatabases(readConfig(older), resources)
  const snapshot: TenantDatabases['snapshot'] = (tenant, path, work) =>
    databases.snapshot(tenant, path, (copy) => {
      writeVersion11File(path, tenant.id)
      return work(copy)
    })
  const request = { directory: join(scratch, 'older'), slugs: ['older'], sinceLast: false, keep: null }
  const options = { access: plainAccess, scratchDirectory: scratch }
  const deps = { catalog, databases: { ...databases, snapshot }, resources, now: () => new Date() }
  const { manifest } = await runBackUp(deps, { ...request, ...options })
  await close()
  assert.deepEqual([manifest.tenants[0]!.schema, manifest.tenants[0]!.rows.import_parts], [11, 4])
  const verified = await run('verify', join(scratch, 'older'))
  assert.equal(verified.exitCode, 0, verified.stderr)

  await restoreOk('older', 'older')
  const client = await clientOf('older')
  const [done, unfinished] = await Promise.all([1, 3].map((id) => client('GET', `/imports.php?id=${id}`)))
  assert.deepEqual([done!.body.state, done!.body.errors.length], ['done', 1])
  assert.deepEqual([unfinished!.body.state, unfinished!.body.created], ['failed', 1])
  const copy = await tenantDatabaseOf(environment, 'older')
  assert.deepEqual(await copy.all('select content from job_parts where job_id = 2'), [{ content: '[[1],[2]]' }])
})

test('the next backup removes the temporary files of a killed backup, but keeps unknown files', async () => {
  const directory = join(scratch, 'killed')
  await backUp('killed', 'globex')
  const files = () => readdirSync(directory, { recursive: true }).sort()
  const before = files()
  writeFileSync(join(directory, 'databases', 'half.tmp'), 'half')
  cpSync(join(directory, 'databases'), join(directory, 'scratch-0123456789ab'), { recursive: true })
  writeFileSync(join(directory, 'scratch-0123456789ab.lock'), '')
  mkdirSync(join(directory, 'mine'))
  await backUp('killed', 'globex', '--since-last', '--keep', '1')
  assert.equal(files().length, before.length + 1) // only the unknown directory was added
})

test('a whole installation is restored elsewhere, and its keys work with the original pepper', async () => {
  const all = await backUp('whole')
  const { manifest } = await backUp('whole', 'acme')
  assert.deepEqual(manifest.catalog, all.manifest.catalog) // a backup of individual tenants keeps the catalog
  assert.ok(manifest.catalog.rows.tenants >= manifest.tenants.length)
  const before = await contentOf(acme)
  const directory = temporaryDirectory()
  cpSync(join(environment.DATA_DIR!, 'pepper'), join(directory, 'pepper'))
  const target = await withEngineUrl({ DATA_DIR: directory })
  const runThere = (...line: string[]) => command(target, ...line)
  const result = await runThere('restore', join(scratch, 'whole'), '--all', '--json')
  assert.equal(result.exitCode, 0, result.stderr)
  assert.match(result.stderr, /review keys and users/)
  const { tenants, missing } = JSON.parse(result.stdout)
  assert.deepEqual([tenants, missing], [manifest.tenants.length, []])
  assertCommandRefused(await runThere('restore', join(scratch, 'whole'), '--all'), /An installation already exists/)
  const restoredService = await startService({ ...target })
  const client = restoredService.client(acmeKey)
  assert.deepEqual(await contentOf(client), before)
  assert.equal((await client('POST', '/customers.php', { name: 'After the loss' })).status, 201)
  for (const list of ['user', 'tenant'])
    assert.equal((await runThere(list, 'list')).stdout, (await run(list, 'list')).stdout)
  const secret = readFileSync(join(directory, 'pepper'), 'utf8').trim().split(':')[1]!
  for (const { name, parentPath } of readdirSync(join(scratch, 'whole'), { recursive: true, withFileTypes: true }))
    if (name.endsWith('.json')) assert.ok(!readFileSync(join(parentPath, name), 'utf8').includes(secret))
})

test('a restore of everything names at most five tenants of a kind, and --json names all', async () => {
  const many = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const slugs = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6']
  for (const slug of slugs) await makeTenant(many, slug)
  const databases = await Promise.all(slugs.map((slug) => tenantDatabaseOf(many, slug)))
  for (const database of databases) await database.hide()
  const directory = join(scratch, 'many')
  assert.equal((await command(many, 'backup', '--to', directory)).exitCode, 1)
  const target = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const { stdout, stderr } = await command(target, 'restore', directory, '--all', '--json')
  assert.match(stderr, /Tenants without a backup: 6 \(m1, m2, m3, m4, m5, …\)\./)
  assert.deepEqual(JSON.parse(stdout).missing, slugs)
})

test('after an interrupted restore of everything, the next one explains what to remove', async () => {
  const { manifest } = await backUp('interrupted')
  const target = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const { databases, close } = await openDatabases(readConfig(target), resources, {}, 'restore')
  const server = engine === 'sqlite' ? 'sqlite' : 'main'
  await databases.create({ id: manifest.tenants[1].id, server }) // as if the process had been killed after it
  await close()
  const restored = await command(target, 'restore', join(scratch, 'interrupted'), '--all')
  assertCommandRefused(restored, /An earlier restore was interrupted .*Empty DATA_DIR except for the pepper and \.env/)
})

test('a tenant is restored to the other engine with the same content', { skip: engine === 'sqlite' }, async () => {
  await backUp('engines', 'globex')
  const before = await contentOf(globex)
  assert.equal((await restoreOk('engines', 'globex', '--as', 'on-files', '--server', 'sqlite')).server, 'sqlite')
  await backUp('engines', 'on-files')
  assert.equal((await restoreOk('engines', 'on-files', '--as', 'on-main', '--server', 'main')).server, 'main')
  for (const slug of ['on-main', 'on-files']) {
    const { exitCode } = await run('export', slug, '--to', join(scratch, `${slug}.zip`))
    assert.equal(exitCode, 0)
  }
  assert.deepEqual(await contentOf(await clientOf('on-main')), before)
})
