/** Runs a task at regular intervals, but never twice at the same time. If a run fails, `onFailure` is called with the
 *  error, and later runs are not affected. Does not keep the process alive. */
export function repeat(
  intervalMs: number,
  task: () => Promise<unknown>,
  onFailure: (error: Error) => void = () => {},
): { stop(): void } {
  let isRunning = false
  const timer = setInterval(async () => {
    if (isRunning) return
    isRunning = true
    await task().catch(onFailure)
    isRunning = false
  }, intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
