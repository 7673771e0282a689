// Memory of a server with many open connections: each with a request in flight, then each with most of a large body sent.
// node bench/studies/connections.ts [--connections 10000] [--bodies 2000]     raise ulimit -n first

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { holdingsOf } from '../harness/machine.ts'
import { startNode } from '../harness/processes.ts'
import { makeTenants, serviceSettings } from '../harness/tenants.ts'

const { values: options } = parseArgs({
  options: { connections: { type: 'string', default: '10000' }, bodies: { type: 'string', default: '2000' } },
})
const tenants = 10
const mebibyte = 2 ** 20

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-connections-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(directory, { recursive: true, force: true }))
const environment = { ...serviceSettings, LOG_LEVEL: 'warn', DATA_DIR: join(directory, 'service') }
const tokens = await makeTenants(environment, tenants)
const server = started.adopt(await startNode(environment, join(directory, 'log')), (each) => each.end())
const { port, pathname } = new URL(server.url)
const sockets = await openAll(Number(options.connections))

say('idle connections')
for (let round = 1; round <= 3; round++) {
  await tell(
    `a request on each, round ${round}`,
    sockets.map((socket, at) => ask(socket, tokens[at % tenants]!)),
  )
}
const few = sockets.slice(0, Number(options.bodies))
const sending = few.map((socket, at) => send(socket, tokens[at % tenants]!))
await new Promise((resolve) => setTimeout(resolve, 3000))
say(`${few.length} bodies of 1 MiB, all but their last byte sent`)
for (const { finish } of sending) finish()
await tell(
  'the same, finished',
  sending.map(({ answer }) => answer),
)
await tell(
  'a request on each of those',
  few.map((socket, at) => ask(socket, tokens[at % tenants]!)),
)
for (const socket of sockets) socket.destroy()

type Answer = { status: number; retryAfter: string | undefined }

async function openAll(count: number): Promise<Socket[]> {
  const all: Socket[] = []
  while (all.length < count) {
    const some = Array.from({ length: Math.min(200, count - all.length) }, () => connect(Number(port), '127.0.0.1'))
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    for (const socket of some) socket.on('error', () => {})
    all.push(...some)
  }
  return all
}

function head(token: string, length: number): string {
  const headers = [
    'Host: bench',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  ]
  return `POST ${pathname}/customers.php HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
}

function ask(socket: Socket, token: string): Promise<Answer> {
  const answer = answerOn(socket)
  const body = '{"name":"Harbour branch"}'
  socket.write(head(token, body.length) + body)
  return answer
}

/** The body is refused: its name is too long. */
function send(socket: Socket, token: string): { answer: Promise<Answer>; finish: () => void } {
  const answer = answerOn(socket)
  socket.write(head(token, mebibyte))
  socket.write(`{"name":"${'x'.repeat(mebibyte - 12)}"`)
  return { answer, finish: () => socket.write(' }') }
}

function answerOn(socket: Socket): Promise<Answer> {
  return new Promise((resolve) => {
    let text = ''
    const hear = (chunk: Buffer) => {
      text += chunk
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (end === -1 || Buffer.byteLength(text) < end + 4 + length) return
      socket.off('data', hear)
      socket.off('close', lose)
      resolve({ status: Number(text.slice(9, 12)), retryAfter: /retry-after: (\d+)/i.exec(text)?.[1] })
    }
    const lose = () => resolve({ status: 0, retryAfter: undefined })
    socket.on('data', hear)
    socket.once('close', lose)
  })
}

async function tell(what: string, answers: Promise<Answer>[]): Promise<void> {
  const start = performance.now()
  const all = await Promise.all(answers)
  const counts = Object.entries(
    Object.groupBy(all, ({ status, retryAfter }) => `${status}${retryAfter ? ` (Retry-After ${retryAfter})` : ''}`),
  )
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  say(`${what}: ${counts.map(([status, some]) => `${some!.length} × ${status}`).join(', ')} in ${seconds} s`)
}

function say(what: string): void {
  const { memory, files } = holdingsOf(server.pid)
  console.log(`${memory.toFixed(0).padStart(5)} MiB  ${String(files).padStart(6)} open  ${what}`)
}
