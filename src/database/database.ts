// What SQL runs on: the small interface both engines offer to the code next to the data.
// A statement is whole SQL with `?` for every value. The embedded engine answers at once, a server later: callers await.

export type Value = string | number | boolean | null
export type Row = Record<string, Value>
export type Awaitable<T> = T | Promise<T>

export type Database = {
  /** For the few statements that the two write differently. */
  readonly engine: 'sqlite' | 'postgres'
  /** The first row, or undefined. */
  get(sql: string, values?: readonly Value[]): Awaitable<Row | undefined>
  /** Every row. */
  all(sql: string, values?: readonly Value[]): Awaitable<Row[]>
  /** The only column of every row, which is text. */
  texts(sql: string, values?: readonly Value[]): Awaitable<string[]>
  /** Sets a time budget for the statements that follow (TooSlow) and, on SQLite, an approximate row budget
   *  (RowBudgetExceeded). SQLite checks only statements that call `within_budget()`, about once per `rowsPerCheck`
   *  rows. */
  setBudget(milliseconds: number, rows?: number): void
  /** Runs a statement; the number of rows it changed. */
  run(sql: string, values?: readonly Value[]): Awaitable<number>
  /** Runs a statement whose outcome nobody waits for: it is sent now, and judged at the latest by the commit. */
  runDeferred(sql: string, values?: readonly Value[]): void
  /** As `get`, for a statement that may break a constraint: the transaction goes on after a ConstraintViolation. */
  attempt(sql: string, values?: readonly Value[]): Awaitable<Row | undefined>
}

/** A constraint of the schema refused a statement. The message is the engine's own sentence: no SQL, no path. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'foreign_key'

  constructor(kind: 'unique' | 'foreign_key', message: string) {
    super(message)
    this.kind = kind
  }
}

/** A statement was ended because it took longer than it may. */
export class TooSlow extends Error {}

/** A statement was ended because it has looked at more rows than it may. */
export class RowBudgetExceeded extends Error {}

/** How every statement limits its rows: SQLite compiles a statement anew each time a value is bound to a LIMIT that is nothing
 *  but a parameter. */
export const limitClause = 'limit ? + 0'

/** Rows of which a statement asks `within_budget()` for one. A power of two. */
export const rowsPerCheck = 128

/** The database is missing, damaged, full, locked or cannot be reached. The message is for the log only.
 *  `mayBeCorrupt`: what is stored may be damaged, so it has to be checked before it is used again. */
export class Unavailable extends Error {
  readonly mayBeCorrupt: boolean

  constructor(message: string, mayBeCorrupt = false) {
    super(message)
    this.mayBeCorrupt = mayBeCorrupt
  }
}

/** More waits already than can be answered in time, or held in memory: refused at once, and nothing was done. */
export class Busy extends Unavailable {}
