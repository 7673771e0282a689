// Records latencies for the load generators, and computes their results.

export type Latencies = { p50: number; p99: number; p999: number; max: number }

/** `rate`: requests per second. Latencies are in milliseconds. `busy`: the load generator's CPU usage, as a percentage
 *  of one core. `requests`: successful requests, including those answered after the measurement. `failed`:
 *  failed requests, which are not included in any other figure. */
export type LoadResult = Latencies & { requests: number; rate: number; busy: number; failed: number }

export type LoadRecorder = { record(milliseconds: number): void; isOver(): boolean; finish(failed: number): LoadResult }

/** Records the latencies of requests that a load generator sends within `seconds`. The load generator then waits for
 *  the requests in flight, so that the server's CPU time corresponds to the recorded requests. */
export function createLoadRecorder(seconds: number): LoadRecorder {
  const latencies: number[] = []
  let inPeriodCount = 0
  const startedAt = performance.now()
  const usageAtStart = process.cpuUsage()
  const isOver = () => performance.now() > startedAt + seconds * 1000
  return {
    isOver,
    record(milliseconds) {
      latencies.push(milliseconds)
      if (!isOver()) inPeriodCount++
    },
    finish(failed) {
      const { user, system } = process.cpuUsage(usageAtStart)
      const elapsed = performance.now() - startedAt
      latencies.sort((one, other) => one - other)
      const percentile = (share: number) => latencies[Math.floor(latencies.length * share)]!
      return {
        requests: latencies.length,
        rate: inPeriodCount / seconds,
        busy: (user + system) / 10 / elapsed,
        failed,
        p50: percentile(0.5),
        p99: percentile(0.99),
        p999: percentile(0.999),
        max: latencies.at(-1)!,
      }
    },
  }
}
