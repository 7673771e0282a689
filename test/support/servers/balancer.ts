// A load balancer: it forwards each new connection to the chosen node, or to the next node that accepts it.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Chooses nodes by the Thue–Morse sequence (0 1 1 0 1 0 0 1 …). If nodes took strict turns, a client that alternates
 *  writes and reads would send all writes to one node and all reads to another. */
export function createNodeChooser(): (count: number) => number {
  let choices = 0
  return (count) => [...(choices++).toString(2)].filter((digit) => digit === '1').length % count
}

/** Starts a balancer and returns its port. The balancer is stopped after the tests. `ports` may change while it
 *  runs. */
export async function startBalancer(ports: readonly number[]): Promise<number> {
  const chooseNode = createNodeChooser()
  const open = new Set<Socket>()
  const balancer = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    open.add(client.once('close', () => open.delete(client)))
    client.on('error', () => {}) // join also handles errors
    forward(client, chooseNode(ports.length), ports.length)
  })

  function forward(client: Socket, index: number, tries: number): void {
    const node = connect({ host: '127.0.0.1', port: ports[index % ports.length]!, allowHalfOpen: true })
    const tryNext = () => (tries > 1 ? forward(client, index + 1, tries - 1) : client.resetAndDestroy())
    node.once('error', tryNext)
    node.once('connect', () => {
      node.off('error', tryNext)
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

/** Forwards data, the end of data, and resets in both directions. */
function join(client: Socket, node: Socket): void {
  for (const [source, target] of [
    [client, node],
    [node, client],
  ] as const) {
    source.pipe(target)
    source.on('error', () => target.resetAndDestroy())
    source.on('close', () => target.destroySoon())
  }
}
