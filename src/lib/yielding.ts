/** Divides a long computation on the main thread into slices, so that requests are served between slices. Lets the event
 *  loop run if the work since the last wait has taken longer than a slice; otherwise returns undefined. */
export type YieldToOthers = () => Promise<void> | undefined

export function startYielding(sliceMs: number): YieldToOthers {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < sliceMs) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        startedAt = performance.now()
        resolve()
      }),
    )
  }
}
