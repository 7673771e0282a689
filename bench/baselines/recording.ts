// What the service sends to PostgreSQL for a request: not copied from it, but written down while it works, so that the limit
// stays in step with it. A service runs in this process, and pg is listened to where statements enter it.

import { openService } from '../../src/app/service.ts'
import { readConfig } from '../../src/config.ts'
import { type Operation, type Request, requestsOf } from '../harness/operations.ts'
import { type Entry, listenToStatements } from './listener.ts'

/** A value of a statement: as it was; a key never used before; or what the statement with that number gave. */
export type Value = { is: unknown } | { isFresh: true } | { from: number; column: string }

/** `number`: its place in the recording. */
export type Statement = { number: number; text: string; name?: string; values: Value[] }

/** Statements for one connection, which was taken from a pool as number `checkout` and goes back when `isLast`.
 *  `isShared`: sent once for all requests of a turn of the event loop. `isAwaited`: it goes back after the answer. */
export type Batch = {
  pool: number
  checkout: number
  statements: Statement[]
  isLast: boolean
  isShared: boolean
  isAwaited: boolean
}

/** A request, as the flights that go out for it one after another. A flight is what is sent before an answer has come. */
export type Recording = Batch[][]

export type Recorder = {
  /** One recording for each path of the operation, or for each tenant. */
  record(operation: Operation, tokens: string[]): Promise<Recording[]>
  /** How many connections each of the service's pools may open. */
  poolSizes(): number[]
} & AsyncDisposable

/** Requests sent at once to see what they share. Of creates it makes more records than reads ask for. */
const crowd = 64

/** A service of its own in this process, on the same database as the nodes. */
export async function openRecorder(environment: Record<string, string>): Promise<Recorder> {
  const config = readConfig({ ...environment, LOG_LEVEL: 'silent' })
  const listener = listenToStatements()
  const service = await openService(config)

  async function send({ method, bodies }: Operation, { path, headers }: Request): Promise<void> {
    const url = config.API_BASE_PATH + path
    const { statusCode, payload } = await service.server.inject({ method, url, headers, payload: bodies?.[0] })
    if (statusCode >= 300) throw new Error(`A request to be recorded was answered ${statusCode}: ${payload}`)
  }

  /** The texts of the statements that requests which come together do not each send. */
  async function findShared(operation: Operation, tokens: string[]): Promise<Set<string>> {
    const requests = Array.from({ length: crowd }, () => requestsOf(operation, tokens)[0]!)
    await send(operation, requests.pop()!) // the first one in a process does more
    listener.take()
    await Promise.all(requests.map((request) => send(operation, request)))
    const texts = listener.take().map(({ text }) => text)
    return new Set(texts.filter((text) => texts.filter((other) => other === text).length < requests.length))
  }

  return {
    async record(operation, tokens) {
      const shared = await findShared(operation, tokens)
      for (const request of requestsOf(operation, tokens)) await send(operation, request)
      const recordings: Recording[] = []
      for (const request of requestsOf(operation, tokens)) {
        listener.take()
        await send(operation, request)
        recordings.push(toRecording(listener.take(), request.headers['idempotency-key'], shared))
      }
      return recordings
    },
    poolSizes: listener.poolSizes,
    async [Symbol.asyncDispose]() {
      await service.close()
      listener.end()
    },
  }
}

function toRecording(entries: Entry[], key: string | undefined, shared: Set<string>): Recording {
  const flights = Map.groupBy(entries, ({ flight }) => flight)
  return [...flights.values()].map((flight) =>
    [...Map.groupBy(flight, ({ checkout }) => checkout)].map(([checkout, sent]): Batch => {
      const statements = sent.map((entry) => toStatement(entries, entry, key))
      const isLast = entries.findLast((entry) => entry.checkout === checkout) === sent.at(-1)
      const isShared = statements.every(({ text }) => shared.has(text))
      const isAwaited = sent.every((entry) => entry.isAwaited)
      return { pool: sent[0]!.pool, checkout, statements, isLast, isShared, isAwaited }
    }),
  )
}

function toStatement(entries: Entry[], entry: Entry, key: string | undefined): Statement {
  const earlier = entries.filter(({ checkout, flight }) => checkout === entry.checkout && flight < entry.flight)
  const values = entry.values.map((value): Value => {
    if (value === key) return { isFresh: true }
    const source = typeof value === 'number' && earlier.findLast(({ row }) => Object.values(row).includes(value))
    if (!source) return { is: value }
    const column = Object.keys(source.row).find((name) => source.row[name] === value)!
    return { from: entries.indexOf(source), column }
  })
  return { number: entries.indexOf(entry), text: entry.text, name: entry.name, values }
}
