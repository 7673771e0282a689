// The embedded engine with a thousand tenants at work: durable creates beside what the disk allows, measured in the same run.

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Job as LimitJob } from '../baselines/fsync.ts'
import { baselineContender, serversContender, startClients } from '../harness/contenders.ts'
import {
  type Contender,
  type Effort,
  halved,
  measureByTurns,
  type Outcome,
  paceByTurns,
  type Trial,
} from '../harness/measure.ts'
import { type Operation, operations } from '../harness/operations.ts'
import { type Server, startMeter, startNode, startServer, whenIdle } from '../harness/processes.ts'
import { touchAll } from '../harness/seed-over-http.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

/** `openFiles`: what the first of the two services may keep open; the other has the default. */
export type SpreadOutcome = { tenants: number; openFiles: number; outcomes: Outcome[] }

const tenants = 1000
/** All of them, and some room: files are closed before it is full. */
const openFiles = 2 * tenants
const [create, keyed] = [operations[0]!, operations[1]!]
const read: Operation = { name: 'read by id', method: 'GET', paths: [`${create.paths[0]}?id=1`] }
const trialsOf = (operation: Operation, crowds: number[]): Trial[] => {
  return crowds.map((connections) => ({ operation, connections, tenants }))
}
const crowded = trialsOf(create, [64, 256])
const others = [
  ...trialsOf(create, [1, 16]),
  ...[keyed, read].flatMap((operation) => trialsOf(operation, [1, 16, 64, 256])),
]

export async function measureSpread(directory: string, effort: Effort): Promise<SpreadOutcome> {
  mkdirSync(directory)
  await using started = new AsyncDisposableStack()
  const place = (name: string) => join(directory, name)
  const tokens = await makeTenants({ ...serviceSettings, DATA_DIR: place('all') }, tenants)
  for (const name of ['few', 'bare', 'limit']) cpSync(place('all'), place(name), { recursive: true })
  const start = async (name: string, settings: Record<string, string>): Promise<Server> => {
    const environment = { ...serviceSettings, ...settings, DATA_DIR: place(name) }
    const server = started.adopt(await startNode(environment, place(`${name}.log`)), (each) => each.end())
    await touchAll(server.url, tokens)
    return server
  }
  const bareLine = [join(import.meta.dirname, '../baselines/engine-only-threads.ts'), place('bare')]
  const bare = started.adopt(await startServer(bareLine, {}, place('bare.log')), (each) => each.end())
  await touchAll(bare.url, tokens)
  const served = (name: string, server: Server): Contender => {
    return { ...serversContender(name, clients, [server], tokens), rest: () => whenIdle(server) }
  }
  const limit = started.adopt(startMeter<LimitJob>('baselines/fsync.ts', place('limit')), (each) => each.end())
  const clients = started.adopt(startClients(), (each) => each.end())
  const refuses = ({ operation }: Trial) => operation === read // of those that only commit
  const contenders = [
    {
      ...baselineContender<LimitJob>(limit, ({ trial, seconds }) => ({ connections: trial.connections, seconds })),
      refuses,
    },
    { ...served('bare engine', bare), refuses },
    served('service', await start('all', { SQLITE_MAX_OPEN_FILES: String(openFiles) })),
    served('service, few open', await start('few', {})),
  ]
  const byCrowd = await measureByTurns(contenders, crowded, effort)
  const rest = await measureByTurns(contenders, others, halved(effort))
  const outcomes = [...rest.slice(0, 2), ...byCrowd, ...rest.slice(2)] // by operation, from few in flight to many
  await paceByTurns(contenders, outcomes, { ...effort, rounds: 1 })
  return { tenants, openFiles, outcomes }
}
