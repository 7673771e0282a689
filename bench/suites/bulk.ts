// Bulk requests: records per second compared with single creates and with the engine alone, and what other requests wait beside
// them.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { serversContender, startClients } from '../harness/contenders.ts'
import type { LoadResult } from '../harness/latencies.ts'
import type { Job } from '../harness/load.ts'
import { type Effort, measureByTurns, type Trial } from '../harness/measure.ts'
import { bulk, bulkSize, type Operation, operations } from '../harness/operations.ts'
import { startBaseline, startLoadProcess, startNode } from '../harness/processes.ts'
import type { Job as QuietJob } from '../harness/quiet-tenant.ts'
import { medians, type Row, toRows } from '../harness/results.ts'
import { makeRecords } from '../harness/seed-over-http.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'
import { tokensByThread } from './fairness.ts'

const latencyNames = ['p50', 'p99'] as const
type Latencies = Record<(typeof latencyNames)[number], number>

/** Requests beside bulk requests, which follow one another without a pause: of their own tenant, or of one on the same writer
 *  thread or another one. */
type Place = 'same tenant' | 'same thread' | 'other thread'
export type Beside = { method: 'GET' | 'POST'; place: Place; alone: Latencies; beside: Latencies }
type Rounds = Pick<Beside, 'method' | 'place'> & { alone: LoadResult[]; beside: LoadResult[] }

export type BulkOutcome = { records: number; operations: Row[]; besides: Beside[] }

const [create, keyedCreate, read] = operations as [Operation, Operation, Operation]

/** Two bulk requests in flight: while the writer applies one, the main thread reads the other. */
const trials: Trial[] = [
  { operation: create, connections: 64, tenants: 1 },
  { operation: keyedCreate, connections: 64, tenants: 1 },
  { operation: bulk, connections: 2, tenants: 1 },
]

export async function measureBulk(directory: string, effort: Effort): Promise<BulkOutcome> {
  mkdirSync(directory)
  return {
    records: bulkSize,
    operations: await compareRates(directory, effort),
    besides: await measureBesides(directory, effort),
  }
}

async function compareRates(directory: string, effort: Effort): Promise<Row[]> {
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'service') }
  await using started = new AsyncDisposableStack()
  const clients = started.adopt(startClients(), (each) => each.end())
  const engine = started.adopt(await startBaseline('engine-only', directory), (each) => each.end())
  const tokens = await makeTenants(environment, 1)
  const node = started.adopt(await startNode(environment, join(directory, 'service.log')), (each) => each.end())
  await Promise.all([makeRecords(engine.url), makeRecords(node.url, tokens[0])])
  const contenders = [
    serversContender('engine only', clients, [engine], []),
    serversContender('service', clients, [node], tokens),
  ]
  return toRows(await measureByTurns(contenders, trials, effort))
}

const cases: Pick<Beside, 'method' | 'place'>[] = [
  { method: 'GET', place: 'same tenant' },
  ...(['same thread', 'other thread'] as const).flatMap((place) => [
    { method: 'GET' as const, place },
    { method: 'POST' as const, place },
  ]),
]

async function measureBesides(directory: string, effort: Effort): Promise<Beside[]> {
  const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'beside') }
  const { loud, same, other } = await tokensByThread(environment)
  const tokens: Record<Place, string> = { 'same tenant': loud, 'same thread': same, 'other thread': other }
  await using started = new AsyncDisposableStack()
  const { url } = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
  const clients = started.adopt(startLoadProcess<Job>('harness/load.ts'), (each) => each.end())
  const caller = started.adopt(startLoadProcess<QuietJob>('harness/quiet-tenant.ts'), (each) => each.end())
  const quietly = ({ method, place }: Pick<Beside, 'method' | 'place'>, seconds: number) =>
    caller.measure({ url, tokens: [tokens[place]], operation: method === 'GET' ? readFirst : create, seconds })
  const loudly = (seconds: number) =>
    clients.measure({ urls: [url], tokens: [loud], operation: bulk, connections: 1, seconds })
  for (const place of ['same tenant', 'same thread', 'other thread'] as const)
    await quietly({ method: 'POST', place }, 1)
  await loudly(2) // V8 is still compiling
  const rounds = cases.map((each): Rounds => ({ ...each, alone: [], beside: [] }))
  for (let round = 0; round < effort.rounds; round++) {
    for (const each of rounds) {
      each.alone.push(await quietly(each, effort.seconds))
      const load = loudly(effort.seconds + 0.5)
      each.beside.push(await quietly(each, effort.seconds))
      await load
    }
  }
  return rounds.map(({ alone, beside, ...quiet }) => ({
    ...{ ...quiet, alone: medians(alone, latencyNames), beside: medians(beside, latencyNames) },
  }))
}

const readFirst: Operation = { ...read, paths: [`${create.paths[0]}?id=1`] }
