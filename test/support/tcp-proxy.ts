// What stands between a service and its PostgreSQL where a test wants the way to be bad: connections can be cut, held
// silent, and led to another server.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Where a connection fails: when the commit is about to be passed to the server, or when the server's answer to it is
 *  about to be passed back. */
export type Moment = 'before the commit' | 'after the commit'

export type DatabaseProxy = {
  /** The address of a database, past this proxy. */
  url: string
  /** Cuts the connections of the next commits, one at each moment. */
  cutAt(...moments: Moment[]): void
  /** Holds the connection of the next commit silent, for good: neither side hears that the other has gone. */
  holdAt(moment: Moment): void
  /** Takes what comes and passes nothing on, new connections included. */
  silence(): void
  /** Passes on all that was held back. */
  speak(): void
  /** Cuts every connection, and leads new ones to the server of this address. */
  leadTo(url: string): void
  /** How many failures at commits were asked for and have not come. */
  left(): number
  /** Makes every answer of the server take so much longer, as on a long way. Milliseconds. */
  delay(milliseconds: number): void
}

/** How the text of a commit ends on the wire. */
const commit = Buffer.from('commit\0')

/** A proxy in front of the database at `url`; it ends with the tests. */
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
    client.on('data', (bytes: Buffer) => {
      const failure = bytes.includes(commit) ? failures.shift() : undefined
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
    left: () => failures.length,
    delay(milliseconds) {
      delay = milliseconds
    },
    silence() {
      isSilent = true
      for (const pair of pairs) hold(pair)
    },
    speak() {
      isSilent = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    leadTo(other) {
      target = new URL(other)
      for (const pair of pairs) cut(pair)
    },
  }
}

function hold(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.pause()
}

/** Not even that one side closes its end is passed on. */
function freeze(pair: [Socket, Socket]): void {
  hold(pair)
  for (const socket of pair) socket.removeAllListeners('close').removeAllListeners('end')
}

function cut(pair: [Socket, Socket]): void {
  for (const socket of pair) socket.destroy()
}
