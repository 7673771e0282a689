// SQLite with creates spread over a thousand tenants, against what the disk allows.

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Job as FsyncJob } from '../baselines/fsync.ts'
import { baselineContender, serversContender, startClients } from '../harness/contenders.ts'
import { type Contender, type Effort, halved, measureByTurns, measureOpenLoop, type Trial } from '../harness/measure.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { type Server, startBaseline, startLoadProcess, startNode } from '../harness/processes.ts'
import { type Row, toRows } from '../harness/results.ts'
import { touchAll } from '../harness/seed-over-http.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

/** `openFiles`: SQLITE_MAX_OPEN_FILES of the first of the two services; the other has the default. */
export type ManyWritersOutcome = { tenants: number; openFiles: number; rows: Row[] }

const tenants = 1000
/** More than there are tenants, since files are closed before the limit is reached. */
const openFiles = 2 * tenants
const [create, keyed] = [operations[0]!, operations[1]!]
const read: Operation = { name: 'read by id', method: 'GET', paths: [`${create.paths[0]}?id=1`] }
const trialsOf = (operation: Operation, concurrency: number[]): Trial[] =>
  concurrency.map((connections) => ({ operation, connections, tenants }))

export async function measureManyWriters(directory: string, effort: Effort): Promise<ManyWritersOutcome> {
  mkdirSync(directory)
  await using started = new AsyncDisposableStack()
  const place = (name: string) => join(directory, name)
  const tokens = await makeTenants({ ...serviceSettings, DATA_DIR: place('all') }, tenants)
  for (const name of ['few', 'engine-only-threads', 'fsync']) cpSync(place('all'), place(name), { recursive: true })
  const start = async (name: string, settings: Record<string, string>): Promise<Server> => {
    const environment = { ...serviceSettings, ...settings, DATA_DIR: place(name) }
    const server = started.adopt(await startNode(environment, place(`${name}.log`)), (each) => each.end())
    await touchAll(server.url, tokens)
    return server
  }
  const engine = started.adopt(await startBaseline('engine-only-threads', directory), (each) => each.end())
  await touchAll(engine.url, tokens)
  const fsync = started.adopt(startLoadProcess<FsyncJob>('baselines/fsync.ts', place('fsync')), (each) => each.end())
  const clients = started.adopt(startClients(), (each) => each.end())
  const skips = ({ operation }: Trial) => operation === read // for baselines that only write
  const contenders: Contender[] = [
    {
      ...baselineContender<FsyncJob>('fsync only', fsync, ({ connections }, seconds) => ({ connections, seconds })),
      skips,
    },
    { ...serversContender('engine only', clients, [engine], tokens), skips },
    serversContender('service', clients, [await start('all', { SQLITE_MAX_OPEN_FILES: String(openFiles) })], tokens),
    serversContender('service, few open', clients, [await start('few', {})], tokens),
  ]
  const first = await measureByTurns(contenders, trialsOf(create, [64, 256]), effort)
  const others = [
    ...trialsOf(create, [1, 16]),
    ...[keyed, read].flatMap((operation) => trialsOf(operation, [1, 16, 64, 256])),
  ]
  const rest = await measureByTurns(contenders, others, halved(effort))
  const outcomes = [...rest.slice(0, 2), ...first, ...rest.slice(2)] // by operation, then by concurrency
  await measureOpenLoop(contenders, outcomes, { ...effort, rounds: 1 })
  return { tenants, openFiles, rows: toRows(outcomes) }
}
