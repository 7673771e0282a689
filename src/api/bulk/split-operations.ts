// Splits the JSON of a bulk request into its operations, so that they can be parsed one by one: parsing the whole body
// at once would block the main thread. Syntax errors are left to JSON.parse, which later parses every operation and the
// remaining envelope.

import type { YieldToOthers } from '../../lib/yielding.ts'
import { invalidRequest } from '../../problem.ts'
import { endOfString, jsonBytes } from '../json-scan.ts'

/** `envelope`: the body with each operation replaced by its index: `{"mode": "each", "operations": [0,1]}`. */
export type SplitBody = { envelope: string; operations: OperationText[] }

/** An unparsed operation. `nesting`: the number of levels of objects and arrays. `members`: the total number of members
 *  of all objects and arrays. */
export type OperationText = { bytes: Buffer; nesting: number; members: number }

const listName = 'operations'

/** The length of the longest JSON spelling of the name: two quotation marks, and an escape such as \u006f for every
 *  character. */
const maxListNameLength = 2 + 6 * listName.length

/** The number of bytes to scan between two checks of the clock. Scanning them takes about 0.3 ms. */
const bytesPerCheck = 65_536

const { space, quote, comma, openBracket, closeBracket, openBrace, closeBrace } = jsonBytes

/** Throws `invalid_request` if there are more than `maxOperations` operations. If the body is not valid JSON, the parts
 *  of the result are arbitrary, but at least one of them is not valid JSON either. */
export async function splitOperations(
  body: Buffer,
  maxOperations: number,
  yieldToOthers: YieldToOthers,
): Promise<SplitBody> {
  const scan = startScan(body, maxOperations)
  let nextCheck = bytesPerCheck
  for (let position = 0; position < body.length; position++) {
    if (position >= nextCheck) {
      nextCheck = position + bytesPerCheck
      await yieldToOthers()
    }
    const byte = body[position]!
    switch (byte) {
      case quote: {
        const end = endOfString(body, position + 1)
        scan.text(position, end + 1)
        position = end
        break
      }
      case openBrace:
      case openBracket:
        scan.open(position, byte)
        break
      case closeBrace:
      case closeBracket:
        scan.close(position)
        break
      case comma:
        scan.comma(position)
        break
      default:
        if (byte > space) scan.literal()
    }
  }
  return scan.end()
}

/** Collects operations while splitOperations passes it the tokens of the body. */
function startScan(body: Buffer, maxOperations: number) {
  const operations: OperationText[] = []
  let depth = 0
  let name = { start: 0, end: 0 } // the last string at depth 1, which is a member's name if a list follows
  let range: { start: number; end: number } | undefined // the content of the list
  let isInList = false
  let current = { start: 0, nesting: 0, members: 0, isBlank: true }

  function startOperation(start: number): void {
    current = { start, nesting: 0, members: 0, isBlank: true }
  }

  function endOperation(end: number): void {
    if (operations.length === maxOperations) {
      throw invalidRequest(`operations may have at most ${maxOperations} entries; send the others in another request.`)
    }
    const { start, nesting, members } = current
    operations.push({ bytes: body.subarray(start, end), nesting, members })
  }

  return {
    text(start: number, end: number): void {
      if (depth === 1) name = { start, end }
      current.isBlank = false
    },
    literal(): void {
      current.isBlank = false
    },
    open(position: number, byte: number): void {
      depth++
      if (isInList) {
        current.nesting = Math.max(current.nesting, depth - 2)
        current.members++
        current.isBlank = false
      } else if (byte === openBracket && depth === 2 && isListName(body, name)) {
        if (range) throw invalidRequest('operations is given more than once; give one list.')
        range = { start: position + 1, end: position + 1 }
        isInList = true
        startOperation(position + 1)
      }
    },
    close(position: number): void {
      depth--
      if (!isInList || depth !== 1) return
      if (operations.length > 0 || !current.isBlank) endOperation(position)
      range!.end = position
      isInList = false
    },
    comma(position: number): void {
      if (isInList && depth === 2) {
        endOperation(position)
        startOperation(position + 1)
      } else current.members++
    },
    end(): SplitBody {
      return { envelope: envelopeOf(body, range, operations.length), operations }
    },
  }
}

function isListName(body: Buffer, { start, end }: { start: number; end: number }): boolean {
  if (end - start > maxListNameLength) return false
  try {
    return JSON.parse(body.toString('utf8', start, end)) === listName
  } catch {
    return false
  }
}

function envelopeOf(body: Buffer, range: { start: number; end: number } | undefined, count: number): string {
  if (!range) return body.toString()
  const positions = Array.from({ length: count }, (_, index) => index).join(',')
  return body.toString('utf8', 0, range.start) + positions + body.toString('utf8', range.end)
}
