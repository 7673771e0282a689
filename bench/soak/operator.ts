// What the operator of a soak test does meanwhile, with commands: back up all tenants, move tenants, and kill the server.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { random } from '../../test/support/exactly-once.ts'
import { fail, type Ledger } from './ledger.ts'
import { program, type SoakServer } from './server.ts'

export type Deeds = { backups: number; moves: number }

/** Runs a command of the program. Returns whether it succeeded. */
export async function runCommand(server: SoakServer, ledger: Ledger, words: string[], input = ''): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...process.env, ...server.environment },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-2000)
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) fail(ledger, `tenantdesk ${words.join(' ')} exits with ${code}: ${said.trim()}`)
  return code === 0
}

export async function backUpRepeatedly(
  server: SoakServer,
  ledger: Ledger,
  deeds: Deeds,
  { directory, everyMs, isOver }: { directory: string; everyMs: number; isOver: () => boolean },
): Promise<void> {
  while (!isOver()) {
    if (await runCommand(server, ledger, ['backup', '--to', directory, '--since-last', '--keep', '3'])) deeds.backups++
    await waitUnless(isOver, everyMs)
  }
}

/** Moves random tenants to the other database server, and back. */
export async function moveRepeatedly(
  server: SoakServer,
  ledger: Ledger,
  deeds: Deeds,
  { between, everyMs, isOver }: { between: [string, string]; everyMs: number; isOver: () => boolean },
): Promise<void> {
  const away = new Set<string>()
  while (!isOver()) {
    const { slug } = ledger.tenants[Math.floor(random() * ledger.tenants.length)]!
    const back = away.size > 0 && random() < 0.5 ? [...away][0] : undefined
    const moved = back ?? slug
    ledger.moving.add(moved)
    const target = between[away.has(moved) ? 0 : 1]
    if (await runCommand(server, ledger, ['tenant', 'move', moved, '--to', target])) {
      deeds.moves++
      if (target === between[0]) away.delete(moved)
      else away.add(moved)
    }
    ledger.moving.delete(moved)
    await waitUnless(isOver, everyMs)
  }
}

/** Kills the server at `count` random moments within that time, one in each of as many parts of it. */
export async function killRepeatedly(server: SoakServer, count: number, withinMs: number): Promise<void> {
  const begun = performance.now()
  for (let at = 0; at < count; at++) {
    await wait(Math.max(0, begun + ((at + random()) * withinMs) / count - performance.now()))
    await server.crash()
  }
}

async function waitUnless(isOver: () => boolean, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  while (performance.now() < end && !isOver()) await wait(100)
}
