// The limit, in a process of its own: what the driver and PostgreSQL give when the service's statements are sent and nothing
// else is done. No HTTP, no checks, no JSON, no log. Each worker sends a recording, flight by flight, and begins again.
// Run with the address of the database and the sizes of the service's pools.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import pg from 'pg'
import { coalescePerTick } from '../../src/catalog/catalog.ts'
import { type Measured, startMeasuring } from '../harness/latencies.ts'
import { answerJobs } from '../harness/processes.ts'
import type { Batch, Recording, Statement, Value } from './recording.ts'

/** Workers go through the recordings in turn. */
export type Job = { recordings: Recording[]; connections: number; seconds: number }

type Row = Record<string, unknown>

/** A recording on its way: its connections, its key, the first row of what each statement gave. */
type Course = { clients: Map<number, pg.PoolClient>; key: string; rows: Row[] }

const [url, ...sizes] = process.argv.slice(2)
const pools = sizes.map(
  (size) => new pg.Pool({ connectionString: url, max: Number(size), pipeline: true } as pg.PoolConfig),
)
const shared = new Map<string, () => Promise<void>>()

answerJobs(measure)

async function measure({ recordings, connections, seconds }: Job): Promise<Measured> {
  const measuring = startMeasuring(seconds)
  async function work(start: number): Promise<void> {
    for (let at = start; !measuring.isOver(); at++) {
      const sentAt = performance.now()
      await send(recordings[at % recordings.length]!)
      measuring.note(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, start) => work(start)))
  return measuring.finish(0)
}

async function send(recording: Recording): Promise<void> {
  const course: Course = { clients: new Map(), key: randomUUID(), rows: [] }
  for (const flight of recording) {
    await Promise.all(flight.map((batch) => (batch.isShared ? sendShared(batch) : sendBatch(course, batch))))
  }
}

/** Nothing of it depends on the request, so what one sends is good for all that ask in the same turn. */
function sendShared(batch: Batch): Promise<void> {
  const { text } = batch.statements[0]!
  const known = shared.get(text)
  if (known) return known()
  const look = coalescePerTick(() => sendBatch({ clients: new Map(), key: '', rows: [] }, batch))
  shared.set(text, look)
  return look()
}

async function sendBatch(course: Course, { pool, checkout, statements, isLast, isAwaited }: Batch): Promise<void> {
  const client = course.clients.get(checkout) ?? (await pools[pool]!.connect())
  course.clients.set(checkout, client)
  sendTogether(client)
  const sent = Promise.all(statements.map((statement) => query(client, course, statement)))
  if (isLast && !isAwaited) return client.release()
  const results = await sent
  for (const [at, { number }] of statements.entries()) course.rows[number] = results[at]!.rows?.[0]
  if (isLast) client.release()
}

/** What is sent from here to the end of the turn goes in one write, as the service does it. */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** As the service does it: text and values by themselves are what pg is fastest with. */
function query(client: pg.PoolClient, course: Course, { text, name, values }: Statement): Promise<pg.QueryResult> {
  const parameters = values.map((value) => given(course, value))
  return name === undefined ? client.query(text, parameters) : client.query({ text, name, values: parameters })
}

function given(course: Course, value: Value): unknown {
  if ('is' in value) return value.is
  return 'isFresh' in value ? course.key : course.rows[value.from]![value.column]
}
