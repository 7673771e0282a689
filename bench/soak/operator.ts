// Acts as the operator in a soak test: backs up all tenants, moves tenants, and kills the server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { random } from '../../test/support/faults/exactly-once.ts'
import { fail, type Ledger } from './ledger.ts'
import { program, type SoakServer } from './server.ts'

export type CommandCounts = { backups: number; moves: number }

/** Runs a tenantdesk command. Records a failure and returns false if the command fails. */
export async function runCommand(server: SoakServer, ledger: Ledger, words: string[], input = ''): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, ...server.environment },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-2000)
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) fail(ledger, `tenantdesk ${words.join(' ')} exited with ${code}: ${stderr.trim()}`)
  return code === 0
}

export async function backUpRepeatedly(
  server: SoakServer,
  ledger: Ledger,
  counts: CommandCounts,
  { directory, intervalMs, isOver }: { directory: string; intervalMs: number; isOver: () => boolean },
): Promise<void> {
  while (!isOver()) {
    if (await runCommand(server, ledger, ['backup', '--to', directory, '--since-last', '--keep', '3'])) counts.backups++
    await waitUnless(isOver, intervalMs)
  }
}

/** Moves random tenants to the other database server, and back. */
export async function moveRepeatedly(
  server: SoakServer,
  ledger: Ledger,
  counts: CommandCounts,
  { servers, intervalMs, isOver }: { servers: [string, string]; intervalMs: number; isOver: () => boolean },
): Promise<void> {
  const movedAway = new Set<string>()
  while (!isOver()) {
    const { slug } = ledger.tenants[Math.floor(random() * ledger.tenants.length)]!
    const returning = movedAway.size > 0 && random() < 0.5 ? [...movedAway][0] : undefined
    const tenant = returning ?? slug
    ledger.movingTenants.add(tenant)
    const target = servers[movedAway.has(tenant) ? 0 : 1]
    if (await runCommand(server, ledger, ['tenant', 'move', tenant, '--to', target])) {
      counts.moves++
      if (target === servers[0]) movedAway.delete(tenant)
      else movedAway.add(tenant)
    }
    ledger.movingTenants.delete(tenant)
    await waitUnless(isOver, intervalMs)
  }
}

/** Divides the time into `count` equal parts, and kills the server at a random moment in each part. */
export async function killRepeatedly(server: SoakServer, count: number, withinMs: number): Promise<void> {
  const startedAt = performance.now()
  for (let index = 0; index < count; index++) {
    await wait(Math.max(0, startedAt + ((index + random()) * withinMs) / count - performance.now()))
    await server.crash()
  }
}

/** Waits until the time has passed or `isOver` returns true. */
async function waitUnless(isOver: () => boolean, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  while (performance.now() < end && !isOver()) await wait(100)
}
