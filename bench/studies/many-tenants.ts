// A node with thousands of tenants: how long it takes to create them and to start, the first request to each, and the memory
// after all were used and after their files were closed.
// node bench/studies/many-tenants.ts [--tenants 10000] [--rest]      --rest: waits until unused files are closed

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/context.ts'
import { describeMachine, holdingsOf } from '../harness/machine.ts'
import { startNode } from '../harness/processes.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

const { values: options } = parseArgs({
  options: { tenants: { type: 'string', default: '10000' }, rest: { type: 'boolean', default: false } },
})
const count = Number(options.tenants)

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-tenants-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(directory, { recursive: true, force: true }))
const { node, cores, sync } = describeMachine(join(directory, 'sync'))
console.log(`Node ${node}, ${cores} cores, a commit ${sync.toFixed(1)} ms, ${count} tenants`)

const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
const begun = performance.now()
const tokens = await makeTenants(environment, count)
console.log(`made in ${seconds(begun)} s, ${((performance.now() - begun) / count).toFixed(1)} ms each`)
const starting = performance.now()
const server = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
console.log(`started in ${seconds(starting)} s`)

const order = tokens.map((token) => ({ token, at: Math.random() })).sort((one, other) => one.at - other.at)
const lines: string[][] = [['', 'p50 ms', 'p99 ms', 'max ms', 'MiB', 'open']]
lines.push(['at the start', '', '', '', ...holdings()])
const shape = {
  create: ['POST', '{"name":"Harbour branch"}'],
  read: ['GET', undefined],
  list: ['GET', undefined],
} as const
for (const what of ['create', 'read', 'list', 'create'] as const) {
  const [method, body] = shape[what]
  const path = what === 'read' ? '/customers.php?id=1' : '/customers.php'
  const times: number[] = []
  for (const { token } of order) times.push(await ask(token, method, path, body))
  note(`each tenant: a ${what}`, times)
}
await new Promise((resolve) => setTimeout(resolve, 2000))
lines.push(['two seconds later', '', '', '', ...holdings()])
if (options.rest) {
  await new Promise((resolve) => setTimeout(resolve, 70_000))
  lines.push(['at rest', '', '', '', ...holdings()])
}
console.log(table(lines))

async function ask(token: string, method: string, path: string, body: string | undefined): Promise<number> {
  const start = performance.now()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
  return performance.now() - start
}

function note(what: string, times: number[]): void {
  times.sort((one, other) => one - other)
  const of = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(1)
  lines.push([what, of(0.5), of(0.99), of(1), ...holdings()])
}

function holdings(): string[] {
  const { memory, files } = holdingsOf(server.pid)
  return [memory.toFixed(0), String(files)]
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
