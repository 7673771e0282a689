// Listens to pg in this process: every statement of every pool, on which connection, and what went out before an answer came.

import pg from 'pg'

/** A statement that was sent, with the first row of its answer. `checkout`: since when its connection was out of the pool;
 *  pools are numbered in the order of their first use. `isAwaited`: the connection went back after the answer. */
export type Entry = {
  pool: number
  checkout: number
  flight: number
  text: string
  name?: string
  values: unknown[]
  row: Record<string, unknown>
  isAwaited: boolean
}

export type Listener = {
  /** What was sent since the last time. */
  take(): Entry[]
  /** How many connections each pool may open. */
  poolSizes(): number[]
  end(): void
}

type Rows = { rows?: Record<string, unknown>[] }
type Callback = (error: unknown, result?: Rows | Rows[]) => void
type Query = (this: object, config: string | pg.QueryConfig, values?: unknown, callback?: Callback) => unknown

/** Two methods of pg are replaced by ones that note and pass on, until the listener ends. */
export function listenToStatements(): Listener {
  const [client, pool] = [pg.Client.prototype as unknown as { query: Query }, pg.Pool.prototype]
  const { query } = client
  const { connect } = pool
  const taken = new WeakMap<object, { pool: number; checkout: number }>()
  const pools: pg.Pool[] = []
  const entries: Entry[] = []
  const unanswered = new Set<Entry>()
  let [checkout, flight, isAnswered] = [0, 0, false]

  pool.connect = function (this: pg.Pool, ...parts: Parameters<typeof connect>) {
    if (!pools.includes(this)) {
      const number = pools.push(this) - 1
      this.on('acquire', (acquired) => void taken.set(acquired, { pool: number, checkout: ++checkout }))
      this.on('release', (_error, released) => leave(taken.get(released)!.checkout))
    }
    return connect.apply(this, parts)
  } as typeof connect

  function leave(checkout: number): void {
    for (const entry of unanswered) if (entry.checkout === checkout) entry.isAwaited = false
  }

  client.query = function (config, values, callback) {
    if (isAnswered) flight++
    isAnswered = false
    const { text, name, values: own } = typeof config === 'string' ? { text: config } : config
    const given = Array.isArray(values) ? values : own
    const since = taken.get(this) ?? { pool: 0, checkout: 0 }
    const entry: Entry = { ...since, flight, text, name, values: given ?? [], row: {}, isAwaited: true }
    entries.push(entry)
    unanswered.add(entry)
    const note = (result?: Rows | Rows[]) => {
      unanswered.delete(entry)
      if (entry.isAwaited) isAnswered = true
      entry.row = [result ?? []].flat().at(-1)?.rows?.[0] ?? {}
    }
    if (callback === undefined) {
      const sent = query.call(this, config, values) as Promise<Rows>
      sent.then(note, () => note())
      return sent
    }
    return query.call(this, config, values, (error, result) => {
      note(result)
      callback(error, result)
    })
  }

  return {
    take: () => entries.splice(0),
    poolSizes: () => pools.map(({ options }) => options.max),
    end() {
      client.query = query
      pool.connect = connect
    },
  }
}
