// A request body can take any amount of time, as long as enough data arrives in every interval.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createKey, startService } from '../support/service.ts'

const service = await startService({}, { bodyCheckIntervalMs: 300, nodes: 1 })
const { hostname, port, pathname } = new URL(await service.listen())
await service.tenant('acme')
const key = await createKey(service.environment, 'acme')

const headOf = (path: string, length: number) =>
  `POST ${pathname}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: text/csv\r\nContent-Length: ${length}\r\n\r\n`

async function open() {
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'connect')
  return { socket, received: () => received }
}

test('a request whose body stops arriving is refused with 408, and its connection is closed', async () => {
  const { socket, received } = await open()
  const closed = once(socket, 'close')
  socket.write(`${headOf('/customers.php', 100)}{"name":`)
  await closed
  assert.match(received(), /^HTTP\/1\.1 408 .*"code":"invalid_request"/s)
})

test('the upload of a large file can take many check intervals if enough data arrives in each interval', async () => {
  const { socket, received } = await open()
  const row = `${'x'.repeat(99)}\n`
  const parts = Array.from({ length: 6 }, () => row.repeat(6000))
  socket.write(headOf('/imports.php?resource=customers', 5 + parts.join('').length))
  socket.write('name\n')
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => setTimeout(resolve, 150)) // at this pace, six parts take three intervals
  }
  await eventually('a response', () => received() !== '')
  assert.match(received(), /^HTTP\/1\.1 202 /)
  socket.destroy()
})

test('a body that arrived while the process stood still is read, not refused as too slow', async () => {
  const { socket, received } = await open()
  const row = `${'x'.repeat(99)}\n`
  const parts = Array.from({ length: 3 }, () => row.repeat(6000))
  socket.write(headOf('/imports.php?resource=customers', 5 + parts.join('').length))
  socket.write('name\n')
  for (const part of parts) {
    await new Promise((resolve) => setTimeout(resolve, 50)) // what was sent before has been read
    socket.write(part)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700) // more than two intervals
  }
  await eventually('a response', () => received() !== '')
  assert.match(received(), /^HTTP\/1\.1 202 /)
  socket.destroy()
})
