// Kills commands and an upgrade at each system call that changes the disk. A killed command must either have completed
// or have had no effect. A command that reported success must have completed.

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { schemaOf, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { listTenants, requireCompleteOrAbsent, requireNoStrayFiles } from '../../support/faults/complete-tenants.ts'
import { withSeed } from '../../support/faults/exactly-once.ts'
import { sizeOf } from '../../support/faults/files.ts'
import { sample } from '../../support/faults/load.ts'
import { recordSteps, runAndKill, type Step, straceSkipReason, type TracedRun } from '../../support/faults/strace.ts'
import {
  type Client,
  command,
  createKey,
  type Environment,
  type Json,
  makeTenant,
  prepare,
  startService,
  temporaryDirectory,
} from '../../support/service.ts'
import { nextResources, nextVersion } from '../../support/versions/next-version.ts'

const inAnHour = () => new Date(Date.now() + 60 * 60 * 1000)

/** The number of steps per test in the short run. The full run kills at every step. */
const sampleSize = 1

/** Calls `check` for a sample of the steps, `concurrency` at a time. */
async function checkSteps(
  steps: Step[],
  check: (step: Step, what: string) => Promise<void>,
  concurrency = 2,
): Promise<void> {
  assert.ok(steps.length > 5, withSeed(`only ${steps.length} steps`))
  const remaining = sample(steps, sampleSize).values()
  const runRemaining = async () => {
    for (const step of remaining) await check(step, `killed at ${step.call} ${step.number}`)
  }
  await Promise.all(Array.from({ length: concurrency }, runRemaining))
}

/** Copies the data directory for one step. Returns the environment with the copy. */
function copyOf({ DATA_DIR, ...others }: Environment): Environment {
  const copy = temporaryDirectory()
  cpSync(DATA_DIR!, copy, { recursive: true })
  return { DATA_DIR: copy, ...others }
}

test('a tenant whose creation is killed at any step exists completely or not at all', {
  skip: straceSkipReason,
}, async () => {
  const line = ['tenant', 'create', 'acme']
  const template = { DATA_DIR: temporaryDirectory() }
  await prepare(template)
  const traced = copyOf(template)
  const steps = await recordSteps({ line, environment: traced }, traced.DATA_DIR!)
  await checkSteps(steps, async (step, what) => {
    const settings = copyOf(template)
    const exit = await runAndKill({ line, environment: settings }, step)
    if (exit === 0) assert.equal((await listTenants(settings)).length, 1, withSeed(what))
    await requireCompleteOrAbsent(settings, 'acme')
    await requireServed(settings, 'acme', what)
    rmSync(settings.DATA_DIR!, { recursive: true })
  })
})

test('if an installation is killed at any step, the next start completes it', { skip: straceSkipReason }, async () => {
  const other = createServer().listen(0, '127.0.0.1')
  after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const line = ['serve'] // exits after the installation, since its port is taken
  const newSettings = () => ({ DATA_DIR: join(temporaryDirectory(), 'data'), PORT: String(port), LOG_LEVEL: 'silent' })
  const traced = newSettings()
  const steps = await recordSteps({ line, environment: traced }, traced.DATA_DIR)
  await checkSteps(steps, async (step, what) => {
    const { DATA_DIR } = newSettings()
    await runAndKill({ line, environment: { ...traced, DATA_DIR } }, step)
    const { service, environment } = await startService({ DATA_DIR })
    await service.close()
    await makeTenant(environment, 'acme')
    await requireServed({ DATA_DIR }, 'acme', what)
    rmSync(DATA_DIR, { recursive: true })
  })
})

/** Starts a service, which completes interrupted operations. Asserts that it serves the tenant. */
async function requireServed(settings: Environment, slug: string, what: string): Promise<void> {
  const { service, client } = await startService(settings, { now: inAnHour })
  await requireNoStrayFiles(settings)
  const key = await createKey(settings, slug)
  assert.equal((await client(key)('POST', '/customers.php', { name: 'A' })).status, 201, withSeed(what))
  await service.close()
}

test('a tenant whose deletion is killed at any step exists completely or not at all', {
  skip: straceSkipReason,
}, async () => {
  const line = ['tenant', 'delete', 'acme', '--yes']
  const template = { DATA_DIR: temporaryDirectory() }
  await makeTenant(template, 'other')
  const token = await makeTenant(template, 'acme')
  const traced = copyOf(template)
  const steps = await recordSteps({ line, environment: traced }, traced.DATA_DIR!)
  await checkSteps(steps, async (step, what) => {
    const settings = copyOf(template)
    const exit = await runAndKill({ line, environment: settings }, step)
    const exists = (await listTenants(settings)).some(({ slug }) => slug === 'acme')
    if (exit === 0) assert.ok(!exists, withSeed(what))
    const { service, client } = await startService(settings)
    assert.equal((await client(token)('GET', '/customers.php')).status, exists ? 200 : 401, withSeed(what))
    await requireNoStrayFiles(settings)
    await service.close()
    await requireServed(settings, 'other', what)
    rmSync(settings.DATA_DIR!, { recursive: true })
  })
})

/** The command that revokes a key. */
function revocation(token: string, environment: Environment): TracedRun {
  return { line: ['key', 'revoke', token.slice(4, 14)], environment }
}

/** Asserts that the key is either valid or revoked, that it is revoked if the command succeeded, and that repeating the
 *  command revokes it. */
async function requireRevocable(settings: Environment, keys: Keys, exit: number | null, what: string): Promise<void> {
  const { status, body } = await keys.target('GET', '/customers.php')
  assert.ok(status === 200 || body.error?.code === 'key_revoked', withSeed(`${what}: ${JSON.stringify(body)}`))
  if (exit === 0) assert.equal(status, 401, withSeed(what))
  assert.equal((await keys.other('GET', '/customers.php')).status, 200, withSeed(what))
  assert.equal((await command(settings, ...revocation(keys.token, settings).line)).exitCode, 0, withSeed(what))
  assert.equal((await keys.target('GET', '/customers.php')).body.error?.code, 'key_revoked', withSeed(what))
}

type Keys = { token: string; target: Client; other: Client }

test('a key whose revocation is killed at any step is either valid or revoked', {
  skip: straceSkipReason,
}, async () => {
  const template = { DATA_DIR: temporaryDirectory() }
  const [other, token] = [await makeTenant(template, 'acme'), await createKey(template, 'acme')]
  const traced = copyOf(template)
  const steps = await recordSteps(revocation(token, traced), traced.DATA_DIR!)
  await checkSteps(steps, async (step, what) => {
    const settings = copyOf(template)
    const exit = await runAndKill(revocation(token, settings), step)
    const { service, client } = await startService(settings)
    await requireRevocable(settings, { token, target: client(token), other: client(other) }, exit, what)
    await service.close()
    rmSync(settings.DATA_DIR!, { recursive: true })
  })
})

test('a key whose revocation is killed while a server runs is either valid or revoked', {
  skip: straceSkipReason,
}, async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const other = await makeTenant(settings, 'acme')
  const { client } = await startService(settings)
  const steps = await recordSteps(revocation(await createKey(settings, 'acme'), settings), settings.DATA_DIR)
  await checkSteps(
    steps,
    async (step, what) => {
      const token = await createKey(settings, 'acme')
      const exit = await runAndKill(revocation(token, settings), step)
      await requireRevocable(settings, { token, target: client(token), other: client(other) }, exit, what)
    },
    1,
  )
})

test('a tenant whose migration is killed at any step has the old schema or the new one', {
  skip: straceSkipReason,
}, async () => {
  const template = { DATA_DIR: temporaryDirectory() }
  const [token, other] = [await makeTenant(template, 'old'), await makeTenant(template, 'other')]
  const before = await startService(template)
  const names = Array.from({ length: 20 }, (_, index) => `Ünal ${index}`)
  for (const name of names) await before.client(token)('POST', '/customers.php', { name })
  await before.service.close()
  const old = await schemaOf(await tenantDatabaseOf(template, 'old'))
  const traced = copyOf(template)
  const steps = await recordSteps(await upgrade(traced, token), traced.DATA_DIR!, await filesOf(traced, 'old'))
  const present = await schemaOf(await tenantDatabaseOf(traced, 'old'))
  assert.notDeepEqual(present, old)

  await checkSteps(steps, async (step, what) => {
    const settings = copyOf(template)
    await runAndKill(await upgrade(settings, token), step, await filesOf(settings, 'old'))
    const tenantDatabase = await tenantDatabaseOf(settings, 'old')
    const [{ user_version: version }] = await tenantDatabase.all('pragma user_version')
    assert.deepEqual(
      await schemaOf(tenantDatabase),
      version < nextVersion ? old : present,
      withSeed(`${what}: version ${version}`),
    )
    assert.equal((await tenantDatabase.all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed(what))
    const { service, client } = await startService(settings, { resources: nextResources })
    const found = await client(token)('GET', '/customers.php?q=ÜNAL&limit=200')
    assert.deepEqual(
      found.body.data?.map(({ name }: Json) => name),
      names,
      withSeed(what),
    )
    assert.deepEqual(await schemaOf(tenantDatabase), present, withSeed(what))
    assert.equal((await client(token)('POST', '/customers.php', { name: 'A' })).status, 201, withSeed(what))
    assert.equal((await client(other)('POST', '/customers.php', { name: 'A' })).status, 201, withSeed(what))
    await service.close()
    rmSync(settings.DATA_DIR!, { recursive: true })
  })
})

test("killing a server while it creates a table's deferred indexes leaves either all of them plus the new record, or nothing", {
  skip: straceSkipReason,
}, async () => {
  const template = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(template, 'acme')
  // The service creates deferred indexes when ids reach 2,000. A single record keeps the number of steps low.
  const createdAt = '2026-01-01T00:00:00.000Z'
  await (
    await tenantDatabaseOf(template, 'acme')
  ).run(`insert into customers (id, name, search_text, created_at, updated_at)
    values (1999, 'Name 1998', 'name 1998', '${createdAt}', '${createdAt}');
    update counters set last = 1999 where name = 'customers'`)
  const small = await schemaOf(await tenantDatabaseOf(template, 'acme'))
  const traced = copyOf(template)
  const steps = await recordSteps(await growth(traced, token), traced.DATA_DIR!, await filesOf(traced, 'acme'))
  const large = await schemaOf(await tenantDatabaseOf(traced, 'acme'))
  assert.ok(large.length > small.length)

  await checkSteps(steps, async (step, what) => {
    const settings = copyOf(template)
    await runAndKill(await growth(settings, token), step, await filesOf(settings, 'acme'))
    const tenantDatabase = await tenantDatabaseOf(settings, 'acme')
    const [{ last }] = await tenantDatabase.all('select max(id) as last from customers')
    assert.deepEqual(await schemaOf(tenantDatabase), last === 2000 ? large : small, withSeed(`${what}: ${last}`))
    assert.equal((await tenantDatabase.all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed(what))
    const { service, client } = await startService(settings)
    assert.equal((await client(token)('POST', '/customers.php', { name: 'Name 1998' })).status, 201, withSeed(what))
    const found = await client(token)('GET', '/customers.php?q=name+1998&sort=-name')
    assert.equal(found.body.data?.length, 2, withSeed(what))
    assert.deepEqual(await schemaOf(tenantDatabase), large, withSeed(what))
    await service.close()
    rmSync(settings.DATA_DIR!, { recursive: true })
  })
})

/** Describes a run in which a server creates the 2,000th record. */
async function growth(settings: Environment, token: string): Promise<TracedRun> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: '{"name":"The 2,000th"}' }
  return serving(settings, 'acme', (url) => fetch(`${url}/customers.php`, request))
}

/** Describes a run in which a server of the next version opens a tenant of this version. */
async function upgrade(settings: Environment, token: string): Promise<TracedRun> {
  const headers = { authorization: `Bearer ${token}` }
  const run = await serving(settings, 'old', (url) => fetch(`${url}/customers.php`, { headers }))
  return { ...run, program: 'test/support/versions/serve-next-version.ts' }
}

/** Returns the paths of a tenant's file and of the files that SQLite creates next to it. */
async function filesOf(settings: Environment, slug: string): Promise<string[]> {
  const { id } = await tenantDatabaseOf(settings, slug)
  const path = join(settings.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  return [path, `${path}-wal`, `${path}-shm`]
}

/** Describes a run in which a server receives a request for a tenant, checkpoints the WAL, and shuts down cleanly. */
async function serving(
  settings: Environment,
  slug: string,
  ask: (url: string) => Promise<unknown>,
): Promise<TracedRun> {
  const environment = { PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', ...settings }
  const [, log] = await filesOf(settings, slug)

  async function during(strace: ChildProcess): Promise<void> {
    const url = await readUrl(strace)
    await ask(url).catch(() => {}) // fails if the server is killed
    const isCheckpointed = () => sizeOf(log!) === 0
    const isOver = () => strace.exitCode !== null || strace.signalCode !== null
    for (let round = 0; round < 100 && !isOver() && !isCheckpointed(); round++) await wait(10)
    if (!isOver()) endChild(strace.pid!)
  }

  return { line: ['serve'], environment, during }
}

/** Sends SIGTERM to the process that strace started. */
function endChild(id: number): void {
  try {
    const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8')
    process.kill(Number.parseInt(children, 10), 'SIGTERM')
  } catch {
    // the process has already been killed at its step
  }
}

async function readUrl(strace: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of strace.stderr!.iterator({ destroyOnReturn: false })) {
    text += chunk
    const ready = /API is at ([^\s"]+)/.exec(text)
    if (ready) return ready[1]!
  }
  throw new Error(`the server exited: ${text}`)
}
