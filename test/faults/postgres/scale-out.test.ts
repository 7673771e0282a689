// An installation grows from SQLite to three nodes on PostgreSQL while clients write: copy the catalog, restart, move
// all tenants, add nodes. No client needs a new key, and every change is applied exactly once.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { listTenants } from '../../support/faults/complete-tenants.ts'
import { filesIn } from '../../support/faults/files.ts'
import {
  createTenantLoad,
  isFullRun,
  type LoadProgress,
  requireChangesAppliedOnce,
  runLoadDuring,
} from '../../support/faults/load.ts'
import { runProgram } from '../../support/program.ts'
import { startBalancer } from '../../support/servers/balancer.ts'
import {
  command,
  type Environment,
  type Json,
  networkClient,
  startProcess,
  temporaryDirectory,
  withEngineUrl,
} from '../../support/service.ts'

const count = isFullRun ? 50 : 4

test(`an installation with ${count} tenants grows from SQLite to three nodes on PostgreSQL under load; all keys stay valid and no change is lost`, async () => {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const before = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  const after = { ...before, DATABASE_URL }
  const loads = []
  for (let index = 0; index < count; index++) loads.push(await createTenantLoad(before, `tenant-${index}`, 1))
  const keys = await keysOf(before)
  const first = await startProcess(before)
  const nodes = [first.url]
  const ports = [portOf(first.url)]
  const url = new URL(first.url)
  url.port = String(await startBalancer(ports))
  const clientOf = (token: string) => networkClient(url.href, token)

  const progresses: LoadProgress[] = []
  const finished = Promise.withResolvers<void>()
  const running = loads.map((load) =>
    runLoadDuring(load, clientOf(load.token), async (progress) => {
      progresses.push(progress)
      await finished.promise
    }),
  )
  /** Waits until every tenant has received two more responses. */
  async function waitUntilServed(): Promise<void> {
    const countsBefore = progresses.map(({ responses }) => responses)
    const hasMore = () => progresses.every(({ responses }, index) => responses >= countsBefore[index]! + 2)
    await eventually('every tenant is served', hasMore, { withinMs: 120_000 })
  }

  try {
    await eventually('every tenant has a client', () => progresses.length === count)
    await waitUntilServed()
    const closedAt = performance.now()
    const copied = await runProgram(before, 'catalog copy --to -', `${DATABASE_URL}\n`)
    assert.equal(copied.exitCode, 0, copied.stderr)
    if (isFullRun) console.log(copied.stderr)
    await first.end('SIGTERM')
    await startProcess({ ...after, PORT: String(ports[0]) }, { nodes: 1 })
    if (isFullRun)
      console.log(`from the start of the copy to the first node: ${Math.round(performance.now() - closedAt)} ms`)
    await waitUntilServed()
    const moved = await command(after, 'tenant', 'move', '--all', '--to', 'main', '--at-once', '3', '--json')
    assert.deepEqual([moved.exitCode, JSON.parse(moved.stdout).length], [0, count], moved.stderr)
    if (isFullRun) console.log(moved.stderr)
    const API_KEY_PEPPER = readFileSync(join(before.DATA_DIR, 'pepper'), 'utf8').trim()
    for (let index = 0; index < 2; index++) {
      const settings = { DATA_DIR: temporaryDirectory(), DATABASE_URL, API_KEY_PEPPER }
      nodes.push((await startProcess(settings, { nodes: 1 })).url)
    }
    ports.push(...nodes.slice(1).map(portOf))
    await waitUntilServed()
  } finally {
    finished.resolve()
  }
  await Promise.all(running)

  for (const load of loads) await requireChangesAppliedOnce(after, clientOf(load.token), load)
  for (const node of nodes)
    for (const { token } of loads)
      assert.equal((await networkClient(node, token)('GET', '/customers.php')).status, 200, node)
  assert.deepEqual(await keysOf(after), keys)
  assert.deepEqual(new Set((await listTenants(after)).map(({ server }: Json) => server)), new Set(['main']))
  assert.deepEqual(filesIn(join(before.DATA_DIR, 'tenants')), [])
})

function portOf(url: string): number {
  return Number(new URL(url).port)
}

/** The ids of all API keys. */
async function keysOf(environment: Environment): Promise<string[]> {
  const ids = []
  for (let index = 0; index < count; index++) {
    const { stdout } = await command(environment, 'key', 'list', `tenant-${index}`, '--json')
    ids.push(...JSON.parse(stdout).map(({ id }: Json) => id))
  }
  return ids
}
