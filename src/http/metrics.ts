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
  watchInFlight(count: () => number): void
  /** Counts a run that migrates all tenants; `stopped`: a failure ended it. */
  migrationRunEnded(outcome: 'finished' | 'stopped'): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tenantdesk_' })
  const requests = new Counter({
    name: 'tenantdesk_http_requests_total',
    help: 'Requests, by method and status',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'tenantdesk_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  // Cached because looking up a pair of labels costs more than counting. There are few pairs.
  const counters = new Map<string, Counter.Internal>()
  return {
    registry,
    ...storageMetrics(registry),
    observe(method, status, milliseconds) {
      const pair = `${method} ${status}`
      const counter = counters.get(pair) ?? requests.labels(method, String(status))
      counters.set(pair, counter)
      counter.inc()
      seconds.observe(milliseconds / 1000)
    },
  }
}

/** The metrics of the storage engines. Only SQLite reports commits and files. */
function storageMetrics(registry: Registry): Pick<Metrics, 'engine' | 'watchInFlight' | 'migrationRunEnded'> {
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
  const openFiles = watchOpenFiles(registry)
  let inFlight = () => 0
  new Gauge({
    name: 'tenantdesk_operations_in_flight',
    help: 'Operations on tenants that are queued or running',
    registers,
    collect() {
      this.set(inFlight())
    },
  })
  return {
    engine: {
      committed(operations, milliseconds) {
        batchSizes.observe(operations)
        commits.observe(milliseconds / 1000)
      },
      rejected: (reason) => rejections.inc({ reason }),
      opened: openFiles,
      evicted: (count) => evictions.inc(count),
      migrated: (isDone) => migrations.inc({ outcome: isDone ? 'success' : 'failure' }),
    },
    watchInFlight(count) {
      inFlight = count
    },
    migrationRunEnded: (outcome) => runs.inc({ outcome }),
  }
}

/** Registers the gauge of open tenant files. Returns a function that sets the number of one thread. */
function watchOpenFiles(registry: Registry): StorageMetrics['opened'] {
  const byThread = new Map<number, number>()
  new Gauge({
    name: 'tenantdesk_sqlite_open_files',
    help: 'Tenant files that writer threads have open',
    registers: [registry],
    collect() {
      this.set([...byThread.values()].reduce((sum, each) => sum + each, 0))
    },
  })
  return (thread, count) => void (count === 0 ? byThread.delete(thread) : byThread.set(thread, count))
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
