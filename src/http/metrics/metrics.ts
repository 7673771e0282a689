// The registry of Prometheus metrics, and the metrics of HTTP requests and rate limits. Names follow Prometheus'
// conventions. Labels have only a few possible values, so they never contain a tenant, an API key or the path that a
// client sent.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { createStorageMetrics, type StorageMetricsReceivers } from './storage-metrics.ts'

/** A request whose response has been sent, or whose client has disconnected. `route`: the declared path, or `other`.
 *  `milliseconds`: the time from the request's arrival to that moment. */
export type ObservedRequest = { method: string; route: string; status: number; milliseconds: number }

/** The rate limits that reject requests. */
export type RateLimitName = 'key' | 'tenant' | 'session'

export type Metrics = StorageMetricsReceivers & {
  observe(request: ObservedRequest): void
  /** Counts a request that a rate limit rejected. */
  rateLimited(limit: RateLimitName): void
  registry: Registry
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** In seconds. The range covers everything from reading a single record to a bulk request. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'tenantdesk_http_requests_total',
    help: 'Requests, by method and status',
    labelNames: ['method', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'tenantdesk_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status_class'],
    buckets: durationBuckets,
    registers,
  })
  const rejections = new Counter({
    name: 'tenantdesk_rate_limit_rejections_total',
    help: 'Requests rejected with 429, by the limit that they exceeded',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of ['key', 'tenant', 'session'] satisfies RateLimitName[]) rejections.inc({ limit }, 0)
  // Metrics are cached by label combination, because looking up labels costs more than counting. There are only a few
  // combinations.
  const cachedMetrics = new Map<string, { counter: Counter.Internal; histogram: Histogram.Internal<string> }>()
  return {
    registry,
    ...createStorageMetrics(registry),
    observe({ method: given, route, status, milliseconds }) {
      const name = `${given} ${status} ${route}`
      let metricsOfRequest = cachedMetrics.get(name)
      if (!metricsOfRequest) {
        const method = methods.has(given) ? given : 'other'
        metricsOfRequest = {
          counter: requests.labels(method, String(status)),
          histogram: seconds.labels(method, route, `${Math.floor(status / 100)}xx`),
        }
        cachedMetrics.set(name, metricsOfRequest)
      }
      metricsOfRequest.counter.inc()
      metricsOfRequest.histogram.observe(milliseconds / 1000)
    },
    rateLimited: (limit) => rejections.inc({ limit }),
  }
}
