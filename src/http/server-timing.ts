// Measures how long each request spends in queues and databases, for SERVER_TIMING.

import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { measureOperations, type RequestTimes } from '../engine/measurements.ts'

type Measurement = { times: RequestTimes; startedAt: number }

declare module 'fastify' {
  interface FastifyRequest {
    measurement?: Measurement
  }
}

export function measureRequests(server: FastifyInstance, config: Config): void {
  if (!config.SERVER_TIMING) return
  server.addHook('onRequest', (request, _reply, done) => {
    const times = { queueMs: 0, databaseMs: 0 }
    request.measurement = { times, startedAt: performance.now() }
    measureOperations(times, done)
  })
  // A body parser's callback runs outside the asynchronous context of onRequest, so the measurement is resumed here.
  server.addHook('preHandler', ({ measurement }, _reply, done) =>
    measurement ? measureOperations(measurement.times, done) : done(),
  )
  server.addHook('onSend', (request, reply, payload, done) => {
    if (request.measurement) reply.header('server-timing', format(request.measurement))
    done(null, payload)
  })
}

/** Returns the Server-Timing header's value (W3C): how many milliseconds pass before the response starts, and how
 *  many of them are spent in queues and in databases. The times of concurrent operations are added up. */
function format({ times, startedAt }: Measurement): string {
  const entries = { total: performance.now() - startedAt, queue: times.queueMs, database: times.databaseMs }
  return Object.entries(entries)
    .map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`)
    .join(', ')
}
