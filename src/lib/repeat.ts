/** Runs a job again and again, never twice at the same time. `onFailure` gets what a run throws; the next run follows anyway.
 *  Does not keep the process alive. */
export function repeat(
  intervalMs: number,
  job: () => Promise<unknown>,
  onFailure: (error: Error) => void = () => {},
): { stop(): void } {
  let isRunning = false
  const timer = setInterval(async () => {
    if (isRunning) return
    isRunning = true
    await job().catch(onFailure)
    isRunning = false
  }, intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
