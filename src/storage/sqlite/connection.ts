// node:sqlite, known to this file alone: a connection with our settings, our interface and our errors.

import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  ConstraintViolation,
  type Database,
  type Row,
  rowsPerLook,
  TooFar,
  TooSlow,
  Unavailable,
  type Value,
} from '../../database.ts'
import type { Dialect } from '../../resources/schema.ts'

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  id: 'integer primary key autoincrement',
  integer: 'integer',
  boolean: 'integer',
  text: 'text',
  tableEnd: ' strict',
  givenIds: '',
  lastId: (table) => `select seq as last from sqlite_sequence where name = '${table}'`,
  setLastId: (table) => [
    `update sqlite_sequence set seq = ? where name = '${table}'`,
    `insert into sqlite_sequence (name, seq)
     select '${table}', ? where not exists (select 1 from sqlite_sequence where name = '${table}')`,
  ],
}

/** One open file. Every call answers at once; errors are those of database.ts, anything else is a bug. */
export type Connection = Pick<Database, 'attempt' | 'engine' | 'later' | 'limit' | 'rowLock'> & {
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
  forgetPages(): void
  close(): void
}

/** How long a statement waits for a file that another process has locked, unless said otherwise. Milliseconds. */
const lockWait = 5000

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
const pagesKept = 2048

/** For its first page SQLite takes room for twenty, 90 kB, unless it may keep fewer than three; later it takes each when it needs
 *  it. A connection that reads now and then needs five. */
const forgetPages = `
  pragma cache_size = 1;
  pragma shrink_memory;
  select 1 from sqlite_schema limit 1;
  pragma cache_size = -${pagesKept};`

/** A reader neither makes nor removes anything beside the file. */
const readerPragmas = `
  pragma trusted_schema = off;
  pragma cell_size_check = on;
  pragma temp_store = memory;`

/** The file, its log or its index could be opened for reading only, as when descriptors have run out: SQLite makes do with that,
 *  and shares the index among all connections of the process. Nothing helps but to close it and to open it again. */
export class ReadOnly extends Unavailable {}

/** Opens a file that exists: an empty one is a database without tables. Throws Unavailable. */
export function connect(path: string, wait = lockWait, kind: 'read' | 'write' = 'write'): Connection {
  const file = pathToFileURL(path)
  file.searchParams.set('mode', kind === 'write' ? 'rw' : 'ro')
  const database = translate(() => new DatabaseSync(file))
  const [reading, changing] = [new Map<string, StatementSync>(), new Map<string, StatementSync>()]
  let [deadline, looks] = [Infinity, Infinity]
  let log: number | undefined // open from the start: in need there might be no descriptor left
  // node:sqlite cannot interrupt a statement; what a function of ours throws ends it.
  database.function('in_time', { directOnly: true }, () => {
    if (performance.now() > deadline) throw new TooSlow('the statement took too long')
    if (--looks < 0) throw new TooFar('the statement has looked at too many rows')
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
    rowLock: '', // the writer is alone
    get: (sql, values = []) => translate(() => prepare(sql).get(...values.map(bind)) as Row | undefined),
    all: (sql, values = []) => translate(() => prepare(sql).all(...values.map(bind)) as Row[]),
    texts: (sql, values = []) =>
      translate(() => {
        const statement = prepare(sql)
        statement.setReturnArrays(true)
        return (statement.all(...values.map(bind)) as unknown as string[][]).map(([text]) => text!)
      }),
    limit: (milliseconds, rows = Infinity) => {
      deadline = performance.now() + milliseconds
      looks = rows / rowsPerLook
    },
    run: (sql, values = []) => translate(() => Number(prepare(sql, changing).run(...values.map(bind)).changes)),
    later: (sql, values) => void connection.run(sql, values),
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
        if (isCommitting) endLog(connection, log!)
        throw error
      }
    },
    forgetPages: () => connection.exec(forgetPages),
    close: () => {
      if (log !== undefined) closeSync(log)
      log = undefined
      if (database.isOpen) database.close()
    },
  }
  try {
    connection.exec(`pragma busy_timeout = ${wait};${kind === 'write' ? pragmas : readerPragmas}`)
    connection.forgetPages()
    connection.get('pragma wal_checkpoint(noop)') // does nothing, and throws ReadOnly when the log or its index is
    if (kind === 'write') log = openLog(path)
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

function openLog(path: string): number {
  try {
    return openSync(`${path}-wal`, 'r+')
  } catch (error) {
    throw new Unavailable((error as Error).message)
  }
}

/** What a log begins with, and what it holds beside each page. Bytes. */
const logHeader = 32
const frameHeader = 24

/** Ends the log where the last commit ended. One that failed while it was synced may stand there whole, and whoever opens the
 *  file after all have closed it would take it for committed. As well as a failing disk allows. */
function endLog(connection: Connection, log: number): void {
  try {
    const version = () => connection.get('pragma data_version')!.data_version
    const before = version()
    const frames = connection.get('pragma wal_checkpoint(noop)')!.log as number
    const pageSize = connection.get('pragma page_size')!.page_size as number
    connection.run('begin immediate') // from here to the rollback nobody writes to it
    try {
      if (version() === before) spoilFrame(log, logHeader + frames * (frameHeader + pageSize)) // else it is written over
    } finally {
      connection.run('rollback')
    }
  } catch {
    // as after a power cut: the change may be found done
  }
}

/** A frame without a header ends a log; its space stays the log's. */
function spoilFrame(log: number, at: number): void {
  if (fstatSync(log).size > at) writeSync(log, Buffer.alloc(frameHeader), 0, frameHeader, at)
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
    if ((error as { errcode?: number }).errcode === locked) return undefined
    return translate(() => {
      throw error
    })
  }
}

const locked = 5

function bind(value: Value): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value
}

const uniqueViolation = 2067
const foreignKeyViolation = 787

const readOnly = 8

/** Primary codes that say the file is missing, damaged, full, locked or out of reach: perm, busy, locked, ioerr, corrupt, full,
 *  cantopen, protocol, notadb. */
const outages = new Set([3, 5, 6, 10, 11, 13, 14, 15, 26])

/** Of these, ioerr, corrupt and notadb speak of the file's content. */
const damages = new Set([10, 11, 26])

function translate<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    if (errcode === uniqueViolation) throw new ConstraintViolation('unique', message)
    if (errcode === foreignKeyViolation) throw new ConstraintViolation('foreign_key', message)
    const primary = (errcode ?? 0) & 0xff
    if (primary === readOnly) throw new ReadOnly(message)
    if (outages.has(primary)) throw new Unavailable(message, damages.has(primary))
    throw error
  }
}
