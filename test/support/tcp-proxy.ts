// A proxy between the service and PostgreSQL that simulates network failures: it can cut connections, stop forwarding,
// or redirect to another server.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Where a commit fails: before it is forwarded to the server, or before its response is forwarded back. */
export type Moment = 'before the commit' | 'after the commit'

export type DatabaseProxy = {
  /** The URL of a database through this proxy. */
  url: string
  /** Cuts the connections of the next commits that change something, at the given points. Read-only commits, such as
   *  those of background jobs that look for work, do not count. */
  cutAt(...moments: Moment[]): void
  /** Stops forwarding on the connection of the next commit that changes something: neither side sees the other
   *  close. */
  holdAt(moment: Moment): void
  /** Accepts connections and data, but forwards nothing. */
  stopForwarding(): void
  /** Forwards everything that was held back. */
  resumeForwarding(): void
  /** Cuts all connections, and forwards new ones to this server. */
  redirectTo(url: string): void
  /** The number of requested failures that have not happened yet. */
  pendingFailures(): number
  /** Delays every response of the server by this many milliseconds. */
  delay(milliseconds: number): void
}

/** Where transactions begin and end in the protocol messages. */
const transactionLimits = /\bbegin\b[^\0]*|commit\0/g

/** Starts a proxy in front of the database at `url`, until the tests end. */
export async function startProxy(url: string): Promise<DatabaseProxy> {
  let target = new URL(url)
  let isSilent = false
  let delay = 0
  const failures: { moment: Moment; fail: (pair: [Socket, Socket]) => void }[] = []
  const pairs = new Set<[Socket, Socket]>()

  const listener = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) })
    const pair: [Socket, Socket] = [client, server]
    pairs.add(pair)
    let answered: (bytes: Buffer) => unknown = (bytes) => client.write(bytes)
    let isReading = false

    /** Returns the failure for a commit in these bytes, if one is due, and removes it from the list. */
    function takeFailure(bytes: Buffer) {
      let isMet = false
      for (const [message] of bytes.toString('latin1').matchAll(transactionLimits)) {
        if (message.startsWith('begin')) isReading = message.includes('read only')
        else if (!isReading) isMet = true
      }
      return isMet ? failures.shift() : undefined
    }

    client.on('data', (bytes: Buffer) => {
      const failure = takeFailure(bytes)
      if (failure?.moment === 'after the commit') answered = () => failure.fail(pair)
      if (failure?.moment === 'before the commit') failure.fail(pair)
      else server.write(bytes)
    })
    server.on('data', (bytes: Buffer) => {
      if (delay === 0) answered(bytes)
      else setTimeout(() => answered(bytes), delay)
    })
    if (isSilent) hold(pair)
    for (const [one, other] of [pair, [server, client] as const]) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroySoon())
      one.on('close', () => pairs.delete(pair))
    }
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const close = () => {
    listener.close()
    for (const pair of pairs) cut(pair)
  }
  after(close)

  const own = new URL(url)
  own.port = String((listener.address() as AddressInfo).port)
  return {
    url: own.href,
    cutAt: (...moments) => void failures.push(...moments.map((moment) => ({ moment, fail: cut }))),
    holdAt: (moment) => void failures.push({ moment, fail: freeze }),
    pendingFailures: () => failures.length,
    delay(milliseconds) {
      delay = milliseconds
    },
    stopForwarding() {
      isSilent = true
      for (const pair of pairs) hold(pair)
    },
    resumeForwarding() {
      isSilent = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    redirectTo(other) {
      target = new URL(other)
      for (const pair of pairs) cut(pair)
    },
  }
}

function hold(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.pause()
}

/** Does not even forward that one side has closed the connection. */
function freeze(pair: [Socket, Socket]): void {
  hold(pair)
  for (const socket of pair) socket.removeAllListeners('close').removeAllListeners('end')
}

function cut(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.destroy()
}
