import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../problem.ts'
import type { Metrics } from './metrics.ts'

/** Serves `/metrics` to holders of METRICS_TOKEN, or only to this machine if no token is set. All other requests are
 *  refused with 404. */
export async function sendMetrics(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  metrics: Metrics,
): Promise<FastifyReply> {
  const isAllowed = token
    ? isEqual(request.headers.authorization ?? '', `Bearer ${token}`)
    : isLoopback(request.socket.remoteAddress ?? '') && !isForwarded(request.headers)
  if (!isAllowed) throw new Problem('not_found', { message: 'There is nothing at this URL.' })
  return reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics())
}

/** Whether the request came through a proxy. A proxy on this machine connects from a loopback address, so the address
 *  alone does not tell. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return ['forwarded', 'x-forwarded-for', 'via'].some((name) => headers[name] !== undefined)
}

function isLoopback(address: string): boolean {
  const ipv4 = address.replace(/^::ffff:/, '')
  return address === '::1' || (isIPv4(ipv4) && ipv4.startsWith('127.'))
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
