// Claims decide the race for a queued task: either a worker thread starts the task, or the main thread rejects the task
// because it has waited too long. Whichever thread acts must first claim the task in shared memory, so that a rejected
// task never runs.

/** One number per queued task: 1 if the task is claimed. */
export type Claims = Int32Array<SharedArrayBuffer>

/** The maximum number of tasks queued for one thread, which is above the process's in-flight limit (5,000 by
 *  default). */
const taskLimit = 8192

export function openClaims(): Claims {
  return new Int32Array(new SharedArrayBuffer(taskLimit * Int32Array.BYTES_PER_ELEMENT))
}

/** Claims a task. Returns false if it has already been claimed. */
export function claim(claims: Claims, index: number): boolean {
  return Atomics.compareExchange(claims, index, 0, 1) === 0
}

/** Releases the claim on a task that has not started, or that has ended. */
export function release(claims: Claims, index: number): void {
  Atomics.store(claims, index, 0)
}
