// Group commit: a tenant's queued writes share one transaction, and so one lock and one fsync. Writes are acknowledged
// after it.

import { type Database, Unavailable } from '../../database/database.ts'

/** A write in the queue. */
export type QueuedWrite = {
  run(database: Database): Promise<unknown>
  /** Whether it may run again although its commit may have succeeded. */
  isRepeatable: boolean
  /** Whether it has a transaction of its own: the others would wait long for the commit. */
  isLong: boolean
  resolve(output: unknown): void
  refuse(error: Error): void
}

/** Runs work in one transaction that begins by locking the tenant. Throws Unavailable if its outcome is unknown; after any other
 *  error it was rolled back. */
export type Transact = <T>(work: (database: Database) => Promise<T>) => Promise<T>

/** How long a transaction holds the lock before it commits. The writes that it has not begun are in the next one. */
const timeSliceMs = 20

/** Writes that have failed later than this are not repeated: their callers have waited long enough and can retry themselves. */
const repeatWithinMs = 2500

/** Runs a tenant's writes in one transaction and resolves them. Returns those that have not begun when its time slice ends.
 *  Throws what the remaining ones fail with. A rejected request leaves nothing to undo; only a bug does. Then everything is
 *  rolled back, and each write runs again in a transaction of its own. Savepoints would cost every write two statements. */
export async function runWrites<Write extends QueuedWrite>(
  transact: Transact,
  writes: Write[],
  repeatUntil = performance.now() + repeatWithinMs,
): Promise<Write[]> {
  try {
    return await runTogether(transact, writes)
  } catch (error) {
    if (error instanceof Unavailable) return repeat(transact, writes, error, repeatUntil)
    if (writes.length === 1) throw error
    for (const write of writes) await runAlone(transact, write, repeatUntil)
    return []
  }
}

async function runTogether<Write extends QueuedWrite>(transact: Transact, writes: Write[]): Promise<Write[]> {
  const outputs = await transact(async (database) => {
    const outputs: unknown[] = []
    let sliceEnd: number | undefined
    for (const write of writes) {
      if (sliceEnd !== undefined && (write.isLong || performance.now() > sliceEnd)) break
      outputs.push(await write.run(database))
      if (write.isLong) break
      sliceEnd ??= performance.now() + timeSliceMs // the first one has waited for the lock
    }
    return outputs
  })
  for (const [at, output] of outputs.entries()) writes[at]!.resolve(output)
  return writes.slice(outputs.length)
}

async function runAlone(transact: Transact, write: QueuedWrite, repeatUntil: number): Promise<void> {
  try {
    await runWrites(transact, [write], repeatUntil)
  } catch (error) {
    if (error instanceof Unavailable) throw error // the others would wait for the same database
    write.refuse(error as Error)
  }
}

/** Repeats what may be repeated, and refuses the rest. */
async function repeat<Write extends QueuedWrite>(
  transact: Transact,
  writes: Write[],
  error: Unavailable,
  until: number,
): Promise<Write[]> {
  const repeatable = performance.now() < until ? writes.filter(({ isRepeatable }) => isRepeatable) : []
  if (repeatable.length === 0) throw error
  for (const write of writes) if (!write.isRepeatable) write.refuse(error)
  return runWrites(transact, repeatable, 0)
}
