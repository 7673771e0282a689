// What a caught value says about the failure.

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns a code such as `ENOENT`; undefined if the failure has none. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
