// Measures a quiet tenant's latency without other load, and alongside a noisy neighbour on the same writer thread or on
// a different one.

import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { threadIndexFor } from '../../src/engine/sqlite/threads/pools.ts'
import { writersFor } from '../../src/engine/sqlite/threads/thread.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import type { LoadResult } from '../harness/load/latencies.ts'
import type { LoadOptions } from '../harness/load/load.ts'
import type { QuietTenantOptions } from '../harness/load/quiet-tenant.ts'
import type { Effort } from '../harness/measure.ts'
import { fullScan, type Operation, operations } from '../harness/operations.ts'
import { startLoadProcess, startNode } from '../harness/processes.ts'
import { medians } from '../harness/rows.ts'
import { seedTenants, serviceSettings, tenantSlug } from '../harness/seed/tenants.ts'

const figureNames = ['rate', 'p50', 'p99'] as const
type QuietFigures = Record<(typeof figureNames)[number], number>

/** `load`: the neighbour's requests. `method`: the quiet tenant's requests. `place`: whether both tenants use the same
 *  writer thread. */
type Case = { load: string; method: 'GET' | 'POST'; place: 'same' | 'other' }
export type QuietTenant = Case & { alone: QuietFigures; withNeighbour: QuietFigures; neighbour: QuietFigures }
type Rounds = Case & { alone: LoadResult[]; withNeighbour: LoadResult[]; neighbour: LoadResult[] }

export type FairnessOutcome = { connections: number; seconds: number; quietTenants: QuietTenant[] }

/** How many connections the neighbour has. */
const connections = 64

/** With this many tenants, each writer thread very probably has at least one. */
const tenantCount = 24

/** The neighbour's requests. A list reads every record that the neighbour has created, so the rounds with lists run
 *  before the rounds with creates. After the creates, each list would take so long that the lists would queue up until
 *  the service refused them. */
const loads: Operation[] = [fullScan, operations[0]!]

const quietOperations: Record<Case['method'], Operation> = {
  GET: { ...operations[2]!, paths: [`${operations[0]!.paths[0]}?id=1`] },
  POST: operations[0]!,
}

type Callers = {
  runNeighbour(load: Operation, seconds: number): Promise<LoadResult>
  runQuietTenant(place: Case['place'], method: Case['method'], seconds: number): Promise<LoadResult>
}

export async function measureFairness(directory: string, effort: Effort): Promise<FairnessOutcome> {
  mkdirSync(directory)
  const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
  const tokens = await tokensByThread(environment)
  await using cleanup = new AsyncDisposableStack()
  const server = cleanup.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
  const clients = cleanup.adopt(startLoadProcess<LoadOptions>('harness/load/load.ts'), (each) => each.end())
  const caller = cleanup.adopt(startLoadProcess<QuietTenantOptions>('harness/load/quiet-tenant.ts'), (each) =>
    each.end(),
  )
  const callers: Callers = {
    runNeighbour: (operation, seconds) =>
      clients.measure({ urls: [server.url], tokens: [tokens.neighbour], operation, connections, seconds }),
    runQuietTenant: (place, method, seconds) =>
      caller.measure({ url: server.url, tokens: [tokens[place]], operation: quietOperations[method], seconds }),
  }
  await callers.runNeighbour(operations[0]!, 2) // a warm-up for V8, which also creates records for the lists
  for (const place of ['same', 'other'] as const) await callers.runQuietTenant(place, 'POST', 1)
  const seconds = 2 * effort.seconds // a quiet tenant sends few requests
  const cases = emptyRounds()
  for (const { name } of loads)
    for (let round = 0; round < effort.rounds; round++)
      for (const each of cases.filter(({ load }) => load === name)) await measureRound(callers, each, seconds)
  const quietTenants = cases.map(({ alone, withNeighbour, neighbour, ...each }) => ({
    ...each,
    alone: medians(alone, figureNames),
    withNeighbour: medians(withNeighbour, figureNames),
    neighbour: medians(neighbour, figureNames),
  }))
  return { connections, seconds, quietTenants }
}

function emptyRounds(): Rounds[] {
  return loads.flatMap(({ name: load }) =>
    (['GET', 'POST'] as const).flatMap((method) =>
      (['same', 'other'] as const).map((place) => ({
        load,
        method,
        place,
        alone: [],
        withNeighbour: [],
        neighbour: [],
      })),
    ),
  )
}

async function measureRound({ runNeighbour, runQuietTenant }: Callers, rounds: Rounds, seconds: number): Promise<void> {
  const { load, method, place } = rounds
  rounds.alone.push(await runQuietTenant(place, method, seconds))
  const neighbour = runNeighbour(loads.find(({ name }) => name === load)!, seconds + 1.5)
  await new Promise((resolve) => setTimeout(resolve, 1000)) // until the load has reached its full rate
  rounds.withNeighbour.push(await runQuietTenant(place, method, seconds))
  rounds.neighbour.push(await neighbour)
}

/** Creates the tenants. Returns the tokens of the neighbour, of a quiet tenant on the neighbour's writer thread, and of
 *  a quiet tenant on a different writer thread. */
export async function tokensByThread(
  environment: Record<string, string>,
): Promise<Record<'neighbour' | Case['place'], string>> {
  const tokens = await seedTenants(environment, tenantCount)
  const threads = await withCatalog(readConfig(environment), (catalog) =>
    Promise.all(
      tokens.map(async (_, index) => {
        const { id } = await requireTenant(catalog, tenantSlug(index + 1))
        return threadIndexFor(id, writersFor(availableParallelism()))
      }),
    ),
  )
  const quietToken = (matches: (thread: number) => boolean) =>
    tokens[threads.findIndex((thread, index) => index > 0 && matches(thread))]!
  return {
    neighbour: tokens[0]!,
    same: quietToken((thread) => thread === threads[0]),
    other: quietToken((thread) => thread !== threads[0]),
  }
}
