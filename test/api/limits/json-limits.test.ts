// Large bodies with many members or deep nesting are refused before they are parsed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { exceededLimit } from '../../../src/api/json-scan.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { runs, startService } from '../../support/service.ts'

const service = await startService()
const acme = await service.tenant('acme')
const post = (body: string, headers: Record<string, string> = {}) => acme('POST', '/customers.php', body, headers)

const kilobytes = 1024
/** Text that makes a body larger than 64 KB. It is sent in an unknown field, which the service ignores. */
const padding = 'x'.repeat(64 * kilobytes)
/** Returns a large body with a valid customer. `rest` is appended to the customer's members. */
const large = (rest = '') => `{"name":"Large","ignored":"${padding}"${rest}}`
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('a large body with few members is accepted, whatever its strings contain', async () => {
  const strings = JSON.stringify('[{,"\\'.repeat(5000))
  for (const body of [large(), large(`,"more":${strings}`), large(`,"\\"[[\\\\":${strings}`)]) {
    assert.ok(body.length > 64 * kilobytes)
    assert.equal((await post(body)).status, 201)
  }
})

test('the largest valid record is accepted, even if all its characters are escaped', async () => {
  const notes = '\\ud83d\\ude00'.repeat(2000)
  const created = await post(
    `{"name":"${'\\u00fc'.repeat(100)}","notes":"${notes}","address":"${'\\ud83d\\ude00'.repeat(200)}"}`,
  )
  assert.deepEqual([created.status, [...created.body.notes].length], [201, 2000])
  assert.equal((await post(`{"name":"x"${' '.repeat(900 * kilobytes)}}`)).status, 201)
})

test('a body of more than 64 KB can have at most 32 levels of nesting', async () => {
  assert.equal((await post(large(`,"deep":${nested(31)}`))).status, 201)
  const refused = await post(large(`,"deep":${nested(32)}`))
  assertRefused(refused, 'invalid_request')
  assert.match(refused.body.error.message, /nest.*32/)
})

test('a body of more than 64 KB can have at most 200 members, counted across all its objects and arrays', async () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `,"m${index}":${index}`).join('')
  assert.equal((await post(large(members(198)))).status, 201)
  const elements = (count: number) => `,"list":[${Array(count).fill('{}').join()}]`
  assert.equal((await post(large(elements(98)))).status, 201)
  for (const body of [large(members(199)), large(elements(99)), large(`,"list":[${Array(198).fill(0).join()}]`)]) {
    const refused = await post(body)
    assertRefused(refused, 'invalid_request')
    assert.match(refused.body.error.message, /200 members/)
  }
})

test('a body of up to 64 KB can have any number of members and levels', async () => {
  const members = Array.from({ length: 3000 }, (_, index) => `,"member${index}":${index}`).join('')
  for (const body of [`{"name":"x"${members}}`, `{"name":"x","deep":${nested(5000)}}`]) {
    assert.ok(body.length < 64 * kilobytes)
    assert.equal((await post(body)).status, 201)
  }
})

test('the limits on a body are checked after the Idempotency-Key is looked up and before the JSON is parsed', async () => {
  assertRefused(await post('['.repeat(500_000)), 'invalid_request')
  assertRefused(await post(`${large()}}`), 'invalid_json')
  const key = { 'idempotency-key': randomUUID() }
  const first = await post('{"name":"Once"}', key)
  assert.equal((await post('['.repeat(500_000), key)).text, first.text)
})

/** Returns a parsed value's depth and number of members. An empty object or array counts as one member. */
function measure(value: unknown): { depth: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    members: Math.max(1, inner.length) + inner.reduce((sum, { members }) => sum + members, 0),
  }
}

test('the scan of a body counts the same levels and members as the JSON parser', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 6 }), fc.constantFrom(0, 1, 2), (value, indent) => {
      const body = Buffer.from(JSON.stringify(value, null, indent))
      const { depth, members } = measure(JSON.parse(body.toString()))
      const exceeded = (maxNesting: number, maxMembers: number) =>
        exceededLimit(body, { scannedFrom: 0, nesting: maxNesting, members: maxMembers })
      assert.equal(exceeded(depth, members), null)
      if (depth > 0) assert.equal(exceeded(depth - 1, Infinity), 'nesting')
      if (members > 0) assert.equal(exceeded(Infinity, members - 1), 'members')
    }),
    { numRuns: runs(2000) },
  )
})

test('a body with a Content-Encoding is refused, and the message names the header', async () => {
  const body = gzipSync('{"name":"x"}')
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip', 'x']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    for (const payload of [body, '{"name":"x"}']) {
      const refused = await acme('POST', '/customers.php', payload, headers)
      assertRefused(refused, 'invalid_request', encoding)
      assert.match(refused.body.error.message, /Content-Encoding/)
    }
  }
  assert.equal((await post('{"name":"x"}', { 'content-encoding': 'identity' })).status, 201)
  assert.equal((await post('{"name":"x"}', { 'content-encoding': '' })).status, 201)
  assertRefused(await acme('PUT', '/customers.php?id=1', body, { 'content-encoding': 'gzip' }), 'invalid_request')
  const { id } = (await post('{"name":"x"}')).body
  assert.equal((await acme('DELETE', `/customers.php?id=${id}`, body, { 'content-encoding': 'gzip' })).status, 200)
})
