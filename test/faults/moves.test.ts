// A tenant that moves away from its file and back while clients write, with kill -9 of the server and of the command that
// moves it: the new file has the name of the old one, and what belongs to which must not be mixed up.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { startPostgres } from '../postgres.ts'
import { scratch } from '../scratch.ts'
import { command, type Json, networkClient, startProcess, temporaryDirectory } from '../service.ts'
import { listTenants, requireNothingStray } from '../storage/whole.ts'
import { random, requireExactlyOnce, said } from '../storage/wishes.ts'
import { type Crew, isFull, newCrew, settle, workDuring } from './load.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? (isFull ? 200 : 1))

/** How often something was killed at work: a command that moved a tenant, the server. */
const killed = { commands: 0, servers: 0 }

test(`a tenant moves away and back ${rounds} times under writes and kill -9: every change is there exactly once`, async () => {
  const postgres = await startPostgres(['-c', 'fsync=off'], undefined, scratch) // it is not what is killed
  after(postgres.remove)
  const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  const added = await command(environment, 'server', 'add', 'away', `${postgres.url}/postgres`)
  assert.equal(added.exit, 0, added.said)
  const server = await startProcess(environment)
  const crews: Crew[] = []

  for (let round = 0; round < rounds; round++) {
    const crew = await newCrew(environment, `moving-${round}`, 3)
    const client = networkClient(server.url, crew.token)
    const { done } = await workDuring(crew, client, async (course) => {
      for (const to of ['away', 'sqlite']) {
        const before = course.done
        await eventually('clients write', () => course.done >= before + 5, { withinMs: 60_000 })
        await Promise.all([arrive(crew.slug, to), random() < 0.3 && crash()])
      }
      await wait(random() * 500)
    })
    if (random() < 0.5) await crash()
    await settle(environment, client, crew)
    crews.push(crew)
    if (isFull) console.log(`${round + 1}: ${done} changes; killed so far: ${JSON.stringify(killed)}`)
  }

  await server.end('SIGKILL')
  for (const { slug, workers } of crews) await requireExactlyOnce(environment, slug, workers)
  await requireNothingStray(environment)
  if (rounds >= 20) assert.ok(killed.commands >= rounds / 4 && killed.servers >= rounds / 4, JSON.stringify(killed))

  async function crash(): Promise<void> {
    await wait(random() * 1500)
    await server.crash(0)
    killed.servers++
  }

  /** Moves the tenant by commands of which some are killed, until it is there. */
  async function arrive(slug: string, to: string): Promise<void> {
    for (let attempt = 0; (await serverOf(slug)) !== to; attempt++) {
      assert.ok(attempt < 20, said(`${slug} does not arrive at ${to}`))
      if (random() < 0.4) await moveAndKill(slug, to)
      else await move(slug, to)
      endLeases()
    }
  }

  async function serverOf(slug: string): Promise<string> {
    return (await listTenants(environment)).find((each: Json) => each.slug === slug).server
  }

  function start(slug: string, to: string) {
    const env = { ...process.env, ...environment }
    return spawn(process.execPath, ['src/main.ts', 'tenant', 'move', slug, '--to', to], { env, stdio: 'ignore' })
  }

  async function move(slug: string, to: string): Promise<void> {
    await once(start(slug, to), 'exit')
  }

  /** Most of its time goes into the start of the process: the moment is counted from when the move is on. */
  async function moveAndKill(slug: string, to: string): Promise<void> {
    const child = start(slug, to)
    const ended = once(child, 'exit')
    const isOn = () => child.exitCode !== null || isMoving(slug)
    await eventually(`${slug} is being moved`, isOn, { withinMs: 60_000, everyMs: 2 })
    await wait(random() * 250)
    child.kill('SIGKILL')
    await ended
    if (child.signalCode === 'SIGKILL') killed.commands++
  }

  function isMoving(slug: string): boolean {
    const sql = 'select 1 from moves join tenants on tenants.id = moves.tenant_id where slug = ?'
    return inCatalog((catalog) => catalog.prepare(sql).get(slug) !== undefined)
  }

  /** As if the lease of a killed command had ended by itself. */
  function endLeases(): void {
    inCatalog((catalog) => catalog.exec(`update moves set until = '2000-01-01'`))
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
