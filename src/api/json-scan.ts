// Counts the nesting and members of large JSON by scanning its bytes. Parsing would take the main thread many times as
// long.

/** Limits of a body. `scannedFrom`: bytes up to which a body is parsed without a scan. `nesting`: levels of objects and
 *  arrays. `members`: total members of all objects and arrays; an empty one counts as one. */
export type JsonLimits = { scannedFrom: number; nesting: number; members: number }

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The limit that a body exceeds, or null. The result is arbitrary if the body is not valid JSON. */
export function exceededLimit(body: Uint8Array, limits: JsonLimits): 'nesting' | 'members' | null {
  if (body.length <= limits.scannedFrom) return null
  let [depth, members] = [0, 0]
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        at = endOfString(body, at + 1)
        break
      case openBrace:
      case openBracket:
        if (++depth > limits.nesting) return 'nesting'
        if (++members > limits.members) return 'members'
        break
      case closeBrace:
      case closeBracket:
        depth--
        break
      case comma:
        if (++members > limits.members) return 'members'
    }
  }
  return null
}

/** The position of the closing quote of a string whose content starts at `at`. */
function endOfString(body: Uint8Array, at: number): number {
  for (let end = at; end < body.length; end++) {
    if (body[end] === backslash) end++
    else if (body[end] === quote) return end
  }
  return body.length
}
