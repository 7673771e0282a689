// Nodes behind the proxy of compose.yaml are replaced one after another while clients send requests.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { haproxySkipReason, startHaproxy } from '../../support/servers/haproxy.ts'
import {
  type Client,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  temporaryDirectory,
} from '../../support/service.ts'

/** Shorter than in compose.yaml, but longer than HAProxy takes to notice that a node is about to stop. */
const shutdownDelaySeconds = 2

/** HAProxy notices within this time that a node is ready. */
const noticeMs = 1500

/** HAProxy reuses connections to the nodes only for clients that reuse their own connection to HAProxy.
 */
const keepAlive = { connection: 'keep-alive' }
const keyed = () => ({ ...keepAlive, 'idempotency-key': randomUUID() })

/** A body of 20 kB. HAProxy cannot repeat a request with a body larger than 16 kB. */
const bulk = {
  operations: Array.from({ length: 20 }, (_, index) => ({
    method: 'POST',
    resource: 'customers',
    body: { name: `Bulk ${index}`, notes: 'x'.repeat(900) },
  })),
}

/** The requests that clients send, each with the status of a successful response. */
const requests: [send: (client: Client) => Promise<{ status: number; body: Json }>, status: number][] = [
  [(client) => client('POST', '/customers.php', { name: 'Keyed' }, keyed()), 201],
  [(client) => client('POST', '/customers.php', { name: 'Without key' }, keepAlive), 201],
  [(client) => client('GET', '/customers.php', undefined, keepAlive), 200],
  [(client) => client('POST', '/bulk.php', bulk, keyed()), 200],
]

test('nodes behind HAProxy are replaced one after another, and no request fails', {
  skip: haproxySkipReason,
}, async () => {
  const environment = { DATA_DIR: temporaryDirectory(), SHUTDOWN_DELAY: String(shutdownDelaySeconds), TRUST_PROXY: '1' }
  const token = await makeTenant(environment, 'acme')
  const nodes = (await startProcess(environment, { nodes: 3 })).nodes.map((node) => ({
    ...node,
    port: new URL(node.url).port,
  }))
  const { url } = await startHaproxy(nodes)
  const client = networkClient(url, token)
  const failures: unknown[] = []
  let [isOver, created] = [false, 0]

  async function sendRequests(first: number): Promise<void> {
    for (let index = first; !isOver; index++) {
      const [send, status] = requests[index % requests.length]!
      const response = await send(client).catch((error: Error) => ({ status: 0, body: String(error.cause) }))
      if (response.status !== status) failures.push([index % requests.length, response.status, response.body])
      else if (status === 201) created++
      else if (response.body.succeeded) created += response.body.succeeded
      await wait(10)
    }
  }

  const loads = requests.map((_, index) => sendRequests(index))
  for (const [index, { port, end }] of nodes.entries()) {
    await wait(noticeMs)
    await end('SIGTERM')
    assert.equal(nodes[index]!.process.exitCode, 0, 'the node has stopped cleanly')
    await startProcess({ ...environment, PORT: port }, { nodes: 1 })
  }
  await wait(noticeMs)
  isOver = true
  await Promise.all(loads)
  assert.deepEqual(failures, [])
  assert.ok(created > 100, `${created} records`)
  const { page } = (await client('GET', '/customers.php?limit=1&total=true')).body
  assert.equal(page.total, created, 'every acknowledged record exists once')
})
