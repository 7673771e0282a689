// W3C Trace Context: the log and the response continue the trace that a request names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { type Json, makeTenant, startService } from '../support/service.ts'

const lines: Json[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
const { environment, client, service } = await startService({}, { nodes: 1, log })
const acme = client(await makeTenant(environment, 'acme'))

const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
let count = 0

/** Sends a request. Returns the traceparent of the response, and the request's log line. */
async function send(traceparent?: string) {
  const id = `traced-${count++}`
  const headers = { 'x-request-id': id, ...(traceparent !== undefined && { traceparent }) }
  const response = await acme('GET', '/customers.php', undefined, headers)
  return { returned: response.headers.traceparent, line: lines.find(({ requestId }) => requestId === id) }
}

test('the log and the response for a request with a valid traceparent have the same trace id and a new span id', async () => {
  const one = await send(`00-${trace}-${parent}-01`)
  const [, span] = new RegExp(`^00-${trace}-([0-9a-f]{16})-01$`).exec(one.returned!)!
  assert.deepEqual([one.line.trace_id, one.line.span_id, one.line.parent_span_id], [trace, span, parent])
  const other = await send(`00-${trace}-${parent}-00`)
  assert.match(other.returned!, /-00$/)
  assert.notEqual(other.line.span_id, span)
})

test('responses to requests for panel pages and to refused requests also have the trace id of the traceparent', async () => {
  for (const url of ['/login.php', '/api/v1/customers.php', '/nothing']) {
    const response = await service.server.inject({ url, headers: { traceparent: `00-${trace}-${parent}-01` } })
    assert.match(String(response.headers.traceparent), new RegExp(`^00-${trace}-`), url)
  }
})

test('later versions of traceparent are parsed as the specification requires', async () => {
  for (const version of [`01-${trace}-${parent}-01`, `cc-${trace}-${parent}-01-what-the-future-brings`])
    assert.match((await send(version)).returned!, new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`), version)
  assert.match((await send(`00-${trace}-${parent}-ff`)).returned!, /-03$/, 'undefined flags are zero')
})

test('an invalid traceparent is ignored', async () => {
  const invalid = [
    '',
    'hello',
    `ff-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-1`,
    `00-${trace}-${parent}-0x`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`,
    ` 00-${trace}-${parent}-01x`,
    `cc-${trace}-${parent}-01x`,
  ]
  for (const traceparent of [undefined, ...invalid]) {
    const { returned, line } = await send(traceparent)
    assert.deepEqual([returned, line.trace_id, line.span_id], [undefined, undefined, undefined], String(traceparent))
  }
})
