// A proxy between the service and PostgreSQL that simulates network failures. It can cut connections, stop forwarding,
// or redirect to another server.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Where a commit fails: before it is forwarded to the server, or before its response is forwarded back. */
export type Moment = 'before the commit' | 'after the commit'

export type DatabaseProxy = {
  /** The URL of a database through this proxy. */
  url: string
  /** Cuts the connections of the next commits, one for each given moment. Ignores read-only transactions, and
   *  transactions in schemas that the proxy was not started for. */
  cutAt(...moments: Moment[]): void
  /** Stops forwarding on the connection of the next commit, with the same exceptions as `cutAt`. If one side then
   *  closes the connection, the other side does not notice. */
  holdAt(moment: Moment): void
  /** Accepts connections and data, but forwards nothing. */
  stopForwarding(): void
  /** Forwards the data received since `stopForwarding`, and continues forwarding. */
  resumeForwarding(): void
  /** Cuts all connections, and forwards new ones to this server. */
  redirectTo(url: string): void
  /** The number of requested failures that have not happened yet. */
  pendingFailures(): number
  /** Delays every response from the server. */
  delay(milliseconds: number): void
}

/** Finds where transactions begin and commit in protocol messages. */
const transactionBoundaries = /\bbegin\b[^\0]*|commit\0/g

/** For `startProxy`: only tenants' schemas. Background jobs can commit in the catalog's schema at any time. */
export const tenantSchemas = /search_path to "t_/

/** Starts a proxy in front of the database at `url`. The proxy is closed after the tests. `schemas`: matches the
 *  opening statement of each transaction whose commit may fail. */
export async function startProxy(url: string, schemas = /search_path to/): Promise<DatabaseProxy> {
  let target = new URL(url)
  let isForwarding = true
  let delay = 0
  const failures: { moment: Moment; fail: (pair: [Socket, Socket]) => void }[] = []
  const pairs = new Set<[Socket, Socket]>()

  const listener = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) })
    const pair: [Socket, Socket] = [client, server]
    pairs.add(pair)
    let respond: (bytes: Buffer) => unknown = (bytes) => client.write(bytes)
    let mayFail = false

    /** If these bytes contain a commit, removes the next requested failure from the list and returns it. */
    function takeFailure(bytes: Buffer) {
      let hasCommit = false
      for (const [message] of bytes.toString('latin1').matchAll(transactionBoundaries)) {
        if (message.startsWith('begin')) mayFail = !message.includes('read only') && schemas.test(message)
        else if (mayFail) hasCommit = true
      }
      return hasCommit ? failures.shift() : undefined
    }

    client.on('data', (bytes: Buffer) => {
      const failure = takeFailure(bytes)
      if (failure?.moment === 'after the commit')
        respond = (bytes) => (bytes.includes('COMMIT\0') ? failure.fail(pair) : client.write(bytes))
      if (failure?.moment === 'before the commit') failure.fail(pair)
      else server.write(bytes)
    })
    server.on('data', (bytes: Buffer) => {
      if (delay === 0) respond(bytes)
      else setTimeout(() => respond(bytes), delay)
    })
    if (!isForwarding) hold(pair)
    for (const [socket, peer] of [pair, [server, client] as const]) {
      socket.on('error', () => peer.destroy())
      socket.on('close', () => peer.destroySoon())
      socket.on('close', () => pairs.delete(pair))
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const close = () => {
    listener.close()
    for (const pair of pairs) cut(pair)
  }
  after(close)

  const proxyUrl = new URL(url)
  proxyUrl.port = String((listener.address() as AddressInfo).port)
  return {
    url: proxyUrl.href,
    cutAt: (...moments) => void failures.push(...moments.map((moment) => ({ moment, fail: cut }))),
    holdAt: (moment) => void failures.push({ moment, fail: freeze }),
    pendingFailures: () => failures.length,
    delay(milliseconds) {
      delay = milliseconds
    },
    stopForwarding() {
      isForwarding = false
      for (const pair of pairs) hold(pair)
    },
    resumeForwarding() {
      isForwarding = true
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    redirectTo(newTarget) {
      target = new URL(newTarget)
      for (const pair of pairs) cut(pair)
    },
  }
}

function hold(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.pause()
}

/** Stops forwarding data and connection closes. */
function freeze(pair: [Socket, Socket]): void {
  hold(pair)
  for (const socket of pair) socket.removeAllListeners('close').removeAllListeners('end')
}

function cut(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.destroy()
}
