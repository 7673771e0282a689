// How long a quiet tenant waits beside one at full load: alone, on the same worker, on another one, in turns.

import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { threadIndexFor, writersFor } from '../../src/storage/sqlite/threads/thread.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import type { Measured } from '../harness/latencies.ts'
import type { Job } from '../harness/load.ts'
import type { Effort } from '../harness/measure.ts'
import { fullScan, type Operation, operations } from '../harness/operations.ts'
import { startMeter, startNode } from '../harness/processes.ts'
import type { Job as QuietJob } from '../harness/quiet-tenant.ts'
import { makeTenants, serviceSettings, tenantSlug } from '../harness/tenants.ts'

/** What the quiet tenant asked for, on the `same` worker as the loud one or on another; its rounds alone and beside it. */
export type Quiet = {
  load: string
  method: 'GET' | 'POST'
  place: 'same' | 'other'
  alone: Measured[]
  beside: Measured[]
  loud: Measured[]
}

export type FairnessOutcome = { connections: number; seconds: number; quiet: Quiet[] }

/** Of the loud tenant. */
const connections = 64

/** So many tenants that some are on each worker. */
const tenants = 24

/** What the loud tenant does. Its lists read all that it has written. */
const loads: Operation[] = [operations[0]!, fullScan]

const quietOperations: Record<Quiet['method'], Operation> = {
  GET: { ...operations[2]!, paths: [`${operations[0]!.paths[0]}?id=1`] },
  POST: operations[0]!,
}

type Callers = { loudly(load: Operation, seconds: number): Promise<Measured>; quietly: Quietly }
type Quietly = (place: Quiet['place'], method: Quiet['method'], seconds: number) => Promise<Measured>

export async function measureFairness(directory: string, effort: Effort): Promise<FairnessOutcome> {
  mkdirSync(directory)
  const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
  const tokens = await placedTokens(environment)
  await using started = new AsyncDisposableStack()
  const server = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
  const clients = started.adopt(startMeter<Job>('harness/load.ts'), (each) => each.end())
  const caller = started.adopt(startMeter<QuietJob>('harness/quiet-tenant.ts'), (each) => each.end())
  const callers: Callers = {
    loudly: (operation, seconds) =>
      clients.measure({ urls: [server.url], tokens: [tokens.loud], operation, connections, seconds }),
    quietly: (place, method, seconds) =>
      caller.measure({ url: server.url, tokens: [tokens[place]], operation: quietOperations[method], seconds }),
  }
  await callers.loudly(operations[0]!, 2) // V8 is still compiling, and lists need something to read
  for (const place of ['same', 'other'] as const) await callers.quietly(place, 'POST', 1)
  const seconds = 2 * effort.seconds // a quiet caller asks little in a second
  const quiet = trials()
  for (let round = 0; round < effort.rounds; round++)
    for (const each of quiet) await measureRound(callers, each, seconds)
  return { connections, seconds, quiet }
}

function trials(): Quiet[] {
  return loads.flatMap(({ name: load }) =>
    (['GET', 'POST'] as const).flatMap((method) =>
      (['same', 'other'] as const).map((place) => ({ load, method, place, alone: [], beside: [], loud: [] })),
    ),
  )
}

async function measureRound({ loudly, quietly }: Callers, quiet: Quiet, seconds: number): Promise<void> {
  const { load, method, place } = quiet
  quiet.alone.push(await quietly(place, method, seconds))
  const work = loudly(loads.find(({ name }) => name === load)!, seconds + 1.5)
  await new Promise((resolve) => setTimeout(resolve, 1000)) // the load has come up
  quiet.beside.push(await quietly(place, method, seconds))
  quiet.loud.push(await work)
}

/** A loud tenant's token, and those of quiet ones on its worker and on another. */
async function placedTokens(environment: Record<string, string>): Promise<Record<'loud' | Quiet['place'], string>> {
  const tokens = await makeTenants(environment, tenants)
  const lanes = await withCatalog(readConfig(environment), (catalog) =>
    Promise.all(
      tokens.map(async (_, at) => {
        const { id } = await requireTenant(catalog, tenantSlug(at + 1))
        return threadIndexFor(id, writersFor(availableParallelism()))
      }),
    ),
  )
  const quietToken = (suits: (lane: number) => boolean) => tokens[lanes.findIndex((lane, at) => at > 0 && suits(lane))]!
  return {
    loud: tokens[0]!,
    same: quietToken((lane) => lane === lanes[0]),
    other: quietToken((lane) => lane !== lanes[0]),
  }
}
