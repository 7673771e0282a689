// Clients that send requests during a fault: of the tenant with the fault, and of another tenant that must not be affected.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from './eventually.ts'
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

/** `npm run test:faults` runs everything; `npm test` runs a sample chosen by the seed. */
export const isFull = process.env.FAULTS === 'full'

if (isFull) console.log(withSeed('these faults')) // also of a run that ends half-way

/** Some of the possibilities by the seed; all of them in the full form. */
export function sample<T>(all: T[], count: number): T[] {
  if (isFull) return all
  return all
    .map((each) => ({ each, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ each }) => each)
}

/** A tenant and its clients. `readShare`: the share of changes after which a client also reads. */
export type TenantLoad = { slug: string; token: string; clients: ClientModel[]; readShare: number }

export async function createTenantLoad(environment: Environment, slug: string, size: number): Promise<TenantLoad> {
  const workers = createClientModels(size).map((worker) => ({ ...worker, name: `${slug}-${worker.name}` }))
  return { slug, token: await makeTenant(environment, slug), clients: workers, readShare: random() < 0.5 ? 0 : 0.3 }
}

/** The results of the requests during a fault. While `isPaused`, the clients send nothing. */
export type LoadResult = { answered: number; refused: number; slowestMs: number; isPaused: boolean }

/** The crew works while `work` is done. A request that is refused because the tenant is unavailable is sent again or given
 *  up: one that is given up must never have happened, so its worker forgets it. Without an answer, it is sent again while the work
 *  lasts: until it is known what became of it, nothing else is asked for. */
export async function runLoadDuring(
  { clients: workers, readShare: looks }: TenantLoad,
  client: Client,
  work: (course: LoadResult) => Promise<void>,
): Promise<LoadResult> {
  const course: LoadResult = { answered: 0, refused: 0, slowestMs: 0, isPaused: false }
  let isOver = false

  async function sendRequest(send: () => Promise<Response>): Promise<Response | null> {
    const begun = performance.now()
    const answer = await send().catch(() => null)
    course.slowestMs = Math.max(course.slowestMs, performance.now() - begun)
    if (answer?.status === 503) {
      course.refused++
      requireRefusal(answer)
    }
    if (answer?.status !== 200 && answer?.status !== 201) await wait(5)
    return answer
  }

  async function sendUntilAnswered(worker: ClientModel): Promise<void> {
    const wish = planChange(worker)
    worker.changes.push(wish)
    let isKnown = true // what became of it
    for (;;) {
      const answer = await sendRequest(() => sendChange(client, wish))
      isKnown &&= answer !== null
      if (answer && answer.status !== 503) {
        course.answered++
        return recordResponse(worker, wish, answer)
      }
      if (isOver) return
      if (isKnown && random() < 0.5) return void worker.changes.splice(worker.changes.indexOf(wish), 1)
    }
  }

  async function readLatest(worker: ClientModel): Promise<void> {
    const [id, fields] = [...worker.records].at(-1) ?? []
    const answer = id && (await sendRequest(() => client('GET', `/customers.php?id=${id}`)))
    if (!answer || answer.status === 503) return
    const { name, city } = answer.body
    assert.deepEqual([answer.status, { name, city }], [200, fields], withSeed(`${worker.name} reads what it wrote`))
  }

  async function clientLoop(worker: ClientModel): Promise<void> {
    while (!isOver) {
      if (course.isPaused) await wait(5)
      else await sendUntilAnswered(worker)
      if (random() < looks && !course.isPaused) await readLatest(worker)
    }
  }

  const loops = Promise.all(workers.map(clientLoop))
  const over = () => {
    isOver = true
  }
  await Promise.all([loops.finally(over), work(course).finally(over)])
  return course
}

function requireRefusal({ status, headers, body, text }: Response): void {
  assert.deepEqual([status, body.error?.code], [503, 'tenant_unavailable'], withSeed(text))
  assert.ok(Number(headers['retry-after']) > 0, withSeed('Retry-After'))
}

/** The longest a neighbour may wait for an answer while something is wrong with another tenant. Milliseconds; generous, since
 *  other tests run beside this one, and the process may be under strace. */
const neighbourLimitMs = 5000

/** Sends requests to both tenants during a fault of the first one, which then recovers by itself. Asserts that every change was
 *  applied exactly once, and that the other tenant was not affected. */
export async function runDuringFault(
  environment: Environment,
  clientOf: (token: string) => Client,
  [victim, neighbour]: [TenantLoad, TenantLoad],
  work: (course: LoadResult) => Promise<void>,
): Promise<LoadResult> {
  let course: LoadResult | undefined
  const neighbourResult = await runLoadDuring(neighbour, clientOf(neighbour.token), async () => {
    course = await runLoadDuring(victim, clientOf(victim.token), work)
  })
  assert.equal(neighbourResult.refused, 0, withSeed('the neighbour was refused'))
  assert.ok(
    neighbourResult.slowestMs < neighbourLimitMs,
    withSeed(`the neighbour waited ${neighbourResult.slowestMs} ms`),
  )
  await requireServedAgain(clientOf(victim.token))
  for (const crew of [victim, neighbour]) await requireChangesAppliedOnce(environment, clientOf(crew.token), crew)
  return course!
}

/** Every change has been applied, and the tenant contains what its clients expect. */
export async function requireChangesAppliedOnce(
  environment: Environment,
  client: Client,
  { slug, clients: workers }: TenantLoad,
): Promise<void> {
  await Promise.all(workers.map((worker) => resendAll(client, worker)))
  await requireExactlyOnce(environment, slug, workers)
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
