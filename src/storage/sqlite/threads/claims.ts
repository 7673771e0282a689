// Claims decide a race over a queued task: its thread starts it, or the main thread rejects it because it waited too
// long. Both must claim it first, in shared memory, so that a rejected task never runs.

/** One number per queued task: 1 if the task is claimed. */
export type Claims = Int32Array<SharedArrayBuffer>

/** How many tasks one thread may have queued. More than the in-flight limit of the whole process (5,000 by default). */
const taskLimit = 8192

export function openClaims(): Claims {
  return new Int32Array(new SharedArrayBuffer(taskLimit * Int32Array.BYTES_PER_ELEMENT))
}

/** Claims a task; false if the other thread was first. */
export function claim(claims: Claims, index: number): boolean {
  return Atomics.compareExchange(claims, index, 0, 1) === 0
}

/** Releases a task that was claimed but not started, or the entry of a task that is done. */
export function release(claims: Claims, index: number): void {
  Atomics.store(claims, index, 0)
}
