// Figures for Prometheus: requests by method and status, their time, and the process itself.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { Problem } from '../problem.ts'

export type Metrics = {
  /** Counts one answered request. `milliseconds` from its first byte to the end of the answer. */
  observe(method: string, status: number, milliseconds: number): void
  registry: Registry
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tenantdesk_' })
  const requests = new Counter({
    name: 'tenantdesk_http_requests_total',
    help: 'Requests answered, by method and status',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'tenantdesk_http_request_seconds',
    help: 'Time from request to answer',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  // Looking a label pair up costs more than counting does; there are few pairs.
  const counters = new Map<string, Counter.Internal>()
  return {
    registry,
    observe(method, status, milliseconds) {
      const pair = `${method} ${status}`
      const counter = counters.get(pair) ?? requests.labels(method, String(status))
      counters.set(pair, counter)
      counter.inc()
      seconds.observe(milliseconds / 1000)
    },
  }
}

/** `/metrics`: for METRICS_TOKEN where one is set, else for this machine alone. Elsewhere it does not exist. */
export async function metricsAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  metrics: Metrics,
): Promise<FastifyReply> {
  const isAllowed = token
    ? isSame(request.headers.authorization ?? '', `Bearer ${token}`)
    : isLoopback(request.socket.remoteAddress ?? '') && !isForwarded(request.headers)
  if (!isAllowed) throw new Problem('not_found', { message: 'There is nothing at this address.' })
  return reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics())
}

/** Behind a proxy on this machine everyone seems to be local. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return ['forwarded', 'x-forwarded-for', 'via'].some((name) => headers[name] !== undefined)
}

function isLoopback(address: string): boolean {
  const ipv4 = address.replace(/^::ffff:/, '')
  return address === '::1' || (isIPv4(ipv4) && ipv4.startsWith('127.'))
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
