import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { everyRequest } from '../../support/api/shared-errors.ts'
import { eventually } from '../../support/eventually.ts'
import { isCheckpointed } from '../../support/faults/files.ts'
import {
  type Client,
  command,
  createKey,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
} from '../../support/service.ts'

/** Waits until the WALs of the tenants have been checkpointed. */
async function waitForCheckpoints(tenants: Iterable<{ file: string }>): Promise<void> {
  for (const { file } of tenants) await eventually('the WAL is checkpointed', () => isCheckpointed(file))
}

type Outage = { apply: (file: string, otherFile: string) => void; restore: (file: string) => void }

/** Moves the file away, optionally puts something else in its place, and later moves it back. */
function replacement(replace: (file: string, otherFile: string) => void): Outage {
  return {
    apply(file, otherFile) {
      renameSync(file, `${file}.away`)
      replace(file, otherFile)
    },
    restore(file) {
      rmSync(file, { recursive: true, force: true })
      renameSync(`${file}.away`, file)
    },
  }
}

/** Corrupts the file itself, and later restores its bytes. */
function damage(corrupt: (file: string) => void): Outage {
  return {
    apply(file) {
      copyFileSync(file, `${file}.copy`)
      corrupt(file)
    },
    restore: (file) => copyFileSync(`${file}.copy`, file),
  }
}

/** Overwrites the file with random bytes, starting at offset `from`. */
function overwrite(file: string, from: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, randomBytes(statSync(file).size - from), 0, null, from)
  closeSync(descriptor)
}

const outages: Record<string, Outage> = {
  'renamed away': replacement(() => {}),
  'replaced by a directory': replacement((file) => mkdirSync(file)),
  'replaced by a text file': replacement((file) => writeFileSync(file, 'Not a database.\n')),
  'replaced by an empty file': replacement((file) => writeFileSync(file, '')),
  'replaced by an empty SQLite database': replacement((file) => {
    const database = new DatabaseSync(file)
    database.exec('create table t (id); drop table t')
    database.close()
  }),
  "replaced by another tenant's file": replacement((file, otherFile) => copyFileSync(otherFile, file)),
  'replaced by a dangling link': replacement((file) => symlinkSync(`${file}.nowhere`, file)),
  'replaced by a link to itself': replacement((file) => symlinkSync(file, file)),
  'lost with its directory, which is replaced by a file': {
    apply(file) {
      renameSync(dirname(file), `${dirname(file)}.away`)
      writeFileSync(dirname(file), '')
    },
    restore(file) {
      rmSync(dirname(file))
      renameSync(`${dirname(file)}.away`, dirname(file))
    },
  },
  'truncated to nothing': damage((file) => truncateSync(file, 0)),
  'cut in half': damage((file) => truncateSync(file, statSync(file).size / 2)),
  'overwritten with garbage': damage((file) => overwrite(file, 0)),
  'overwritten with garbage after its first page': damage((file) => overwrite(file, 4096)),
}

type Tenant = { file: string; client: Client; reader: Client; path: string; list: string }

const DATA_DIR = temporaryDirectory()
const cases = Object.entries(outages).flatMap(([what, outage], index) => [
  { what: `a closed file ${what}`, slug: `closed-${index}`, outage },
  { what: `an open file ${what}`, slug: `open-${index}`, outage },
])
const tokens = await makeTenants(['other', 'another', 'hot', ...cases.map(({ slug }) => slug)])
const service = await startService({ DATA_DIR, RATE_LIMIT_PER_MINUTE: '100000' })
const other = await chooseUnaffectedTenant()
const open = new Map<string, Tenant>()
for (const { slug } of cases) if (slug.startsWith('open')) open.set(slug, await use(await findTenant(slug)))
await waitForCheckpoints(open.values())

/** Creates tenants with one record each. No process has their files open afterwards. Returns their API keys by slug. */
async function makeTenants(slugs: string[]): Promise<Map<string, string>> {
  const created = new Map<string, string>()
  for (const slug of slugs) created.set(slug, await makeTenant({ DATA_DIR }, slug))
  const process = await startProcess({ DATA_DIR })
  for (const [slug, token] of created) {
    const body = { name: `Of ${slug}`, notes: 'x'.repeat(2000) }
    assert.equal((await networkClient(process.url, token)('POST', '/customers.php', body)).status, 201)
  }
  await process.end('SIGTERM')
  return created
}

/** Returns a tenant outside the directories that the tests move away. Tenants with the same first two characters of the
 *  id share a directory. */
async function chooseUnaffectedTenant(): Promise<Tenant> {
  const tenants = JSON.parse((await command({ DATA_DIR }, 'tenant', 'list', '--json')).stdout) as Json[]
  const directoryOf = (slug: string) => tenants.find((tenant) => tenant.slug === slug).id.slice(0, 2)
  const lost = cases.filter(({ what }) => what.includes('lost with its directory'))
  const isLost = lost.some(({ slug }) => directoryOf(slug) === directoryOf('other'))
  return findTenant(isLost ? 'another' : 'other')
}

/** Returns a tenant's clients and its file's path. Does not open the file. */
async function findTenant(slug: string): Promise<Tenant> {
  const tenants = JSON.parse((await command({ DATA_DIR }, 'tenant', 'list', '--json')).stdout) as Json[]
  const { id } = tenants.find((tenant) => tenant.slug === slug)
  const reader = service.client(await createKey({ DATA_DIR }, slug, ['*:read']))
  const file = join(DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  return { file, client: service.client(tokens.get(slug)!), reader, path: '/customers.php?id=1', list: '' }
}

/** Creates a record and reads the list, so that the service opens the tenant's file. */
async function use(tenant: Tenant): Promise<Tenant> {
  assert.equal((await tenant.client('POST', '/customers.php', { name: 'Second' })).status, 201)
  return { ...tenant, list: (await tenant.client('GET', '/customers.php')).text }
}

/** Asserts that every request fails with 503, in the error envelope of §7 and without internals, while another tenant
 *  is served. */
async function requireOutage(tenant: Tenant): Promise<void> {
  const [responses, [read, written]] = await Promise.all([
    Promise.all(everyRequest(tenant.client, tenant.reader, tenant.path)),
    Promise.all([other.client('GET', other.path), other.client('POST', '/customers.php', { name: 'Served' })]),
  ])
  for (const [index, { status, headers, body, text }] of responses.entries()) {
    assert.deepEqual(
      [status, body.error?.code, headers['retry-after']],
      [503, 'tenant_unavailable', '5'],
      `${index} ${text}`,
    )
    assert.deepEqual([Object.keys(body), body.error.status], [['error'], 503])
    assert.equal(headers['x-ratelimit-limit'], '100000')
    assert.doesNotMatch(text, /sqlite|select|insert|pragma|file|\.ts|\//i)
  }
  assert.deepEqual([read!.status, written!.status], [200, 201])
}

/** Waits until the tenant is available again. Asserts that it has all its data and accepts changes. */
async function requireRecovery({ client, list }: Tenant): Promise<void> {
  const isBack = async () => (await client('GET', '/customers.php')).status !== 503
  await eventually('the tenant is available again', isBack, { everyMs: 50 })
  const found = await client('GET', '/customers.php')
  assert.equal(found.status, 200)
  assert.deepEqual(found.body.data[0].notes, 'x'.repeat(2000))
  if (list) assert.equal(found.text, list)
  const created = await client('POST', '/customers.php', { name: 'After the outage' })
  assert.equal(created.status, 201)
  assert.equal((await client('GET', `/customers.php?id=${created.body.id}`)).text, created.text)
}

for (const { what, slug, outage } of cases) {
  test(`${what}: only its tenant is unavailable, and recovers once the file is restored`, async () => {
    const tenant = open.get(slug) ?? (await findTenant(slug))
    outage.apply(tenant.file, other.file)
    try {
      await requireOutage(tenant)
      await requireOutage(tenant)
    } finally {
      outage.restore(tenant.file)
    }
    await requireRecovery(tenant)
  })
}

test('all tenants are unavailable while their directory is renamed, and recover afterwards', async () => {
  const directory = join(DATA_DIR, 'tenants')
  const tenants = [other, open.get('open-0')!, open.get('open-1')!]
  const lists = await Promise.all(tenants.map(async ({ client }) => (await client('GET', '/customers.php')).text))
  await waitForCheckpoints(tenants)
  renameSync(directory, `${directory}.away`)
  for (const response of await Promise.all(
    tenants.flatMap(({ client, reader, path }) => everyRequest(client, reader, path)),
  )) {
    assert.deepEqual([response.status, response.body.error?.code], [503, 'tenant_unavailable'], response.text)
  }
  assert.equal(existsSync(directory), false, 'the service does not create the directory')
  renameSync(`${directory}.away`, directory)
  for (const [index, tenant] of tenants.entries()) await requireRecovery({ ...tenant, list: lists[index]! })
})

for (const [what, replace] of [
  ['moved away', () => {}],
  ["replaced by another tenant's file", (file: string) => copyFileSync(other.file, file)],
] as const) {
  test(`a change that was acknowledged before the file was ${what} is visible after the file has been restored`, async () => {
    const hot = await findTenant('hot')
    const outage = replacement(replace)
    const created = await hot.client('POST', '/customers.php', { name: 'Acknowledged' })
    assert.equal(created.status, 201)
    outage.apply(hot.file, other.file)
    await requireOutage(hot)
    await wait(500) // maintenance runs several times, and must not change the file
    outage.restore(hot.file)
    await requireRecovery(hot)
    assert.equal((await hot.client('GET', `/customers.php?id=${created.body.id}`)).text, created.text)
  })
}

/** Starts a server that should refuse to start. Returns its output and exit code. */
async function startRefused(directory: string) {
  const environment = { ...process.env, DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent' }
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    written.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    written.stderr += chunk
  })
  const [exit] = await once(child, 'close')
  return { exit, ...written }
}

test('a second server on the same data directory refuses to start until the first one has exited or been killed', async () => {
  const directory = temporaryDirectory()
  const token = await makeTenant({ DATA_DIR: directory }, 'acme')
  const first = await startProcess({ DATA_DIR: directory })
  const client = networkClient(first.url, token)
  const created = await client('POST', '/customers.php', { name: 'A' })
  for (const second of [await startRefused(directory), await startRefused(directory)]) {
    assert.deepEqual([second.exit, second.stdout], [1, ''])
    assert.match(second.stderr, /^Another server [^\n]*\.\n$/)
    assert.equal((await client('GET', '/customers.php?id=1')).text, created.text)
  }
  await first.end('SIGKILL')
  const third = await startProcess({ DATA_DIR: directory })
  assert.equal((await networkClient(third.url, token)('GET', '/customers.php?id=1')).text, created.text)
})
