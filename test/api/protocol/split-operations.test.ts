// The scan that splits a bulk request into its operations gives the same result as JSON.parse for any body.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitOperations } from '../../../src/api/bulk/split-operations.ts'

const noPause = () => undefined

/** Splits the body, parses its parts and reassembles them. Returns undefined if a part is not JSON. */
async function reassemble(body: string): Promise<unknown> {
  const { envelope, operations } = await splitOperations(Buffer.from(body), 1000, noPause)
  try {
    const parsed = operations.map(({ bytes }) => JSON.parse(bytes.toString()))
    const members = JSON.parse(envelope)
    return operations.length > 0 ? { ...members, operations: parsed } : members
  } catch {
    return undefined
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const json = fc.jsonValue({ maxDepth: 4 })
const request = fc.record({ mode: json, operations: fc.array(json, { minLength: 1, maxLength: 5 }), more: json })
const space = fc.constantFrom(undefined, 1, '\t')

test('the scan of a bulk request finds the same operations as JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(request, space, async (value, indent) => {
      const body = JSON.stringify(value, null, indent)
      assert.deepEqual(await reassemble(body), JSON.parse(body))
    }),
    { numRuns: 500 },
  )
})

test('the scan of a bulk request accepts a damaged body only if JSON.parse also accepts the body and returns the same result', async () => {
  const damage = fc.constantFrom('', ',', '"', '[', ']', '{', '}', ':', '\\', ' ', '0', 'x', '"operations":[1],')
  await fc.assert(
    fc.asyncProperty(request, fc.nat(), damage, fc.nat(3), async (value, position, inserted, removed) => {
      const text = JSON.stringify(value)
      const start = position % (text.length + 1)
      const body = text.slice(0, start) + inserted + text.slice(start + removed)
      const { operations } = (parse(body) ?? {}) as { operations?: unknown }
      // An empty list is refused later, when the envelope is checked.
      if (Array.isArray(operations) && operations.length === 0) return
      const result = await reassemble(body).catch((error: Error) => error)
      if (result instanceof Error) assert.match(result.message, /^operations is given more than once/)
      else assert.deepEqual(result, parse(body))
    }),
    { numRuns: 1000 },
  )
})

test('the scan of a bulk request counts nesting and members separately for each operation', async () => {
  const body = Buffer.from('{"a":[[[]]],"operations":[{"x":{"y":[1,2]}},7,[[]],{"s":"]},[{"}]}')
  const { operations } = await splitOperations(body, 10, noPause)
  assert.deepEqual(
    operations.map(({ nesting, members }) => [nesting, members]),
    [
      [3, 4],
      [0, 0],
      [2, 2],
      [1, 1],
    ],
  )
})
