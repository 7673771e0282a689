// Latency of a quiet tenant, alone and beside a tenant at full load on the same or another writer thread.

import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { writersFor } from '../../src/storage/sqlite/threads/thread.ts'
import { threadIndexFor } from '../../src/storage/sqlite/threads/writer-pool.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import type { LoadResult } from '../harness/latencies.ts'
import type { Job } from '../harness/load.ts'
import type { Effort } from '../harness/measure.ts'
import { fullScan, type Operation, operations } from '../harness/operations.ts'
import { startLoadProcess, startNode } from '../harness/processes.ts'
import type { Job as QuietJob } from '../harness/quiet-tenant.ts'
import { medians } from '../harness/results.ts'
import { makeTenants, serviceSettings, tenantSlug } from '../harness/tenants.ts'

const figureNames = ['rate', 'p50', 'p99'] as const
type QuietFigures = Record<(typeof figureNames)[number], number>

/** The requests of a quiet tenant, whose writer thread is the `same` as the loud tenant's or another one. */
type Case = { load: string; method: 'GET' | 'POST'; place: 'same' | 'other' }
export type QuietTenant = Case & { alone: QuietFigures; beside: QuietFigures; loud: QuietFigures }
type Rounds = Case & { alone: LoadResult[]; beside: LoadResult[]; loud: LoadResult[] }

export type FairnessOutcome = { connections: number; seconds: number; quietTenants: QuietTenant[] }

/** Of the loud tenant. */
const connections = 64

/** Enough that some are on each writer thread. */
const tenants = 24

/** Requests of the loud tenant. Its lists read all records that it has created, so they come before the creates: with the records of
 *  all rounds, they would wait for each other until the service refuses them. */
const loads: Operation[] = [fullScan, operations[0]!]

const quietOperations: Record<Case['method'], Operation> = {
  GET: { ...operations[2]!, paths: [`${operations[0]!.paths[0]}?id=1`] },
  POST: operations[0]!,
}

type Callers = { loudly(load: Operation, seconds: number): Promise<LoadResult>; quietly: Quietly }
type Quietly = (place: Case['place'], method: Case['method'], seconds: number) => Promise<LoadResult>

export async function measureFairness(directory: string, effort: Effort): Promise<FairnessOutcome> {
  mkdirSync(directory)
  const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
  const tokens = await tokensByThread(environment)
  await using started = new AsyncDisposableStack()
  const server = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
  const clients = started.adopt(startLoadProcess<Job>('harness/load.ts'), (each) => each.end())
  const caller = started.adopt(startLoadProcess<QuietJob>('harness/quiet-tenant.ts'), (each) => each.end())
  const callers: Callers = {
    loudly: (operation, seconds) =>
      clients.measure({ urls: [server.url], tokens: [tokens.loud], operation, connections, seconds }),
    quietly: (place, method, seconds) =>
      caller.measure({ url: server.url, tokens: [tokens[place]], operation: quietOperations[method], seconds }),
  }
  await callers.loudly(operations[0]!, 2) // V8 is still compiling, and the lists need records
  for (const place of ['same', 'other'] as const) await callers.quietly(place, 'POST', 1)
  const seconds = 2 * effort.seconds // a quiet tenant sends few requests
  const cases = trials()
  for (const { name } of loads)
    for (let round = 0; round < effort.rounds; round++)
      for (const each of cases.filter(({ load }) => load === name)) await measureRound(callers, each, seconds)
  const quietTenants = cases.map(({ alone, beside, loud, ...quiet }) => ({
    ...quiet,
    ...{ alone: medians(alone, figureNames), beside: medians(beside, figureNames), loud: medians(loud, figureNames) },
  }))
  return { connections, seconds, quietTenants }
}

function trials(): Rounds[] {
  return loads.flatMap(({ name: load }) =>
    (['GET', 'POST'] as const).flatMap((method) =>
      (['same', 'other'] as const).map((place) => ({ load, method, place, alone: [], beside: [], loud: [] })),
    ),
  )
}

async function measureRound({ loudly, quietly }: Callers, quiet: Rounds, seconds: number): Promise<void> {
  const { load, method, place } = quiet
  quiet.alone.push(await quietly(place, method, seconds))
  const work = loudly(loads.find(({ name }) => name === load)!, seconds + 1.5)
  await new Promise((resolve) => setTimeout(resolve, 1000)) // the load has reached its full rate
  quiet.beside.push(await quietly(place, method, seconds))
  quiet.loud.push(await work)
}

/** Tokens of the loud tenant, and of quiet tenants on its writer thread and on another one. */
export async function tokensByThread(
  environment: Record<string, string>,
): Promise<Record<'loud' | Case['place'], string>> {
  const tokens = await makeTenants(environment, tenants)
  const threads = await withCatalog(readConfig(environment), (catalog) =>
    Promise.all(
      tokens.map(async (_, at) => {
        const { id } = await requireTenant(catalog, tenantSlug(at + 1))
        return threadIndexFor(id, writersFor(availableParallelism()))
      }),
    ),
  )
  const quietToken = (matches: (thread: number) => boolean) =>
    tokens[threads.findIndex((thread, at) => at > 0 && matches(thread))]!
  return {
    loud: tokens[0]!,
    same: quietToken((thread) => thread === threads[0]),
    other: quietToken((thread) => thread !== threads[0]),
  }
}
