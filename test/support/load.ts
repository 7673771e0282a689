// Sends requests for two tenants during a fault: one with the fault, and another that must not notice it.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { boundedMs, eventually } from './eventually.ts'
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
import { type Client, type Environment, makeTenant, type Response } from './service.ts'
import { tenantDatabaseOf } from './tenant-database.ts'

/** `npm run test:faults` runs everything; `npm run test:long` runs a sample chosen by the seed. */
export const isFull = process.env.FAULTS === 'full'

if (isFull) console.log(withSeed('running all faults')) // printed first, so that an aborted run shows its seed too

/** Chooses `count` items by the seed; returns all of them if `isFull`. */
export function sample<T>(all: T[], count: number): T[] {
  if (isFull) return all
  return all
    .map((each) => ({ each, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ each }) => each)
}

/** A tenant and its clients. `readShare`: after this share of the changes, a client also reads. */
export type TenantLoad = { slug: string; token: string; clients: ClientModel[]; readShare: number }

export async function createTenantLoad(environment: Environment, slug: string, size: number): Promise<TenantLoad> {
  const models = createClientModels(size).map((model) => ({ ...model, name: `${slug}-${model.name}` }))
  return { slug, token: await makeTenant(environment, slug), clients: models, readShare: random() < 0.5 ? 0 : 0.3 }
}

/** Returns a tenant whose file is in another directory; the directories are named after the first characters of tenant
 *  ids. */
export async function createNeighbour(
  environment: Environment,
  beside: TenantLoad,
  slug: string,
  size: number,
): Promise<TenantLoad> {
  const directoryOf = async (load: TenantLoad) => (await tenantDatabaseOf(environment, load.slug)).id.slice(0, 2)
  const load = await createTenantLoad(environment, slug, size)
  const isApart = (await directoryOf(load)) !== (await directoryOf(beside))
  return isApart ? load : createNeighbour(environment, beside, `${slug}-2`, size)
}

/** The results of the requests during a fault. While `isPaused`, the clients send nothing. */
export type LoadProgress = { answered: number; refused: number; slowestMs: number; isPaused: boolean }

/** The clients send changes while `work` runs. After a 503, a client either retries the change or drops it from its model: a
 *  refused change must never have been applied. A change without a response is retried until the outcome is known. */
export async function runLoadDuring(
  { clients: models, readShare }: TenantLoad,
  client: Client,
  work: (progress: LoadProgress) => Promise<void>,
): Promise<LoadProgress> {
  const progress: LoadProgress = { answered: 0, refused: 0, slowestMs: 0, isPaused: false }
  let isOver = false

  async function sendRequest(send: () => Promise<Response>): Promise<Response | null> {
    const begun = performance.now()
    const answer = await send().catch(() => null)
    progress.slowestMs = Math.max(progress.slowestMs, performance.now() - begun)
    if (answer?.status === 503) {
      progress.refused++
      requireRefusal(answer)
    }
    if (answer?.status !== 200 && answer?.status !== 201) await wait(5)
    return answer
  }

  async function sendUntilAnswered(model: ClientModel): Promise<void> {
    const change = planChange(model)
    model.changes.push(change)
    let isKnown = true // returns whether every attempt got a response
    for (;;) {
      const answer = await sendRequest(() => sendChange(client, change))
      isKnown &&= answer !== null
      if (answer && answer.status !== 503) {
        progress.answered++
        return recordResponse(model, change, answer)
      }
      if (isOver) return
      if (isKnown && random() < 0.5) return void model.changes.splice(model.changes.indexOf(change), 1)
    }
  }

  async function readLatest(model: ClientModel): Promise<void> {
    const [id, fields] = [...model.records].at(-1) ?? []
    const answer = id && (await sendRequest(() => client('GET', `/customers.php?id=${id}`)))
    if (!answer || answer.status === 503) return
    const { name, city, external_id } = answer.body
    const found = { name, city, external_id }
    assert.deepEqual([answer.status, found], [200, fields], withSeed(`${model.name} reads what it wrote`))
  }

  async function clientLoop(model: ClientModel): Promise<void> {
    while (!isOver) {
      if (progress.isPaused) await wait(5)
      else await sendUntilAnswered(model)
      if (random() < readShare && !progress.isPaused) await readLatest(model)
    }
  }

  const loops = Promise.all(models.map(clientLoop))
  const over = () => {
    isOver = true
  }
  await Promise.all([loops.finally(over), work(progress).finally(over)])
  return progress
}

function requireRefusal({ status, headers, body, text }: Response): void {
  assert.deepEqual([status, body.error?.code], [503, 'tenant_unavailable'], withSeed(text))
  assert.ok(Number(headers['retry-after']) > 0, withSeed('Retry-After'))
}

/** Sends requests to both tenants during a fault of the first, which then recovers by itself. Asserts that every change
 *  was applied exactly once, and that the other tenant was not affected. */
export async function runDuringFault(
  environment: Environment,
  clientOf: (token: string) => Client,
  [victim, neighbour]: [TenantLoad, TenantLoad],
  work: (progress: LoadProgress) => Promise<void>,
): Promise<LoadProgress> {
  let progress: LoadProgress | undefined
  const neighbourResult = await runLoadDuring(neighbour, clientOf(neighbour.token), async () => {
    progress = await runLoadDuring(victim, clientOf(victim.token), work)
  })
  assert.equal(neighbourResult.refused, 0, withSeed('requests of the other tenant were refused'))
  assert.ok(neighbourResult.slowestMs < boundedMs, withSeed(`the other tenant waited ${neighbourResult.slowestMs} ms`))
  await requireServedAgain(clientOf(victim.token))
  for (const load of [victim, neighbour]) await requireChangesAppliedOnce(environment, clientOf(load.token), load)
  return progress!
}

/** Every change has been applied, and the tenant contains what its clients expect. */
export async function requireChangesAppliedOnce(
  environment: Environment,
  client: Client,
  { slug, clients: models }: TenantLoad,
): Promise<void> {
  await Promise.all(models.map((model) => resendAll(client, model)))
  await requireExactlyOnce(environment, slug, models)
}

/** Waits until the tenant has recovered. */
export async function requireServedAgain(client: Client): Promise<void> {
  const answered = async () => {
    const response = await client('GET', '/customers.php')
    return response.status !== 503 && response
  }
  const { status, text } = await eventually(withSeed('the tenant is available again'), answered, { everyMs: 50 })
  assert.equal(status, 200, withSeed(text))
}
