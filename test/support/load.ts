// Clients at work while something is wrong: those of the tenant it happens to, and a neighbour that must not notice.

import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  newWorkers,
  nextWish,
  note,
  random,
  requireExactlyOnce,
  retry,
  said,
  send,
  type Worker,
} from './exactly-once.ts'
import { type Client, type Environment, makeTenant, type Response } from './service.ts'

/** `npm run test:faults` asks for all of it; without, a sample is taken by the seed. */
export const isFull = process.env.FAULTS === 'full'

if (isFull) console.log(said('these faults')) // also of a run that ends half-way

/** Some of the possibilities by the seed; all of them in the full form. */
export function sample<T>(all: T[], count: number): T[] {
  if (isFull) return all
  return all
    .map((each) => ({ each, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ each }) => each)
}

/** A tenant and those who work with it. `looks`: after how many of their changes they read. */
export type Crew = { slug: string; token: string; workers: Worker[]; looks: number }

export async function newCrew(environment: Environment, slug: string, size: number): Promise<Crew> {
  const workers = newWorkers(size).map((worker) => ({ ...worker, name: `${slug}-${worker.name}` }))
  return { slug, token: await makeTenant(environment, slug), workers, looks: random() < 0.5 ? 0 : 0.3 }
}

/** How the requests of a crew went while something was wrong; `slowest` in milliseconds. While `isResting`, it asks nothing. */
export type Course = { done: number; refused: number; slowest: number; isResting: boolean }

/** The crew works while `work` is done. A request that is refused because the tenant is unavailable is sent again or given
 *  up: one that is given up must never have happened, so its worker forgets it. Without an answer, it is sent again while the work
 *  lasts: until it is known what became of it, nothing else is asked for. */
export async function workDuring(
  { workers, looks }: Crew,
  client: Client,
  work: (course: Course) => Promise<void>,
): Promise<Course> {
  const course: Course = { done: 0, refused: 0, slowest: 0, isResting: false }
  let isOver = false

  async function ask(send: () => Promise<Response>): Promise<Response | null> {
    const begun = performance.now()
    const answer = await send().catch(() => null)
    course.slowest = Math.max(course.slowest, performance.now() - begun)
    if (answer?.status === 503) {
      course.refused++
      requireRefusal(answer)
    }
    if (answer?.status !== 200 && answer?.status !== 201) await wait(5)
    return answer
  }

  async function fulfil(worker: Worker): Promise<void> {
    const wish = nextWish(worker)
    worker.wishes.push(wish)
    let isKnown = true // what became of it
    for (;;) {
      const answer = await ask(() => send(client, wish))
      isKnown &&= answer !== null
      if (answer && answer.status !== 503) {
        course.done++
        return note(worker, wish, answer)
      }
      if (isOver) return
      if (isKnown && random() < 0.5) return void worker.wishes.splice(worker.wishes.indexOf(wish), 1)
    }
  }

  async function look(worker: Worker): Promise<void> {
    const [id, fields] = [...worker.records].at(-1) ?? []
    const answer = id && (await ask(() => client('GET', `/customers.php?id=${id}`)))
    if (!answer || answer.status === 503) return
    const { name, city } = answer.body
    assert.deepEqual([answer.status, { name, city }], [200, fields], said(`${worker.name} reads what it wrote`))
  }

  async function toil(worker: Worker): Promise<void> {
    while (!isOver) {
      if (course.isResting) await wait(5)
      else await fulfil(worker)
      if (random() < looks && !course.isResting) await look(worker)
    }
  }

  const toils = Promise.all(workers.map(toil))
  const over = () => {
    isOver = true
  }
  await Promise.all([toils.finally(over), work(course).finally(over)])
  return course
}

function requireRefusal({ status, headers, body, text }: Response): void {
  assert.deepEqual([status, body.error?.code], [503, 'tenant_unavailable'], said(text))
  assert.ok(Number(headers['retry-after']) > 0, said('Retry-After'))
}

/** The longest a neighbour may wait for an answer while something is wrong with another tenant. Milliseconds; generous, since
 *  other tests run beside this one, and the process may be under strace. */
const patience = 5000

/** Both crews work while something is wrong with the first one's tenant; afterwards it is back by itself. Each change was made
 *  exactly once, and the neighbour has noticed nothing. */
export async function endure(
  environment: Environment,
  clientOf: (token: string) => Client,
  [victim, neighbour]: [Crew, Crew],
  work: (course: Course) => Promise<void>,
): Promise<Course> {
  let course: Course | undefined
  const besides = await workDuring(neighbour, clientOf(neighbour.token), async () => {
    course = await workDuring(victim, clientOf(victim.token), work)
  })
  assert.equal(besides.refused, 0, said('the neighbour was refused'))
  assert.ok(besides.slowest < patience, said(`the neighbour waited ${besides.slowest} ms`))
  await requireBack(clientOf(victim.token))
  for (const crew of [victim, neighbour]) await settle(environment, clientOf(crew.token), crew)
  return course!
}

/** Every wish is fulfilled now or was before; the tenant holds what its crew knows of. */
export async function settle(environment: Environment, client: Client, { slug, workers }: Crew): Promise<void> {
  await Promise.all(workers.map((worker) => retry(client, worker)))
  await requireExactlyOnce(environment, slug, workers)
}

/** The tenant answers again by itself. */
export async function requireBack(client: Client): Promise<void> {
  const end = performance.now() + 10_000
  while ((await client('GET', '/customers.php')).status === 503 && performance.now() < end) await wait(50)
  const { status, text } = await client('GET', '/customers.php')
  assert.equal(status, 200, said(`not back after 10 s: ${text}`))
}
