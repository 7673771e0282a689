// Starts the baselines' HTTP server, which uses node:http without checks, limits or logging.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Listens on a free port and prints the URL. GET requests are handled immediately, because they have no body. */
export function serve(handle: Handle): void {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return handle(request, response, '')
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString()))
  })
  server.listen(0, '127.0.0.1', () => {
    process.stderr.write(`The API is at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
  })
  process.once('SIGTERM', () => process.exit())
}

export function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
