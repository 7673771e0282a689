// kill -9 at random moments, again and again on the same data: at work, at rest, while a server starts.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { random, requireExactlyOnce, withSeed } from '../support/exactly-once.ts'
import {
  createTenantLoad,
  isFull,
  type LoadResult,
  requireChangesAppliedOnce,
  runLoadDuring,
  type TenantLoad,
} from '../support/load.ts'
import { type Environment, networkClient, startProcess, temporaryDirectory } from '../support/service.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? (isFull ? 60 : 1))

test(`kill -9 at ${rounds} moments: every change is there exactly once, in every tenant`, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const crews: TenantLoad[] = []
  let server = await startProcess(environment)
  let unanswered = 0
  for (let round = 0; round < rounds; round++) {
    const present = [
      await createTenantLoad(environment, `a-${round}`, 4),
      await createTenantLoad(environment, `b-${round}`, 2),
    ]
    const clientOf = ({ token }: TenantLoad) => networkClient(server.url, token)
    const killed = Promise.withResolvers<void>()
    const kill = async (course: LoadResult) => {
      await awaitMoment(course)
      await server.end('SIGKILL')
      killed.resolve()
    }
    const working = runLoadDuring(present[0]!, clientOf(present[0]!), kill)
    await Promise.all([working, runLoadDuring(present[1]!, clientOf(present[1]!), () => killed.promise)])
    unanswered += present
      .flatMap(({ clients }) => clients.flatMap(({ changes }) => changes))
      .filter(isUnanswered).length
    if (random() < 0.4) await startAndKill(environment)
    server = await startProcess(environment)
    for (const crew of present) await requireChangesAppliedOnce(environment, clientOf(crew), crew)
    crews.push(...present)
  }
  await server.end('SIGKILL')
  for (const { slug, clients: workers } of crews) await requireExactlyOnce(environment, slug, workers)
  if (rounds >= 10) assert.ok(unanswered >= rounds, withSeed(`the kills met ${unanswered} requests`))
})

/** Before the first answer, at work, or a little after it. */
async function awaitMoment(course: LoadResult): Promise<void> {
  const kind = random()
  if (kind < 0.1) return wait(random() * 50)
  await eventually('clients are at work', () => course.answered >= 3, { everyMs: 1 })
  await wait(random() * 700)
  if (kind > 0.3) return
  course.isPaused = true
  await wait(random() * 400)
}

function isUnanswered({ answer }: { answer: unknown }): boolean {
  return answer === null
}

/** A start that does not come to its end. */
async function startAndKill(environment: Environment): Promise<void> {
  const options = { env: { ...process.env, PORT: '0', ...environment }, stdio: 'ignore' } as const
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], options)
  await wait(random() * 600)
  child.kill('SIGKILL')
  await once(child, 'exit')
}
