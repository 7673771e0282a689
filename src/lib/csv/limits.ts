// How large an imported file may be, apart from its size in bytes (contract §17). Within these limits, a row takes a
// few milliseconds to read and store.

export const csvLimits = { columns: 500, titleCharacters: 200, cellCharacters: 32_000, rows: 1_000_000 }

/** Whether a text has more than `limit` characters: an emoji of two UTF-16 code units counts as one. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let count = text.length
  for (let index = 0; index < text.length - 1; index++) if (text.codePointAt(index)! > 0xffff) count--
  return count > limit
}
