// Cuts the JSON of a bulk request into its operations, so that each can be parsed by itself: JSON.parse would block the main
// thread for as long as the whole body takes. What is cut out and what remains is parsed by JSON.parse, which finds every error.

import type { YieldToOthers } from '../../lib/yielding.ts'
import { invalidRequest } from '../../problem.ts'

/** The body without the operations, where each is replaced by its position: `{"mode": "each", "operations": [0,1]}`. */
export type SplitBody = { envelope: string; operations: OperationText[] }

/** An operation, not yet parsed. `nesting`: its levels of objects and arrays. `members`: their members in all. */
export type OperationText = { bytes: Buffer; nesting: number; members: number }

const list = 'operations'

/** A name of twelve characters, each of them escaped. */
const longestListName = 2 + 6 * list.length

/** Bytes between two looks at the clock: 0.3 ms of work. */
const bytesPerCheck = 65_536

const [space, quote, backslash, comma] = [0x20, 0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Throws `invalid_request` for more than `maxOperations`. The result is arbitrary if the body is not valid JSON, but then one of
 *  its parts is not valid either. */
export async function splitOperations(
  body: Buffer,
  maxOperations: number,
  yieldToOthers: YieldToOthers,
): Promise<SplitBody> {
  const scan = startScan(body, maxOperations)
  let nextCheck = bytesPerCheck
  for (let at = 0; at < body.length; at++) {
    if (at >= nextCheck) {
      nextCheck = at + bytesPerCheck
      await yieldToOthers()
    }
    const byte = body[at]!
    switch (byte) {
      case quote: {
        const end = endOfString(body, at + 1)
        scan.text(at, end + 1)
        at = end
        break
      }
      case openBrace:
      case openBracket:
        scan.open(at, byte)
        break
      case closeBrace:
      case closeBracket:
        scan.close(at)
        break
      case comma:
        scan.comma(at)
        break
      default:
        if (byte > space) scan.literal()
    }
  }
  return scan.end()
}

/** What the scan finds, token by token. */
function startScan(body: Buffer, maxOperations: number) {
  const operations: OperationText[] = []
  let depth = 0
  let name = { start: 0, end: 0 } // the last text at depth 1: the name of a member, if a list follows
  let range: { start: number; end: number } | undefined // of the list's content
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
    open(at: number, byte: number): void {
      depth++
      if (isInList) {
        current.nesting = Math.max(current.nesting, depth - 2)
        current.members++
        current.isBlank = false
      } else if (byte === openBracket && depth === 2 && isListName(body, name)) {
        if (range) throw invalidRequest('operations is given more than once; give one list.')
        range = { start: at + 1, end: at + 1 }
        isInList = true
        startOperation(at + 1)
      }
    },
    close(at: number): void {
      depth--
      if (!isInList || depth !== 1) return
      if (operations.length > 0 || !current.isBlank) endOperation(at)
      range!.end = at
      isInList = false
    },
    comma(at: number): void {
      if (isInList && depth === 2) {
        endOperation(at)
        startOperation(at + 1)
      } else current.members++
    },
    end(): SplitBody {
      return { envelope: envelopeOf(body, range, operations.length), operations }
    },
  }
}

/** The position of the closing quote of a string whose content starts at `at`. */
function endOfString(body: Buffer, at: number): number {
  for (let end = at; end < body.length; end++) {
    if (body[end] === backslash) end++
    else if (body[end] === quote) return end
  }
  return body.length
}

function isListName(body: Buffer, { start, end }: { start: number; end: number }): boolean {
  if (end - start > longestListName) return false
  try {
    return JSON.parse(body.toString('utf8', start, end)) === list
  } catch {
    return false
  }
}

function envelopeOf(body: Buffer, range: { start: number; end: number } | undefined, count: number): string {
  if (!range) return body.toString()
  const positions = Array.from({ length: count }, (_, at) => at).join(',')
  return body.toString('utf8', 0, range.start) + positions + body.toString('utf8', range.end)
}
