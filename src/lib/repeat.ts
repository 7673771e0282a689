/** Runs a task at regular intervals, but never twice at the same time. `onFailure` is called with the error of a failed
 *  run; further runs take place as usual. Does not keep the process alive. */
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
