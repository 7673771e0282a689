// What comes out of putting load on something for a while.

/** `rate` in requests per second, percentiles in milliseconds, `busy`: of one core by what made the load, in percent.
 *  `requests`: all that were answered, also after the time was over. `failed` ones are in none of the others. */
export type Measured = Latencies & { requests: number; rate: number; busy: number; failed: number }

export type Latencies = { p50: number; p99: number; p999: number; max: number }

export type Measuring = { note(milliseconds: number): void; isOver(): boolean; finish(failed: number): Measured }

/** Notes the latencies of requests, and tells the rest when all are answered. Whoever makes the load begins no request when the
 *  time is over and waits for those in flight: what a server did is then what it was asked for. */
export function startMeasuring(seconds: number): Measuring {
  const latencies: number[] = []
  let inTime = 0
  const startedAt = performance.now()
  const usageAtStart = process.cpuUsage()
  const isOver = () => performance.now() > startedAt + seconds * 1000
  return {
    isOver,
    note(milliseconds) {
      latencies.push(milliseconds)
      if (!isOver()) inTime++
    },
    finish(failed) {
      const { user, system } = process.cpuUsage(usageAtStart)
      const elapsed = performance.now() - startedAt
      latencies.sort((one, other) => one - other)
      return {
        requests: latencies.length,
        rate: inTime / seconds,
        p50: latencies[Math.floor(latencies.length * 0.5)]!,
        p99: latencies[Math.floor(latencies.length * 0.99)]!,
        p999: latencies[Math.floor(latencies.length * 0.999)]!,
        max: latencies.at(-1)!,
        busy: (user + system) / 10 / elapsed,
        failed,
      }
    },
  }
}
