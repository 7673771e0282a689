// Group commit: a tenant's queued writes share one transaction, and so one lock and one fsync. The writes are
// acknowledged after the commit.

import { type Database, Unavailable } from '../database/database.ts'

export type QueuedWrite = {
  run(database: Database): Promise<unknown>
  /** Whether the write may run again even if it may already have been committed. */
  isRepeatable: boolean
  /** Whether the write needs a separate transaction, because other writes would wait too long for its commit. */
  isLong: boolean
  resolve(output: unknown): void
  refuse(error: Error): void
}

/** Runs `work` in a transaction that begins by locking the tenant. Throws Unavailable if the outcome of the transaction
 *  is unknown; after any other error, the transaction has been rolled back. */
export type Transact = <T>(work: (database: Database) => Promise<T>) => Promise<T>

/** A transaction starts further writes for this long after its first write. The remaining writes run in the next
 *  transaction. */
const timeSliceMs = 20

/** A write that fails later than this is not repeated: its caller has waited long enough, and can retry it. */
const repeatWithinMs = 2500

/** Runs a tenant's writes in one transaction and resolves them. Returns the writes that it did not start. A write
 *  throws only because of a bug, since a rejected request is a normal output. After a bug, everything is rolled back,
 *  and each write runs again in a separate transaction. Savepoints would avoid this, but would cost every write two
 *  statements. If the outcome is unknown, repeatable writes run once more. An error that this function throws applies
 *  to all writes that have been neither resolved nor refused. */
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
      sliceEnd ??= performance.now() + timeSliceMs // starts after the first write, which has waited for the lock
    }
    return outputs
  })
  for (const [index, output] of outputs.entries()) writes[index]!.resolve(output)
  return writes.slice(outputs.length)
}

async function runAlone(transact: Transact, write: QueuedWrite, repeatUntil: number): Promise<void> {
  try {
    await runWrites(transact, [write], repeatUntil)
  } catch (error) {
    if (error instanceof Unavailable) throw error // the other writes need the same database
    write.refuse(error as Error)
  }
}

/** Repeats the repeatable writes, and refuses the others. Throws `error` if no write can be repeated. */
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
