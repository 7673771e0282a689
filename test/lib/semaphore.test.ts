import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, QueueFull } from '../../src/lib/concurrency.ts'

/** Creates tasks that run until the test calls `end`. `started`: the names of the started tasks, in order. */
function createTasks() {
  const started: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const task = (name: string) => () => {
    started.push(name)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return end.promise
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const end = async (name: string, error?: Error) => {
    if (error) ends.get(name)!.reject(error)
    else ends.get(name)!.resolve()
    await settle()
  }
  return { started, task, end, settle }
}

test('a semaphore limits the number of concurrent tasks and starts waiting tasks by priority, then by arrival', async () => {
  const { started, task, end, settle } = createTasks()
  const semaphore = createSemaphore(2, { priorities: 2 })
  for (const name of ['a', 'b']) void semaphore.run(task(name))
  for (const name of ['late 1', 'late 2']) void semaphore.run(task(name), 1)
  void semaphore.run(task('early'), 0)
  await settle()
  assert.deepEqual(started, ['a', 'b'])
  await end('b')
  await end('a')
  assert.deepEqual(started, ['a', 'b', 'early', 'late 1'])
  await end('early')
  assert.equal(started.at(-1), 'late 2')
})

test('a semaphore refuses a task if the queue for its priority is full, and a failed task frees its slot', async () => {
  const { started, task, end, settle } = createTasks()
  const semaphore = createSemaphore(1, { priorities: 2, maxWaiting: 1 })
  const failing = semaphore.run(task('failing'))
  void semaphore.run(task('next'), 1)
  await assert.rejects(semaphore.run(task('too many'), 1), QueueFull)
  void semaphore.run(task('other priority'), 0)
  await settle()
  void end('failing', new Error('broken'))
  await assert.rejects(failing, /broken/)
  await end('other priority')
  assert.deepEqual(started, ['failing', 'other priority', 'next'])
  await end('next')
  await semaphore.run(async () => {})
})
