// Who decides about a queued task: its thread, which begins it, or the main thread, which refuses it because it has waited for
// too long. Both claim it first, in memory that they share, so that what was refused is never done.

/** One number per place: whether the task there is claimed. */
export type Claims = Int32Array<SharedArrayBuffer>

/** Tasks that a thread can be asked at once. More than all that may wait in a process. */
const places = 8192

export function openClaims(): Claims {
  return new Int32Array(new SharedArrayBuffer(places * Int32Array.BYTES_PER_ELEMENT))
}

/** Whether the task was still free: only the first of the two threads gets it. */
export function claim(claims: Claims, place: number): boolean {
  return Atomics.compareExchange(claims, place, 0, 1) === 0
}

/** Gives back a task that was claimed and not begun, or a place whose task is answered. */
export function release(claims: Claims, place: number): void {
  Atomics.store(claims, place, 0)
}
