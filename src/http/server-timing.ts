// Measures what each request spends its time on: for SERVER_TIMING, and to name the request of a slow operation in the
// log.

import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { measureOperations, type RequestTimes } from '../storage/slow-operations.ts'

type Measurement = { times: RequestTimes; startedAt: number }

declare module 'fastify' {
  interface FastifyRequest {
    measurement?: Measurement
  }
}

export function measureRequests(server: FastifyInstance, config: Config): void {
  if (!config.SERVER_TIMING && config.SLOW_OPERATION_MS === 0) return
  server.addHook('onRequest', (request, _reply, done) => {
    const times = { requestId: request.id, queueMs: 0, databaseMs: 0 }
    request.measurement = { times, startedAt: performance.now() }
    measureOperations(times, done)
  })
  // The parser of a body calls back from outside.
  server.addHook('preHandler', ({ measurement }, _reply, done) =>
    measurement ? measureOperations(measurement.times, done) : done(),
  )
  if (!config.SERVER_TIMING) return
  server.addHook('onSend', (request, reply, payload, done) => {
    if (request.measurement) reply.header('server-timing', format(request.measurement))
    done(null, payload)
  })
}

/** Server-Timing (W3C): milliseconds until the response begins, and of these in queues and in databases. Operations
 *  that run side by side are added up. */
function format({ times, startedAt }: Measurement): string {
  const entries = { total: performance.now() - startedAt, queue: times.queueMs, database: times.databaseMs }
  return Object.entries(entries)
    .map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`)
    .join(', ')
}
