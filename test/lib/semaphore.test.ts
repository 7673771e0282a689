import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, QueueFull } from '../../src/lib/semaphore.ts'

/** Work that ends when the test calls `end`. `started` lists the names in the order in which the work started. */
function controlledWork() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => () => {
    started.push(name)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return end.promise
  }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  const end = async (name: string, error?: Error) => {
    if (error) ends.get(name)!.reject(error)
    else ends.get(name)!.resolve()
    await settled()
  }
  return { started, work, end, settled }
}

test('a semaphore limits how much work runs at a time; waiting work runs in order of priority, then of arrival', async () => {
  const { started, work, end, settled } = controlledWork()
  const semaphore = createSemaphore(2, { priorities: 2 })
  for (const name of ['a', 'b']) void semaphore.run(work(name))
  for (const name of ['late 1', 'late 2']) void semaphore.run(work(name), 1)
  void semaphore.run(work('early'), 0)
  await settled()
  assert.deepEqual(started, ['a', 'b'])
  await end('b')
  await end('a')
  assert.deepEqual(started, ['a', 'b', 'early', 'late 1'])
  await end('early')
  assert.equal(started.at(-1), 'late 2')
})

test('a semaphore refuses work when the queue of its priority is full, and failed work frees its slot', async () => {
  const { started, work, end, settled } = controlledWork()
  const semaphore = createSemaphore(1, { priorities: 2, maxWaiting: 1 })
  const failing = semaphore.run(work('failing'))
  void semaphore.run(work('next'), 1)
  await assert.rejects(semaphore.run(work('too many'), 1), QueueFull)
  void semaphore.run(work('other priority'), 0)
  await settled()
  void end('failing', new Error('broken'))
  await assert.rejects(failing, /broken/)
  await end('other priority')
  assert.deepEqual(started, ['failing', 'other priority', 'next'])
  await end('next')
  await semaphore.run(async () => {})
})
