// A load balancer: each new connection goes to the node whose turn it is, or to the next one that accepts it.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** The node whose turn it is, from the Thue–Morse sequence (0 1 1 0 1 0 0 1 …): every node follows every other and also
 *  itself, so that a client that alternates writes and reads does not always reach the same node for each. */
export function inTurn(): (count: number) => number {
  let turn = 0
  return (count) => [...(turn++).toString(2)].filter((digit) => digit === '1').length % count
}

/** Starts a balancer until the tests end, and returns its port. `ports` may change while it runs. */
export async function startBalancer(ports: readonly number[]): Promise<number> {
  const next = inTurn()
  const open = new Set<Socket>()
  const balancer = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    open.add(client.once('close', () => open.delete(client)))
    client.on('error', () => {}) // join hears of it too
    forward(client, next(ports.length), ports.length)
  })

  function forward(client: Socket, at: number, tries: number): void {
    const node = connect({ host: '127.0.0.1', port: ports[at % ports.length]!, allowHalfOpen: true })
    const refused = () => (tries > 1 ? forward(client, at + 1, tries - 1) : client.resetAndDestroy())
    node.once('error', refused)
    node.once('connect', () => {
      node.off('error', refused)
      join(client, node)
    })
  }

  balancer.listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  after(() => {
    balancer.close()
    for (const client of open) client.destroy()
  })
  return (balancer.address() as AddressInfo).port
}

/** Forwards data, the end of a connection and resets in both directions. */
function join(client: Socket, node: Socket): void {
  for (const [one, other] of [
    [client, node],
    [node, client],
  ] as const) {
    one.pipe(other)
    one.on('error', () => other.resetAndDestroy())
    one.on('close', () => other.destroySoon())
  }
}
