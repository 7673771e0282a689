// Measures requests that are spread over different numbers of tenants. Each number of tenants has its own SQLite node.

import { join } from 'node:path'
import { serversContender, startClients } from '../../harness/contenders.ts'
import { memoryOf } from '../../harness/machine.ts'
import { type Contender, type Effort, measureInTurn } from '../../harness/measure.ts'
import { type Operation, operations } from '../../harness/operations.ts'
import { startNode } from '../../harness/processes.ts'
import { type Row, toRows } from '../../harness/rows.ts'
import { createRecordInEach } from '../../harness/seed/seed-over-http.ts'
import { seedTenants, serviceSettings } from '../../harness/seed/tenants.ts'

/** `memory`: in MiB, measured after startup, after one request to each tenant, and at the end. */
export type NodeFigures = {
  tenants: number
  createSeconds: number
  startSeconds: number
  memory: { started: number; touched: number; loaded: number }
}

export type TenantsOutcome = { openFiles: number; lengthFactor: number; rows: Row[]; nodes: NodeFigures[] }

/** The limit on open files, which is higher than the service's own. Only the last node has more tenants than this, so most requests to that node have to open a
 *  file. */
const openFiles = 2000

/** Rounds are this many times as long as in other suites, because a node first reopens the files that it closed while
 *  other nodes were measured. */
const lengthFactor = 3

const create = operations[0]!
const read: Operation = { name: 'read by id', method: 'GET', paths: [`${create.paths[0]}?id=1`] }

export async function measureTenants(
  directory: string,
  counts: readonly number[],
  effort: Effort,
): Promise<TenantsOutcome> {
  await using cleanup = new AsyncDisposableStack()
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const contenders: Contender[] = []
  const nodes: (NodeFigures & { pid: number })[] = []
  for (const tenants of counts) {
    const environment = {
      ...serviceSettings,
      LOG_LEVEL: 'warn',
      DATA_DIR: join(directory, `tenants-${tenants}`),
    }
    const [tokens, createSeconds] = await timed(() => seedTenants(environment, tenants))
    const [node, startSeconds] = await timed(() =>
      startNode(environment, join(directory, `tenants-${tenants}.log`), { overrides: { openFiles } }),
    )
    cleanup.adopt(node, (each) => each.end())
    const memory = { started: memoryOf(node.pid), touched: Number.NaN, loaded: Number.NaN }
    await createRecordInEach(node.url, tokens)
    memory.touched = memoryOf(node.pid)
    nodes.push({ pid: node.pid, tenants, createSeconds, startSeconds, memory })
    const { name, measure } = serversContender(`${tenants.toLocaleString('en')} tenants`, clients, [node], tokens)
    contenders.push({ name, measure: (trial, seconds) => measure({ ...trial, tenants }, seconds) })
  }
  const trials = [create, read].map((operation) => ({ operation, connections: 64, tenants: 1 }))
  const outcomes = await measureInTurn(contenders, trials, { ...effort, seconds: lengthFactor * effort.seconds })
  for (const { pid, memory } of nodes) memory.loaded = memoryOf(pid)
  return { openFiles, lengthFactor, rows: toRows(outcomes), nodes: nodes.map(({ pid: _, ...figures }) => figures) }
}

async function timed<Result>(callback: () => Promise<Result>): Promise<[result: Result, seconds: number]> {
  const start = performance.now()
  const result = await callback()
  return [result, (performance.now() - start) / 1000]
}
