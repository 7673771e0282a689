// Counts the nesting and members of large JSON by scanning its bytes, which is many times faster than parsing it.

import { endOfString, jsonBytes } from './json-bytes.ts'

/** Limits of a body. `scannedFrom`: only bodies of more than this many bytes are scanned. `nesting`: levels of objects
 *  and arrays. `members`: the total number of members of all objects and arrays; an empty object or array adds one
 *  member. */
export type JsonLimits = { scannedFrom: number; nesting: number; members: number }

const { quote, comma, openBracket, closeBracket, openBrace, closeBrace } = jsonBytes

/** Returns the limit that a body exceeds, or null. The result is arbitrary if the body is not valid JSON. */
export function exceededLimit(body: Uint8Array, limits: JsonLimits): 'nesting' | 'members' | null {
  if (body.length <= limits.scannedFrom) return null
  let [depth, members] = [0, 0]
  for (let position = 0; position < body.length; position++) {
    switch (body[position]) {
      case quote:
        position = endOfString(body, position + 1)
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
