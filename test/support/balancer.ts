// A round-robin load balancer: each new connection goes to the next node that accepts it.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after } from 'node:test'

/** Starts a balancer until the tests end, and returns its port. `ports` may change while it runs. */
export async function startBalancer(ports: readonly number[]): Promise<number> {
  let turn = 0
  const open = new Set<Socket>()
  const balancer = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    open.add(client.once('close', () => open.delete(client)))
    client.on('error', () => {}) // join hears of it too
    forward(client, ports.length)
  })

  function forward(client: Socket, tries: number): void {
    const node = connect({ host: '127.0.0.1', port: ports[turn++ % ports.length]!, allowHalfOpen: true })
    const refused = () => (tries > 1 ? forward(client, tries - 1) : client.resetAndDestroy())
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
