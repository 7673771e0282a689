// Prometheus metrics: requests by method and status, request durations, the storage engine, and the process.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { Problem } from '../problem.ts'
import type { StorageMetrics } from '../storage/metrics.ts'

export type Metrics = {
  /** Counts a request. `milliseconds`: from the arrival of the request to the end of the response. */
  observe(method: string, status: number, milliseconds: number): void
  registry: Registry
  /** Receives the metrics of the storage engines. */
  engine: StorageMetrics
  /** Sets the function that returns the number of pending operations; called at each scrape. */
  watchWaiting(count: () => number): void
  swept(outcome: 'finished' | 'stopped'): void
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
  // Cached because looking up a pair of labels costs more than counting. There are few pairs.
  const counters = new Map<string, Counter.Internal>()
  return {
    registry,
    ...engineMetrics(registry),
    observe(method, status, milliseconds) {
      const pair = `${method} ${status}`
      const counter = counters.get(pair) ?? requests.labels(method, String(status))
      counters.set(pair, counter)
      counter.inc()
      seconds.observe(milliseconds / 1000)
    },
  }
}

/** The metrics of the storage engines. Only the embedded engine reports commits and files. */
function engineMetrics(registry: Registry): Pick<Metrics, 'engine' | 'watchWaiting' | 'swept'> {
  const registers = [registry]
  const name = (rest: string) => `tenantdesk_engine_${rest}`
  const batch = new Histogram({
    ...{ name: name('batch_operations'), help: 'Changes that shared a commit', registers },
    buckets: [1, 2, 4, 8, 16, 32, 64],
  })
  const commits = new Histogram({
    ...{ name: name('commit_seconds'), help: 'Time of the changes that shared a commit, with the commit', registers },
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  })
  const evictions = new Counter({
    ...{ name: name('evictions_total'), help: 'Tenant files closed to make room for others', registers },
  })
  const refused = new Counter({
    ...{ name: name('refused_total'), help: 'Requests refused with server_busy, by the limit they met', registers },
    labelNames: ['limit'],
  })
  const migrations = new Counter({
    ...{ name: name('migrations_total'), help: 'Migrations of tenants', labelNames: ['outcome'], registers },
  })
  const sweeps = new Counter({
    ...{ name: name('sweeps_total'), help: 'Sweeps that migrate tenants', labelNames: ['outcome'], registers },
  })
  const files = new Map<number, number>() // by thread
  let waiting = () => 0
  new Gauge({
    ...{ name: name('open_files'), help: 'Tenant files that writers have open', registers },
    collect() {
      this.set([...files.values()].reduce((sum, each) => sum + each, 0))
    },
  })
  new Gauge({
    ...{ name: name('waiting'), help: 'Operations on tenants that were begun or wait', registers },
    collect() {
      this.set(waiting())
    },
  })
  return {
    engine: {
      committed(operations, milliseconds) {
        batch.observe(operations)
        commits.observe(milliseconds / 1000)
      },
      refused: (limit) => refused.inc({ limit }),
      opened: (thread, count) => void (count === 0 ? files.delete(thread) : files.set(thread, count)),
      evicted: (count) => evictions.inc(count),
      migrated: (isDone) => migrations.inc({ outcome: isDone ? 'done' : 'failed' }),
    },
    watchWaiting(count) {
      waiting = count
    },
    swept: (outcome) => sweeps.inc({ outcome }),
  }
}

/** Serves `/metrics` to holders of METRICS_TOKEN, or only to this machine if no token is set. All others get 404. */
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

/** Behind a proxy on this machine every request has a loopback address. */
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
