// Delays before a restart: each is twice as long as the last one, up to a maximum.

/** The first restart is nearly immediate, because most crashes do not recur. */
const minDelayMs = 10
/** At this rate, a thread or process that keeps crashing costs little, and recovers within seconds once the cause has
 *  been fixed. */
const maxDelayMs = 5000

export function createBackoff(): { next(): number; reset(): void } {
  let delayMs = minDelayMs / 2
  return {
    next() {
      delayMs = Math.min(delayMs * 2, maxDelayMs)
      return delayMs
    },
    reset() {
      delayMs = minDelayMs / 2
    },
  }
}
