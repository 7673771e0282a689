// The only file that uses node:sqlite: a connection with our settings, interface and errors.

import { closeSync, fstatSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  type Database,
  type Row,
  RowBudgetExceeded,
  rowsPerCheck,
  TooSlow,
  Unavailable,
  type Value,
} from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { isLocked, translate } from './errors.ts'
import { fileStamp, inodeOf } from './file-stamp.ts'
import { discardFailedCommit, openWal } from './wal.ts'

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  integer: 'integer',
  boolean: 'integer',
  text: 'text',
  tableEnd: ' strict',
}

/** One open file. Every call answers at once; errors are those of database.ts, anything else is a bug. */
export type Connection = Pick<Database, 'attempt' | 'engine' | 'runDeferred' | 'setBudget'> & {
  /** The file that is open, which need not be the one that its path leads to later. */
  inode: string
  /** The log that a writer has open; empty where it has lost its name. */
  walInode: string
  get(sql: string, values?: readonly Value[]): Row | undefined
  all(sql: string, values?: readonly Value[]): Row[]
  texts(sql: string, values?: readonly Value[]): string[]
  run(sql: string, values?: readonly Value[]): number
  /** Runs statements that return nothing and take no values. */
  exec(sql: string): void
  /** Runs work in one transaction; what goes wrong in it, or in its commit, undoes it whole. One that only reads sees the
   *  moment of its first statement, and holds up no writer. */
  transaction<T>(work: () => Promise<T>, kind?: 'write' | 'read'): Promise<T>
  /** Gives back the memory of the pages it has read: they are in the system's memory anyway. */
  releasePageCache(): void
  close(): void
}

/** Default time that a statement waits for a lock of another process. */
const lockTimeoutMs = 5000

/** In this order: journal_mode takes a lock, which busy_timeout must already cover. The limit is twice what a log grows to before
 *  it is moved into the file, so that it is not cut short and made longer again each time. */
const pragmas = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma trusted_schema = off;
  pragma cell_size_check = on;
  pragma temp_store = memory;
  pragma journal_size_limit = 8388608;`

/** Statements kept prepared per connection; an update has one for each set of fields that clients send. */
const preparedStatements = 100

/** Kilobytes of pages that a connection keeps. */
const pageCacheKilobytes = 2048

/** For its first page SQLite takes room for twenty, 90 kB, unless it may keep fewer than three; later it takes each when it needs
 *  it. A connection that reads now and then needs five. */
const releasePageCache = `
  pragma cache_size = 1;
  pragma shrink_memory;
  select 1 from sqlite_schema limit 1;
  pragma cache_size = -${pageCacheKilobytes};`

/** A reader neither makes nor removes anything beside the file. */
const readerPragmas = `
  pragma trusted_schema = off;
  pragma cell_size_check = on;
  pragma temp_store = memory;`

/** Opens a file that exists: an empty one is a database without tables. Throws Unavailable, also when another file takes its
 *  place meanwhile. */
export function connect(path: string, wait = lockTimeoutMs, kind: 'read' | 'write' = 'write'): Connection {
  const inode = fileStamp(path)?.inode ?? ''
  const file = pathToFileURL(path)
  file.searchParams.set('mode', kind === 'write' ? 'rw' : 'ro')
  const database = translate(() => new DatabaseSync(file))
  const [reading, changing] = [new Map<string, StatementSync>(), new Map<string, StatementSync>()]
  let [deadline, checksLeft] = [Infinity, Infinity]
  let log: number | undefined // opened up front: when we need it we may be out of descriptors
  // node:sqlite cannot interrupt a statement; what a function of ours throws ends it.
  database.function('within_budget', { directOnly: true }, () => {
    if (performance.now() > deadline) throw new TooSlow('the statement took too long')
    if (--checksLeft < 0) throw new RowBudgetExceeded('the statement has looked at too many rows')
    return 1
  })

  function prepare(sql: string, statements = reading): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= preparedStatements) statements.delete(statements.keys().next().value!)
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    // Their result names the row inserted last, also by FTS5 into its own tables, where ids go beyond 2^53.
    if (statements === changing) statement.setReadBigInts(true)
    return statement
  }

  const connection: Connection = {
    engine: 'sqlite',
    inode,
    walInode: '',
    get: (sql, values = []) => translate(() => prepare(sql).get(...values.map(bind)) as Row | undefined),
    all: (sql, values = []) => translate(() => prepare(sql).all(...values.map(bind)) as Row[]),
    texts: (sql, values = []) =>
      translate(() => {
        const statement = prepare(sql)
        statement.setReturnArrays(true)
        return (statement.all(...values.map(bind)) as unknown as string[][]).map(([text]) => text!)
      }),
    setBudget: (milliseconds, rows = Infinity) => {
      deadline = performance.now() + milliseconds
      checksLeft = rows / rowsPerCheck
    },
    run: (sql, values = []) => translate(() => Number(prepare(sql, changing).run(...values.map(bind)).changes)),
    runDeferred: (sql, values) => void connection.run(sql, values),
    // A failed statement undoes itself and leaves the transaction alive.
    attempt: (sql, values) => connection.get(sql, values),
    exec: (sql) => translate(() => database.exec(sql)),
    transaction: async (work, kind = 'write') => {
      connection.run(kind === 'write' ? 'begin immediate' : 'begin')
      let isCommitting = false
      try {
        const result = await work()
        isCommitting = true
        connection.run('commit')
        return result
      } catch (error) {
        if (database.isTransaction) connection.run('rollback') // else the engine has done it by itself
        if (isCommitting && log !== undefined) discardFailedCommit(connection, log)
        throw error
      }
    },
    releasePageCache: () => connection.exec(releasePageCache),
    close: () => {
      if (log !== undefined) closeSync(log)
      log = undefined
      if (database.isOpen) database.close()
    },
  }
  try {
    connection.exec(`pragma busy_timeout = ${wait};${kind === 'write' ? pragmas : readerPragmas}`)
    connection.releasePageCache()
    connection.get('pragma wal_checkpoint(noop)') // does nothing, and throws ReadOnly when the log or its index is
    if (kind === 'write') log = openWal(path)
    if (log !== undefined) connection.walInode = inodeOf(fstatSync(log))
    if (fileStamp(path)?.inode !== inode) throw new Unavailable('another file took its place while it was opened')
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

/** Takes an operating-system lock on a file, until it is closed or the process ends in whatever way; undefined when
 *  another process has it. Throws Unavailable. */
export function lockFile(path: string): { close(): void } | undefined {
  const database = translate(() => new DatabaseSync(path, { timeout: 0 }))
  try {
    database.exec('begin exclusive')
    return database
  } catch (error) {
    database.close()
    if (isLocked(error)) return undefined
    return translate(() => {
      throw error
    })
  }
}

function bind(value: Value): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value
}
