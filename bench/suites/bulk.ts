// Measures how many records per second are created by bulk requests, by single requests and by the engine alone. Also
// measures the latencies of other requests while bulk requests run.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { serversContender, startClients } from '../harness/contenders.ts'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { LoadOptions } from '../harness/load/load.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import { type Effort, measureInTurn, type Trial } from '../harness/measure.ts'
import { bulk, bulkSize, type Operation, operations } from '../harness/operations.ts'
import { startBaseline, startLoadProcess, startNode } from '../harness/processes.ts'
import { medians, type Row, toRows } from '../harness/rows.ts'
import { seedRecords } from '../harness/seed/seed-over-http.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'
import { tokensByThread } from './fairness.ts'

const latencyNames = ['p50', 'p99'] as const
type Latencies = Record<(typeof latencyNames)[number], number>

/** Where the other requests go: to the tenant that receives the bulk requests, or to another tenant, on the same writer
 *  thread or on a different one. */
type Place = 'same tenant' | 'same thread' | 'other thread'
/** Latencies of single requests, without other load and while bulk requests run back to back. */
export type OtherRequests = { method: 'GET' | 'POST'; place: Place; alone: Latencies; underLoad: Latencies }
type Rounds = Pick<OtherRequests, 'method' | 'place'> & { alone: LoadResult[]; underLoad: LoadResult[] }

export type BulkOutcome = { records: number; operations: Row[]; otherRequests: OtherRequests[] }

const [create, keyedCreate, read] = operations as [Operation, Operation, Operation]

/** Two bulk requests are in flight, so that the main thread reads one while the writer applies the other. */
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
    otherRequests: await measureOtherRequests(directory, effort),
  }
}

async function compareRates(directory: string, effort: Effort): Promise<Row[]> {
  const environment = { ...serviceSettings, DATA_DIR: join(directory, 'service') }
  await using cleanup = new AsyncDisposableStack()
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const engine = cleanup.adopt(await startBaseline('engine-only', directory), (each) => each.end())
  const tokens = await seedTenants(environment, 1)
  const node = cleanup.adopt(await startNode(environment, join(directory, 'service.log')), (each) => each.end())
  await Promise.all([seedRecords(engine.url), seedRecords(node.url, tokens[0])])
  const contenders = [
    serversContender('engine only', clients, [engine], []),
    serversContender('service', clients, [node], tokens),
  ]
  return toRows(await measureInTurn(contenders, trials, effort))
}

const cases: Pick<OtherRequests, 'method' | 'place'>[] = [
  { method: 'GET', place: 'same tenant' },
  ...(['same thread', 'other thread'] as const).flatMap((place) => [
    { method: 'GET' as const, place },
    { method: 'POST' as const, place },
  ]),
]

async function measureOtherRequests(directory: string, effort: Effort): Promise<OtherRequests[]> {
  const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'other-requests') }
  const byThread = await tokensByThread(environment)
  const tokens: Record<Place, string> = {
    'same tenant': byThread.neighbour,
    'same thread': byThread.same,
    'other thread': byThread.other,
  }
  await using cleanup = new AsyncDisposableStack()
  const { url } = cleanup.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
  const clients = cleanup.adopt(startLoadProcess<LoadOptions>('harness/load/load.ts'), (each) => each.end())
  const caller = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  const sendSingle = ({ method, place }: Pick<OtherRequests, 'method' | 'place'>, seconds: number) =>
    caller.measure({ url, tokens: [tokens[place]], operation: method === 'GET' ? readFirst : create, seconds })
  const sendBulk = (seconds: number) =>
    clients.measure({ urls: [url], tokens: [tokens['same tenant']], operation: bulk, connections: 1, seconds })
  for (const place of ['same tenant', 'same thread', 'other thread'] as const)
    await sendSingle({ method: 'POST', place }, 1)
  await sendBulk(2) // a warm-up, because V8 is still compiling
  const rounds = cases.map((each): Rounds => ({ ...each, alone: [], underLoad: [] }))
  for (let round = 0; round < effort.rounds; round++) {
    for (const each of rounds) {
      each.alone.push(await sendSingle(each, effort.seconds))
      const load = sendBulk(effort.seconds + 0.5)
      each.underLoad.push(await sendSingle(each, effort.seconds))
      await load
    }
  }
  return rounds.map(({ alone, underLoad, ...each }) => ({
    ...each,
    alone: medians(alone, latencyNames),
    underLoad: medians(underLoad, latencyNames),
  }))
}

const readFirst: Operation = { ...read, paths: [`${create.paths[0]}?id=1`] }
