// Measures the service against the floor, in one run and by turns, so that what else the machine does meets both.
// npm run bench -- [--seconds 3] [--rounds 3] [--connections 64]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import { type Operation, operations } from './operations.ts'
import { type Clients, type Server, startClients, startFloor, startService } from './processes.ts'
import { type Figures, type Row, report } from './report.ts'

type Settings = { seconds: number; rounds: number; connections: number }
type Servers = { floor: Server; service: Server }

/** Before anything is written down, each server has run each operation this long: V8 is still compiling. Seconds. */
const warmUp = 2

const settings = readSettings()
const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-bench-'))
try {
  const { seconds, rounds, connections } = settings
  console.log(`${describeMachine(directory)}; ${connections} connections, ${rounds} rounds of ${seconds} s\n`)
  console.log(report(await run()))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
    },
  })
  const { seconds, rounds, connections } = values
  return { seconds: positive(seconds), rounds: positive(rounds), connections: positive(connections) }
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`An option must be a positive whole number, not ${text}.`)
  return Number(text)
}

async function run(): Promise<Row[]> {
  await using started = new AsyncDisposableStack()
  const clients = started.adopt(startClients(), (each) => each.end())
  const floor = started.adopt(await startFloor(join(directory, 'floor')), (each) => each.end())
  const service = started.adopt(await startService(join(directory, 'service')), (each) => each.end())
  return await measureAll(clients, { floor, service })
}

async function measureAll(clients: Clients, servers: Servers): Promise<Row[]> {
  const sides = ['floor', 'service'] as const
  for (const operation of operations) {
    for (const side of sides) await measure(clients, servers[side], operation, warmUp)
  }
  const rows = operations.map(({ name }): Row => ({ name, floor: [], service: [] }))
  for (let round = 0; round < settings.rounds; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed() // neither always comes first
    for (const [at, operation] of operations.entries()) {
      for (const side of order) {
        rows[at]![side].push(await measure(clients, servers[side], operation, settings.seconds))
      }
    }
  }
  return rows
}

async function measure(clients: Clients, server: Server, operation: Operation, seconds: number): Promise<Figures> {
  const { url, headers } = server
  const before = server.processorTime()
  const measured = await clients.measure({ url, headers, operation, connections: settings.connections, seconds })
  return { ...measured, cost: (server.processorTime() - before) / measured.requests }
}
