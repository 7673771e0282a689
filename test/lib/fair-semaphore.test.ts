import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairSemaphore, NoFreeSlot } from '../../src/lib/concurrency.ts'

/** Work that runs until it is finished from outside. */
function openWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { run: () => promise, finish: resolve }
}

test('one tenant cannot occupy all slots, and waiting tenants take turns', async () => {
  const semaphore = createFairSemaphore({ perTenant: 2, total: 3, maxWaitMs: 60_000 })
  const order: string[] = []
  const start = (tenant: string, name: string) => {
    const work = openWork()
    const done = semaphore.run(tenant, () => {
      order.push(name)
      return work.run()
    })
    return { finish: work.finish, done }
  }
  const works = [
    start('a', 'a1'),
    start('a', 'a2'),
    start('a', 'a3'),
    start('a', 'a4'),
    start('b', 'b1'),
    start('b', 'b2'),
  ]
  await new Promise(setImmediate)
  assert.deepEqual(order, ['a1', 'a2', 'b1'])
  works[0]!.finish()
  await works[0]!.done
  await new Promise(setImmediate)
  works[1]!.finish()
  await works[1]!.done
  await new Promise(setImmediate)
  assert.deepEqual(order.slice(3).sort(), ['a3', 'b2'])
  for (const { finish } of works) finish()
  await Promise.all(works.map(({ done }) => done))
  assert.equal(order.length, 6)
})

test('work that waits longer than the maximum is refused, and its place in the queue is gone', async () => {
  const semaphore = createFairSemaphore({ perTenant: 1, total: 1, maxWaitMs: 5 })
  const first = openWork()
  const running = semaphore.run('a', first.run)
  await assert.rejects(
    semaphore.run('a', () => assert.fail('it never runs')),
    NoFreeSlot,
  )
  first.finish()
  await running
  assert.equal(await semaphore.run('a', async () => 7), 7)
})
