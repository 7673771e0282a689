import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { query } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { requireCompleteOrAbsent, requireNoStrayFiles } from '../support/faults/complete-tenants.ts'
import {
  createClientModels,
  random,
  requireExactlyOnce,
  resendAll,
  sendUntilServerIsGone,
  withSeed,
} from '../support/faults/exactly-once.ts'
import { filesIn } from '../support/faults/files.ts'
import { isFullRun } from '../support/faults/load.ts'
import {
  createKey,
  type Environment,
  engine,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

test('after kill -9 under load, every change is applied exactly once, and every retry receives the first response', async () => {
  const DATA_DIR = temporaryDirectory()
  const token = await makeTenant({ DATA_DIR }, 'acme')
  const models = createClientModels(6)
  const changes = () => models.flatMap((model) => model.changes)
  let unanswered = 0
  const kills = engine === 'sqlite' || isFullRun ? 4 : 2 // on PostgreSQL, postgres/crash.test.ts also kills nodes
  for (let kill = 0; kill < kills; kill++) {
    const server = await startProcess({ DATA_DIR }, { nodes: 1 }) // postgres/crash.test.ts kills one of several nodes
    const client = networkClient(server.url, token)
    await Promise.all(models.map((model) => resendAll(client, model)))
    const working = Promise.all(models.map((model) => sendUntilServerIsGone(client, model)))
    const enough = changes().length + 20 + random() * 60
    await eventually('clients are sending changes', () => changes().length >= enough, { everyMs: 1 })
    await wait(random() * 10) // so that the kill comes at a random moment
    await server.end('SIGKILL')
    await working
    unanswered += changes().filter(({ response }) => !response).length
  }
  assert.ok(unanswered >= kills, withSeed('at least one request per kill has no response'))
  const server = await startProcess({ DATA_DIR }, { nodes: 1 })
  await Promise.all(models.map((model) => resendAll(networkClient(server.url, token), model)))
  await server.end('SIGKILL')
  await requireExactlyOnce({ DATA_DIR }, 'acme', models)
})

/** Creates a tenant in a separate process, and kills the process once `moment` returns true. Returns false if the
 *  process exited before that. */
async function createAndKill(settings: Environment, slug: string, moment: () => Promise<boolean>): Promise<boolean> {
  const child = spawn(process.execPath, ['src/main.ts', 'tenant', 'create', slug], {
    env: { ...process.env, ...(await withEngineUrl(settings)) },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await eventually('the kill is due, or the process has exited', async () => child.exitCode !== null || moment(), {
    everyMs: 1,
  })
  child.kill('SIGKILL')
  await ended
  return child.signalCode === 'SIGKILL'
}

/** Patterns that match the files, schemas or `tenants` rows that appear, in this order, while a tenant is created. */
const steps = {
  sqlite: [/^catalog\.sqlite$/, /\.new$/, /\.new-journal$/, /\.new-wal$/, /\/\w{20}\.sqlite$/],
  postgres: [/^schema tenantdesk$/, /^creating/, /^schema t_/, /^active/],
}[engine]

/** Lists the files that exist so far or, on PostgreSQL, the schemas and the rows of the `tenants` table. */
async function listStoredItems(settings: Environment): Promise<string[]> {
  const { DATA_DIR, DATABASE_URL } = await withEngineUrl(settings)
  if (!DATABASE_URL) return filesIn(DATA_DIR!).map((path) => path.slice(DATA_DIR!.length + 1))
  const schemas = await query(DATABASE_URL, 'tenantdesk', `select 'schema ' || nspname as item from pg_namespace`)
  const rows = await query(DATABASE_URL, 'tenantdesk', `select state || id as item from tenants`).catch(() => [])
  return [...schemas, ...rows].map(({ item }) => item)
}

test('a tenant whose creation is killed exists completely or not at all', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const slugs: string[] = []
  let killed = 0
  async function createAndCheck(moment: () => Promise<boolean>): Promise<void> {
    const slug = `tenant-${slugs.length}`
    slugs.push(slug)
    if (await createAndKill(settings, slug, moment)) killed++
    await requireCompleteOrAbsent(settings, slug)
  }

  for (const step of steps) {
    const before = new Set(await listStoredItems(settings))
    await createAndCheck(async () =>
      (await listStoredItems(settings)).some((item) => !before.has(item) && step.test(item)),
    )
  }
  const delays = Array.from({ length: 4 }, () => random() * 600)
  await Promise.all(
    delays.map((delay) => {
      const end = Date.now() + delay
      return createAndCheck(async () => Date.now() >= end)
    }),
  )
  assert.ok(killed >= 4, withSeed(`only ${killed} of ${slugs.length} creations were killed`))

  const inAnHour = () => new Date(Date.now() + 60 * 60 * 1000)
  const service = await startService(settings, { now: inAnHour })
  for (const slug of slugs) {
    const client = service.client(await createKey(settings, slug))
    assert.equal((await client('POST', '/customers.php', { name: slug })).status, 201, withSeed(slug))
  }
  await requireNoStrayFiles(settings)
})
