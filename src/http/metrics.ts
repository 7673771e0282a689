// The registry of Prometheus metrics, and the metrics of HTTP requests and rate limits. Names follow Prometheus'
// conventions. Labels have only a few possible values, so they never contain a tenant, an API key or the path that a
// client sent.

import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import type { FastifyReply } from 'fastify'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { isEqualInConstantTime } from '../access/authenticator.ts'
import type { EngineMetrics } from '../engine/measurements.ts'
import { Problem } from '../problem.ts'

/** A request whose response has been sent, or whose client has disconnected. `route`: the declared path, or `other`.
 *  `milliseconds`: the time from the request's arrival to that moment. */
export type ObservedRequest = { method: string; route: string; status: number; milliseconds: number }

/** The rate limits that reject requests. */
export type RateLimitName = 'key' | 'tenant' | 'session'

export type Metrics = StorageMetricsReceivers & {
  observe(request: ObservedRequest): void
  /** Counts a request that a rate limit rejected. */
  rateLimited(limit: RateLimitName): void
  /** For metrics that other modules register. */
  registry: Registry
  /** All metrics, as Prometheus reads them. */
  text(): Promise<string>
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** In seconds. The range covers everything from reading a single record to a bulk request. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The metrics of requests with the same method, route and status, of which there are only a few combinations. The
 *  labels are those of the registry, because prom-client would look up a metric's own labels for each value, which takes
 *  longer than counting. `uncounted`: requests since the metrics were last read. */
type RequestMetrics = { method: string; status: string; uncounted: number; durations: Histogram; registry: Registry }

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const ofRequests = new Map<string, RequestMetrics>()
  new Counter({
    name: 'tenantdesk_http_requests_total',
    help: 'Requests, by method and status',
    labelNames: ['method', 'status'],
    registers,
    collect() {
      for (const each of ofRequests.values()) {
        this.inc({ method: each.method, status: each.status }, each.uncounted)
        each.uncounted = 0
      }
    },
  })
  const rejections = new Counter({
    name: 'tenantdesk_rate_limit_rejections_total',
    help: 'Requests rejected with 429, by the limit that they exceeded',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of ['key', 'tenant', 'session'] satisfies RateLimitName[]) rejections.inc({ limit }, 0)
  return {
    registry,
    ...createStorageMetrics(registry),
    observe({ method, route, status, milliseconds }) {
      const name = `${method} ${status} ${route}`
      let metrics = ofRequests.get(name)
      if (!metrics) {
        metrics = createRequestMetrics(method, route, status)
        ofRequests.set(name, metrics)
      }
      metrics.uncounted++
      metrics.durations.observe(milliseconds / 1000)
    },
    rateLimited: (limit) => rejections.inc({ limit }),
    async text() {
      const parts = await Promise.all([...ofRequests.values()].map((each) => each.registry.getMetricsAsJSON()))
      return (await registry.metrics()) + (await AggregatorRegistry.aggregate(parts).metrics())
    },
  }
}

function createRequestMetrics(requestMethod: string, route: string, status: number): RequestMetrics {
  const method = methods.has(requestMethod) ? requestMethod : 'other'
  const registry = new Registry()
  registry.setDefaultLabels({ method, route, status_class: `${Math.floor(status / 100)}xx` })
  const durations = new Histogram({
    name: 'tenantdesk_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    buckets: durationBuckets,
    registers: [registry],
  })
  return { method, status: String(status), uncounted: 0, durations, registry }
}

export type StorageMetricsReceivers = {
  engine: EngineMetrics
  /** Counts a run that migrates all tenants, once the run has ended. `stopped`: the run was stopped after a failure. */
  migrationRunEnded(outcome: 'finished' | 'stopped'): void
}

function createStorageMetrics(registry: Registry): StorageMetricsReceivers {
  const registers = [registry]
  const batchSizes = new Histogram({
    name: 'tenantdesk_sqlite_commit_batch_size',
    help: 'Changes that shared a commit',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const commits = new Histogram({
    name: 'tenantdesk_sqlite_commit_duration_seconds',
    help: 'Duration of a transaction, from its first change to the end of its commit',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  })
  const evictions = new Counter({
    name: 'tenantdesk_sqlite_file_evictions_total',
    help: 'Tenant files closed to make room for others',
    registers,
  })
  const rejections = new Counter({
    name: 'tenantdesk_requests_rejected_total',
    help: 'Requests rejected with server_busy, by the limit that they exceeded',
    labelNames: ['reason'],
    registers,
  })
  const migrations = new Counter({
    name: 'tenantdesk_tenant_migrations_total',
    help: 'Migrations of single tenants',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'tenantdesk_migration_runs_total',
    help: 'Runs that migrate all tenants',
    labelNames: ['outcome'],
    registers,
  })
  // Each counter starts at zero, so that Prometheus sees its first event as an increase.
  for (const reason of ['tenant', 'process', 'bodies', 'queue']) rejections.inc({ reason }, 0)
  for (const outcome of ['success', 'failure']) migrations.inc({ outcome }, 0)
  for (const outcome of ['finished', 'stopped']) runs.inc({ outcome }, 0)
  return {
    engine: {
      committed(operations, milliseconds) {
        batchSizes.observe(operations)
        commits.observe(milliseconds / 1000)
      },
      rejected: (reason) => rejections.inc({ reason }),
      opened: watchOpenFiles(registry),
      evicted: (count) => evictions.inc(count),
      migrated: (hasSucceeded) => migrations.inc({ outcome: hasSucceeded ? 'success' : 'failure' }),
    },
    migrationRunEnded: (outcome) => runs.inc({ outcome }),
  }
}

/** Registers the gauge for open tenant files. Returns a function that sets the number of files a thread has open. */
function watchOpenFiles(registry: Registry): EngineMetrics['opened'] {
  const byThread = new Map<number, number>()
  new Gauge({
    name: 'tenantdesk_sqlite_open_files',
    help: 'Tenant files that writer threads have open',
    registers: [registry],
    collect() {
      this.set([...byThread.values()].reduce((sum, count) => sum + count, 0))
    },
  })
  return (thread, count) => void (count === 0 ? byThread.delete(thread) : byThread.set(thread, count))
}

/** Serves `/metrics` to holders of METRICS_TOKEN, or only to this machine if no token is set. All other requests are
 *  refused with 404. */
export async function sendMetrics(reply: FastifyReply, token: string, metrics: Metrics): Promise<FastifyReply> {
  const { request } = reply
  const isAllowed = token
    ? isEqualInConstantTime(`Bearer ${token}`, request.headers.authorization ?? '')
    : isLoopback(request.socket.remoteAddress ?? '') && !isForwarded(request.headers)
  if (!isAllowed) throw new Problem('not_found', { message: 'There is nothing at this URL.' })
  return reply.header('content-type', metrics.registry.contentType).send(await metrics.text())
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
