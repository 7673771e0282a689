// Opens connections to SQLite files, with this program's pragmas, interface and errors, and takes locks on files. No
// other file uses node:sqlite.

import { closeSync, existsSync, fstatSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import {
  Damaged,
  type Database,
  type Dialect,
  type Row,
  RowBudgetExceeded,
  rowsPerCheck,
  TooSlow,
  Unavailable,
  type Value,
} from '../database.ts'
import { isLocked, translate } from './errors.ts'
import { checkpoint, discardFailedCommit, fileStamp, inodeOf, openWal } from './files.ts'

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  integer: 'integer',
  boolean: 'integer',
  text: 'text',
  tableEnd: ' strict',
}

/** One open file. Calls are synchronous, except `transaction`. They throw the errors of database.ts; any other error is
 *  a bug. */
export type Connection = Pick<Database, 'engine' | 'runDeferred' | 'setBudget'> & {
  /** Identifies the open file, even if its path leads to another file later. */
  inode: string
  /** Identifies the WAL that a writer has open; empty for readers, and if the WAL no longer has a name. */
  walInode: string
  get<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Shape | undefined
  all<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Shape[]
  texts(sql: string, values?: readonly Value[]): string[]
  run(sql: string, values?: readonly Value[]): number
  /** Runs statements that return nothing and take no values. */
  exec(sql: string): void
  /** Runs `work` in a single transaction, which is rolled back if `work` or the commit fails. A 'read' transaction sees
   *  the snapshot of its first statement and does not block writers. */
  transaction<T>(work: () => Promise<T>, kind?: 'write' | 'read'): Promise<T>
  /** Releases the memory of cached pages: the operating system caches the file anyway. */
  releasePageCache(): void
  close(): void
  /** Same as `close`. */
  [Symbol.dispose](): void
}

/** How long a statement waits by default for a lock that another process holds. */
const defaultLockTimeoutMs = 5000

/** journal_mode takes a lock, so busy_timeout must be set first. A WAL is checkpointed after 1,000 pages, 4 MB: checking
 *  an import may take 5 MB besides the file (contract §17). 1,500 would take less processor time, because consecutive
 *  changes write the same pages of the indexes. The size limit is larger, so that the WAL is seldom truncated and extended
 *  again. */
const writerPragmas = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma trusted_schema = off;
  pragma cell_size_check = on;
  pragma temp_store = memory;
  pragma wal_autocheckpoint = 1000;
  pragma journal_size_limit = 12582912;`

/** Readers do not set journal_mode, so that they neither create nor remove files. */
const readerPragmas = `
  pragma trusted_schema = off;
  pragma cell_size_check = on;
  pragma temp_store = memory;`

/** The maximum number of prepared statements that a connection keeps, separately for reads and for writes. Updates use
 *  one statement for each set of fields that clients send. */
const maxPreparedStatements = 100

const pageCacheKilobytes = 2048

/** Releases cached pages, and reads the first page while the cache is limited to one page. Otherwise, SQLite would
 *  allocate 90 kB together with the first page, enough for twenty pages, although a connection that reads occasionally
 *  needs only five. */
const releasePageCache = `
  pragma cache_size = 1;
  pragma shrink_memory;
  select 1 from sqlite_schema limit 1;
  pragma cache_size = -${pageCacheKilobytes};`

/** Opens an existing file; an empty file is a database without tables. Throws Unavailable if the file cannot be opened
 *  or is replaced while it is being opened. `immutable`: for a file that nobody writes to; reading the file then does
 *  not create a WAL or a WAL index. */
export function connect(
  path: string,
  lockTimeoutMs = defaultLockTimeoutMs,
  kind: 'read' | 'write' | 'immutable' = 'write',
): Connection {
  const inode = fileStamp(path)?.inode ?? ''
  const file = pathToFileURL(path)
  file.searchParams.set('mode', kind === 'write' ? 'rw' : 'ro')
  if (kind === 'immutable') file.searchParams.set('immutable', '1')
  const database = translate(() => new DatabaseSync(file))
  const wal: Wal = { descriptor: undefined }
  const connection = createConnection(database, inode, wal)
  try {
    connection.exec(`pragma busy_timeout = ${lockTimeoutMs};${kind === 'write' ? writerPragmas : readerPragmas}`)
    connection.releasePageCache()
    checkpoint(connection, 'noop') // throws ReadOnly if the WAL or its index could be opened only for reading
    if (kind === 'write') wal.descriptor = openWal(path)
    if (wal.descriptor !== undefined) connection.walInode = inodeOf(fstatSync(wal.descriptor))
    if (fileStamp(path)?.inode !== inode) throw new Unavailable('the file was replaced while it was being opened')
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

/** A second descriptor of a writer's WAL, used to discard a failed commit. It is opened together with the file, because
 *  the process may have no descriptors left when a commit fails. */
type Wal = { descriptor: number | undefined }

function createConnection(database: DatabaseSync, inode: string, wal: Wal): Connection {
  const prepareRead = createStatementCache(database, () => {})
  // `lastInsertRowid` may exceed 2^53 because FTS5 also inserts into its own tables.
  const prepareWrite = createStatementCache(database, (statement) => statement.setReadBigInts(true))

  const connection: Connection = {
    engine: 'sqlite',
    inode,
    walInode: '',
    get: <Shape extends Row>(sql: string, values: readonly Value[] = []) =>
      translate(() => prepareRead(sql).get(...values.map(bind)) as Shape | undefined),
    all: <Shape extends Row>(sql: string, values: readonly Value[] = []) =>
      translate(() => prepareRead(sql).all(...values.map(bind)) as Shape[]),
    texts: (sql, values = []) =>
      translate(() => {
        const statement = prepareRead(sql)
        statement.setReturnArrays(true)
        return (statement.all(...values.map(bind)) as unknown as string[][]).map(([text]) => text!)
      }),
    setBudget: createBudget(database),
    run: (sql, values = []) => translate(() => Number(prepareWrite(sql).run(...values.map(bind)).changes)),
    runDeferred: (sql, values) => void connection.run(sql, values),
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
        if (database.isTransaction) connection.run('rollback') // otherwise SQLite has already rolled back
        if (isCommitting && wal.descriptor !== undefined) discardFailedCommit(connection, wal.descriptor)
        throw error
      }
    },
    releasePageCache: () => connection.exec(releasePageCache),
    close: () => {
      if (wal.descriptor !== undefined) closeSync(wal.descriptor)
      wal.descriptor = undefined
      if (database.isOpen) database.close()
    },
    [Symbol.dispose]: () => connection.close(),
  }
  return connection
}

/** Returns a function that prepares each statement once. Beyond `maxPreparedStatements`, the oldest statement is
 *  evicted. */
function createStatementCache(
  database: DatabaseSync,
  configure: (statement: StatementSync) => void,
): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const cached = statements.get(sql)
    if (cached) return cached
    if (statements.size >= maxPreparedStatements) statements.delete(statements.keys().next().value!)
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    configure(statement)
    return statement
  }
}

/** Defines `within_budget()`. node:sqlite cannot interrupt a statement, but a statement stops if a function that it
 *  calls throws. */
function createBudget(database: DatabaseSync): Connection['setBudget'] {
  let [deadline, checksLeft] = [Infinity, Infinity]
  database.function('within_budget', { directOnly: true }, () => {
    if (performance.now() > deadline) throw new TooSlow('the statement took too long')
    if (--checksLeft < 0) throw new RowBudgetExceeded('the statement has read too many rows')
    return 1
  })
  return (milliseconds, rows = Infinity) => {
    deadline = performance.now() + milliseconds
    checksLeft = rows / rowsPerCheck
  }
}

/** Takes an operating-system lock on a file, held until the returned connection is closed or the process exits. Returns
 *  undefined if the lock is already held. Throws Unavailable. */
export function lockFile(path: string): DatabaseSync | undefined {
  const database = translate(() => new DatabaseSync(path, { timeout: 0 }))
  try {
    database.exec('pragma journal_mode = memory; begin exclusive') // without a journal file, it works on a full disk
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

/** Runs `work` on a file that others may be using. A file without a WAL is opened as immutable, because an ordinary
 *  connection would leave a WAL and a WAL index. If another process starts writing while `work` reads an immutable
 *  file, `work` runs again unless `isSound` confirms that the result is correct anyway. Throws Unavailable. */
export function examineFile<T>(path: string, work: (connection: Connection) => T, isSound: (result: T) => boolean): T {
  const hasWal = () => existsSync(`${path}-wal`)
  if (hasWal()) return readFile(path, 'read', work)
  try {
    const result = readFile(path, 'immutable', work)
    if (isSound(result) || !hasWal()) return result
  } catch (error) {
    if (!(error instanceof Damaged) || !hasWal()) throw error
  }
  return readFile(path, 'read', work)
}

function readFile<T>(path: string, kind: 'read' | 'immutable', work: (connection: Connection) => T): T {
  using connection = connect(path, undefined, kind)
  return work(connection)
}
