// Sends requests to two tenants while one of them has a fault. The fault must not affect the other tenant.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { tenantDatabaseOf } from '../databases/tenant-database.ts'
import { boundedMs, eventually } from '../eventually.ts'
import { type Client, type Environment, makeTenant, type Response } from '../service.ts'
import {
  type ClientModel,
  createClientModels,
  planChange,
  random,
  recordResponse,
  requireExactlyOnce,
  resendAll,
  sendChange,
  withSeed,
} from './exactly-once.ts'

/** `npm run test:faults` runs everything; `npm run test:long` runs a sample chosen by the seed. */
export const isFullRun = process.env.FAULTS === 'full'

if (isFullRun) console.log(withSeed('running all faults')) // so that an aborted run shows its seed

/** Chooses `count` items by the seed; returns all of them if `isFullRun`. */
export function sample<T>(items: T[], count: number): T[] {
  if (isFullRun) return items
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ item }) => item)
}

/** A tenant and its clients. `readShare`: how often a client reads its latest record after a change, from 0 to 1. */
export type TenantLoad = { slug: string; token: string; clients: ClientModel[]; readShare: number }

export async function createTenantLoad(environment: Environment, slug: string, size: number): Promise<TenantLoad> {
  const models = createClientModels(size).map((model) => ({ ...model, name: `${slug}-${model.name}` }))
  return { slug, token: await makeTenant(environment, slug), clients: models, readShare: random() < 0.5 ? 0 : 0.3 }
}

/** Creates a tenant whose file is in a different directory from the victim's. Directories are named after the first two
 *  characters of tenant ids. */
export async function createNeighbour(
  environment: Environment,
  victim: TenantLoad,
  slug: string,
  size: number,
): Promise<TenantLoad> {
  const directoryOf = async (load: TenantLoad) => (await tenantDatabaseOf(environment, load.slug)).id.slice(0, 2)
  const load = await createTenantLoad(environment, slug, size)
  const isSeparate = (await directoryOf(load)) !== (await directoryOf(victim))
  return isSeparate ? load : createNeighbour(environment, victim, `${slug}-2`, size)
}

/** The results of requests during a fault. `responses`: the number of changes that were not refused with 503. The
 *  clients send nothing while `isPaused` is true. */
export type LoadProgress = { responses: number; refused: number; slowestMs: number; isPaused: boolean }

/** Lets the clients send changes and reads while `fault` runs. After a 503, a client either retries the change or drops
 *  it from its model, because a refused change must not have been applied. If a change gets no response at all, the
 *  client retries it until a response arrives. */
export async function runLoadDuring(
  { clients: models, readShare }: TenantLoad,
  client: Client,
  fault: (progress: LoadProgress) => Promise<void>,
): Promise<LoadProgress> {
  const progress: LoadProgress = { responses: 0, refused: 0, slowestMs: 0, isPaused: false }
  let isOver = false

  async function sendRequest(send: () => Promise<Response>): Promise<Response | null> {
    const startedAt = performance.now()
    const response = await send().catch(() => null)
    progress.slowestMs = Math.max(progress.slowestMs, performance.now() - startedAt)
    if (response?.status === 503) {
      progress.refused++
      requireTenantUnavailable(response)
    }
    if (response?.status !== 200 && response?.status !== 201) await wait(5)
    return response
  }

  async function sendUntilResponse(model: ClientModel): Promise<void> {
    const change = planChange(model)
    model.changes.push(change)
    let hasEveryResponse = true // if a response is missing, the change may have been applied
    for (;;) {
      const response = await sendRequest(() => sendChange(client, change))
      hasEveryResponse &&= response !== null
      if (response && response.status !== 503) {
        progress.responses++
        return recordResponse(model, change, response)
      }
      if (isOver) return
      if (hasEveryResponse && random() < 0.5) return void model.changes.splice(model.changes.indexOf(change), 1)
    }
  }

  async function readLatest(model: ClientModel): Promise<void> {
    const [id, fields] = [...model.records].at(-1) ?? []
    const response = id && (await sendRequest(() => client('GET', `/customers.php?id=${id}`)))
    if (!response || response.status === 503) return
    const { name, city, external_id } = response.body
    const found = { name, city, external_id }
    assert.deepEqual([response.status, found], [200, fields], withSeed(`${model.name} reads what it wrote`))
  }

  async function clientLoop(model: ClientModel): Promise<void> {
    while (!isOver) {
      if (progress.isPaused) await wait(5)
      else await sendUntilResponse(model)
      if (random() < readShare && !progress.isPaused) await readLatest(model)
    }
  }

  const loops = Promise.all(models.map(clientLoop))
  const stop = () => {
    isOver = true
  }
  await Promise.all([loops.finally(stop), fault(progress).finally(stop)])
  return progress
}

function requireTenantUnavailable({ status, headers, body, text }: Response): void {
  assert.deepEqual([status, body.error?.code], [503, 'tenant_unavailable'], withSeed(text))
  assert.ok(Number(headers['retry-after']) > 0, withSeed('a refusal has a Retry-After of at least 1 s'))
}

/** Sends requests to both tenants while the first one has a fault. Asserts that the first tenant recovers, that every
 *  change was applied exactly once, and that the other tenant was not affected. */
export async function runDuringFault(
  environment: Environment,
  clientOf: (token: string) => Client,
  [victim, neighbour]: [TenantLoad, TenantLoad],
  fault: (progress: LoadProgress) => Promise<void>,
): Promise<LoadProgress> {
  let progress: LoadProgress | undefined
  const neighbourResult = await runLoadDuring(neighbour, clientOf(neighbour.token), async () => {
    progress = await runLoadDuring(victim, clientOf(victim.token), fault)
  })
  assert.equal(neighbourResult.refused, 0, withSeed('no request of the other tenant is refused'))
  assert.ok(
    neighbourResult.slowestMs < boundedMs,
    withSeed(`a request of the other tenant took ${neighbourResult.slowestMs} ms`),
  )
  await requireServedAgain(clientOf(victim.token))
  for (const load of [victim, neighbour]) await requireChangesAppliedOnce(environment, clientOf(load.token), load)
  return progress!
}

/** Resends every change, and asserts that each was applied exactly once. */
export async function requireChangesAppliedOnce(
  environment: Environment,
  client: Client,
  { slug, clients: models }: TenantLoad,
): Promise<void> {
  await Promise.all(models.map((model) => resendAll(client, model)))
  await requireExactlyOnce(environment, slug, models)
}

/** Waits until the tenant's requests are no longer refused with 503, and asserts that they succeed. */
export async function requireServedAgain(client: Client): Promise<void> {
  const responseUnless503 = async () => {
    const response = await client('GET', '/customers.php')
    return response.status !== 503 && response
  }
  const { status, text } = await eventually(withSeed('the tenant is available'), responseUnless503, { everyMs: 50 })
  assert.equal(status, 200, withSeed(text))
}
