// What requests cost when they are spread over more and more tenants: a node of the embedded engine for each number of them.

import { join } from 'node:path'
import { serversContender, startClients } from '../../harness/contenders.ts'
import { holdingsOf } from '../../harness/machine.ts'
import { type Contender, type Effort, measureByTurns, type Outcome } from '../../harness/measure.ts'
import { type Operation, operations } from '../../harness/operations.ts'
import { startNode } from '../../harness/processes.ts'
import { touchAll } from '../../harness/seed-over-http.ts'
import { makeTenants, serviceSettings } from '../../harness/tenants.ts'

/** Of a node with so many tenants: seconds in which they were made and it started, MiB when it had started, when each tenant had
 *  been asked once, and after the load. */
export type NodeFigures = {
  tenants: number
  making: number
  starting: number
  memory: { started: number; touched: number; loaded: number }
}

export type TenantsOutcome = { openFiles: number; patience: number; outcomes: Outcome[]; nodes: NodeFigures[] }

/** More than there are tenants, but for the last node: there some are always at rest. */
const openFiles = 2000

/** Rounds are so many times as long as others: files that were closed while another node had its turn are opened first. */
const patience = 3

const create = operations[0]!
const read: Operation = { name: 'read by id', method: 'GET', paths: [`${create.paths[0]}?id=1`] }

export async function measureTenants(
  directory: string,
  counts: readonly number[],
  effort: Effort,
): Promise<TenantsOutcome> {
  await using started = new AsyncDisposableStack()
  const clients = started.adopt(startClients(), (each) => each.end())
  const contenders: Contender[] = []
  const nodes: (NodeFigures & { pid: number })[] = []
  for (const tenants of counts) {
    const environment = {
      ...{ ...serviceSettings, LOG_LEVEL: 'warn', SQLITE_MAX_OPEN_FILES: String(openFiles) },
      DATA_DIR: join(directory, `tenants-${tenants}`),
    }
    const [tokens, making] = await timed(() => makeTenants(environment, tenants))
    const [node, starting] = await timed(() => startNode(environment, join(directory, `tenants-${tenants}.log`)))
    started.adopt(node, (each) => each.end())
    const memory = { started: holdingsOf(node.pid).memory, touched: Number.NaN, loaded: Number.NaN }
    await touchAll(node.url, tokens)
    memory.touched = holdingsOf(node.pid).memory
    nodes.push({ pid: node.pid, tenants, making, starting, memory })
    const { name, measure } = serversContender(`${tenants.toLocaleString('en')} tenants`, clients, [node], tokens)
    contenders.push({ name, measure: (trial, seconds) => measure({ ...trial, tenants }, seconds) })
  }
  const trials = [create, read].map((operation) => ({ operation, connections: 64, tenants: 1 }))
  const outcomes = await measureByTurns(contenders, trials, { ...effort, seconds: patience * effort.seconds })
  for (const { pid, memory } of nodes) memory.loaded = holdingsOf(pid).memory
  return { openFiles, patience, outcomes, nodes: nodes.map(({ pid: _, ...figures }) => figures) }
}

async function timed<Result>(work: () => Promise<Result>): Promise<[result: Result, seconds: number]> {
  const begun = performance.now()
  const result = await work()
  return [result, (performance.now() - begun) / 1000]
}
