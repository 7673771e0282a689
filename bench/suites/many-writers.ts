// Measures the rate of create requests spread over a thousand tenants on SQLite, and compares it with the highest rate
// that the disk allows.

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceOverrides } from '../../src/app/context.ts'
import type { FsyncOptions } from '../baselines/fsync.ts'
import { baselineContender, serversContender, startClients } from '../harness/contenders.ts'
import { type Contender, type Effort, halved, measureInTurn, measureOpenLoop, type Trial } from '../harness/measure.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { type Server, startBaseline, startLoadProcess, startNode } from '../harness/processes.ts'
import { type Row, toRows } from '../harness/rows.ts'
import { createRecordInEach } from '../harness/seed/seed-over-http.ts'
import { seedTenants, serviceSettings } from '../harness/seed/tenants.ts'

/** `openFiles`: how many files the `service` contender keeps open. The `service, few open` contender keeps as many as
 *  the service does by itself. */
export type ManyWritersOutcome = { tenants: number; openFiles: number; rows: Row[] }

const tenants = 1000
/** Twice the number of tenants: each writer thread gets an equal share of the limit, but some threads serve more than
 *  an equal share of the tenants. */
const openFiles = 2 * tenants
const [create, keyed] = [operations[0]!, operations[1]!]
const read: Operation = { name: 'read by id', method: 'GET', paths: [`${create.paths[0]}?id=1`] }
const trialsOf = (operation: Operation, concurrency: number[]): Trial[] =>
  concurrency.map((connections) => ({ operation, connections, tenants }))

export async function measureManyWriters(directory: string, effort: Effort): Promise<ManyWritersOutcome> {
  mkdirSync(directory)
  await using cleanup = new AsyncDisposableStack()
  const pathOf = (name: string) => join(directory, name)
  const tokens = await seedTenants({ ...serviceSettings, DATA_DIR: pathOf('all') }, tenants)
  for (const name of ['few', 'engine-only-threads', 'fsync']) cpSync(pathOf('all'), pathOf(name), { recursive: true })
  const start = async (name: string, overrides?: ServiceOverrides): Promise<Server> => {
    const environment = { ...serviceSettings, DATA_DIR: pathOf(name) }
    const node = await startNode(environment, pathOf(`${name}.log`), overrides && { overrides })
    const server = cleanup.adopt(node, (each) => each.end())
    await createRecordInEach(server.url, tokens)
    return server
  }
  const engine = cleanup.adopt(await startBaseline('engine-only-threads', directory), (each) => each.end())
  await createRecordInEach(engine.url, tokens)
  const fsync = cleanup.adopt(startLoadProcess<FsyncOptions>('baselines/fsync.ts', pathOf('fsync')), (each) =>
    each.end(),
  )
  const clients = cleanup.adopt(startClients(), (each) => each.end())
  const skips = ({ operation }: Trial) => operation === read // the baselines only write
  const contenders: Contender[] = [
    {
      ...baselineContender<FsyncOptions>('fsync only', fsync, ({ connections }, seconds) => ({ connections, seconds })),
      skips,
    },
    { ...serversContender('engine only', clients, [engine], tokens), skips },
    serversContender('service', clients, [await start('all', { openFiles })], tokens),
    serversContender('service, few open', clients, [await start('few')], tokens),
  ]
  const highLoad = await measureInTurn(contenders, trialsOf(create, [64, 256]), effort)
  const otherTrials = [
    ...trialsOf(create, [1, 16]),
    ...[keyed, read].flatMap((operation) => trialsOf(operation, [1, 16, 64, 256])),
  ]
  const otherLoads = await measureInTurn(contenders, otherTrials, halved(effort))
  const outcomes = [...otherLoads.slice(0, 2), ...highLoad, ...otherLoads.slice(2)] // by operation, then by concurrency
  await measureOpenLoop(contenders, outcomes, { ...effort, rounds: 1 })
  return { tenants, openFiles, rows: toRows(outcomes) }
}
