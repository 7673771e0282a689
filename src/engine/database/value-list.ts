// Lists of values in SQL: `in (?, ?, …)`. Short lists are padded to one of two lengths, so that only a few different
// statements are prepared.

const lengths = [8, 64]

/** Returns the values, with the last value repeated until the list has the next of these lengths. */
export function padValues<Value>(values: readonly Value[]): Value[] {
  const length = lengths.find((length) => length >= values.length) ?? values.length
  return [...values, ...new Array<Value>(length - values.length).fill(values.at(-1)!)]
}

/** Returns a placeholder for each value, without padding. */
export function unpaddedPlaceholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** Returns a placeholder for each of the padded values. */
export function placeholders(values: readonly unknown[]): string {
  return unpaddedPlaceholders(padValues(values))
}
