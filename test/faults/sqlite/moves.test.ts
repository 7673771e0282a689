// Moves a tenant from its file to PostgreSQL and back while clients write, and kills the server and commands. When the
// tenant moves back, its new file has the old file's name. The WAL of one file must never be used with the other.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { listTenants, requireNoStrayFiles } from '../../support/faults/complete-tenants.ts'
import { random, requireExactlyOnce, withSeed } from '../../support/faults/exactly-once.ts'
import {
  createTenantLoad,
  isFullRun,
  requireChangesAppliedOnce,
  runLoadDuring,
  type TenantLoad,
} from '../../support/faults/load.ts'
import { startPostgres } from '../../support/postgres.ts'
import { scratch } from '../../support/scratch.ts'
import { command, type Json, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? (isFullRun ? 200 : 1))

/** The numbers of move commands and servers killed so far. */
const killed = { commands: 0, servers: 0 }

test(`while tenants move to PostgreSQL and back under writes and kill -9, every change is applied exactly once (${rounds} rounds)`, async () => {
  const postgres = await startPostgres(['-c', 'fsync=off'], undefined, scratch) // the test does not kill PostgreSQL
  after(postgres.remove)
  const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  const added = await command(environment, 'server', 'add', 'away', `${postgres.url}/postgres`)
  assert.equal(added.exitCode, 0, added.stderr)
  const server = await startProcess(environment)
  const loads: TenantLoad[] = []
  const endedLeases: string[] = []

  for (let round = 0; round < rounds; round++) {
    const load = await createTenantLoad(environment, `moving-${round}`, 3)
    const client = networkClient(server.url, load.token)
    const { responses: answered } = await runLoadDuring(load, client, async (progress) => {
      for (const to of ['away', 'sqlite']) {
        const before = progress.responses
        await eventually('clients write', () => progress.responses >= before + 5, { withinMs: 60_000 })
        await Promise.all([moveUntilDone(load.slug, to), random() < 0.3 && crash()])
      }
      await wait(random() * 500)
    })
    if (random() < 0.5) await crash()
    await requireChangesAppliedOnce(environment, client, load)
    loads.push(load)
    if (isFullRun) console.log(`${round + 1}: ${answered} changes; killed so far: ${JSON.stringify(killed)}`)
  }

  await server.end('SIGKILL')
  for (const { slug, clients: models } of loads) await requireExactlyOnce(environment, slug, models)
  await requireNoStrayFiles(environment)
  if (rounds >= 20) assert.ok(killed.commands >= rounds / 4 && killed.servers >= rounds / 4, JSON.stringify(killed))

  async function crash(): Promise<void> {
    await wait(random() * 1500)
    await server.crash(0)
    killed.servers++
  }

  /** Runs move commands, and kills some of them, until the tenant has moved. */
  async function moveUntilDone(slug: string, to: string): Promise<void> {
    const end = performance.now() + 120_000 // the lease of a move that a killed server was finishing lasts 30 s
    while ((await serverOf(slug)) !== to) {
      assert.ok(performance.now() < end, withSeed(`${slug} has not moved to ${to}`))
      if (random() < 0.4) await moveAndKill(slug, to)
      else await once(start(slug, to), 'exit')
    }
  }

  async function serverOf(slug: string): Promise<string> {
    return (await listTenants(environment)).find((each: Json) => each.slug === slug).server
  }

  function start(slug: string, to: string) {
    const env = { ...process.env, ...environment }
    return spawn(process.execPath, ['src/main.ts', 'tenant', 'move', slug, '--to', to], { env, stdio: 'ignore' })
  }

  /** Kills a command during a move, and expires the move's lease at once. */
  async function moveAndKill(slug: string, to: string): Promise<void> {
    const before = leaseOf(slug)
    const child = start(slug, to)
    const ended = once(child, 'exit')
    const hasBegun = () => child.exitCode !== null || ![undefined, ...endedLeases].includes(leaseOf(slug))
    await eventually(withSeed(`${slug} is being moved`), hasBegun, { withinMs: 60_000, everyMs: 2 })
    await wait(random() * 250)
    child.kill('SIGKILL')
    await ended
    if (child.signalCode !== 'SIGKILL') return
    killed.commands++
    if (before !== undefined) await wait(2000) // the server may still be finishing the previous move
    const lease = leaseOf(slug)
    if (lease === undefined) return
    endedLeases.push(lease)
    inCatalog((catalog) =>
      catalog.prepare(`update tenant_moves set lease_expires_at = '2000-01-01' where token = ?`).run(lease),
    )
  }

  /** The lease token for the tenant's move. */
  function leaseOf(slug: string): string | undefined {
    const sql = 'select token from tenant_moves join tenants on tenants.id = tenant_moves.tenant_id where slug = ?'
    return inCatalog((catalog) => catalog.prepare(sql).get(slug)?.token as string | undefined)
  }

  function inCatalog<T>(work: (catalog: DatabaseSync) => T): T {
    const catalog = new DatabaseSync(join(environment.DATA_DIR, 'catalog.sqlite'), { timeout: 5000 })
    try {
      return work(catalog)
    } finally {
      catalog.close()
    }
  }
})
