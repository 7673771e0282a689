// Kills a server at random moments, repeatedly on the same data: under load, while idle, and while it starts.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { random, requireExactlyOnce, withSeed } from '../../support/faults/exactly-once.ts'
import {
  createTenantLoad,
  isFullRun,
  type LoadProgress,
  requireChangesAppliedOnce,
  runLoadDuring,
  type TenantLoad,
} from '../../support/faults/load.ts'
import { type Environment, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? (isFullRun ? 60 : 1))

test(`after kill -9 at ${rounds} random moments, every change is applied exactly once in every tenant`, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const loads: TenantLoad[] = []
  let server = await startProcess(environment)
  let unanswered = 0
  for (let round = 0; round < rounds; round++) {
    const current = [
      await createTenantLoad(environment, `a-${round}`, 4),
      await createTenantLoad(environment, `b-${round}`, 2),
    ]
    const clientOf = ({ token }: TenantLoad) => networkClient(server.url, token)
    const killed = Promise.withResolvers<void>()
    const kill = async (progress: LoadProgress) => {
      await waitForMoment(progress)
      await server.end('SIGKILL')
      killed.resolve()
    }
    const running = runLoadDuring(current[0]!, clientOf(current[0]!), kill)
    await Promise.all([running, runLoadDuring(current[1]!, clientOf(current[1]!), () => killed.promise)])
    unanswered += current
      .flatMap(({ clients }) => clients.flatMap(({ changes }) => changes))
      .filter(isUnanswered).length
    if (random() < 0.4) await startAndKill(environment)
    server = await startProcess(environment)
    for (const load of current) await requireChangesAppliedOnce(environment, clientOf(load), load)
    loads.push(...current)
  }
  await server.end('SIGKILL')
  for (const { slug, clients: models } of loads) await requireExactlyOnce(environment, slug, models)
  if (rounds >= 10)
    assert.ok(unanswered >= rounds, withSeed(`${unanswered} requests were in flight when the server was killed`))
})

/** Waits for a random moment: before the first response, under load, or shortly after the load. */
async function waitForMoment(progress: LoadProgress): Promise<void> {
  const kind = random()
  if (kind < 0.1) return wait(random() * 50)
  await eventually('clients are sending requests', () => progress.responses >= 3, { everyMs: 1 })
  await wait(random() * 700)
  if (kind > 0.3) return
  progress.isPaused = true
  await wait(random() * 400)
}

function isUnanswered({ response }: { response: unknown }): boolean {
  return response === null
}

/** Kills a server while it starts. */
async function startAndKill(environment: Environment): Promise<void> {
  const options = { env: { ...process.env, PORT: '0', ...environment }, stdio: 'ignore' } as const
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], options)
  await wait(random() * 600)
  child.kill('SIGKILL')
  await once(child, 'exit')
}
