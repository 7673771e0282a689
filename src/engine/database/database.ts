// The interface to a database that both engines implement. A statement is complete SQL with `?` for every value. SQLite
// returns results synchronously and PostgreSQL asynchronously, so callers await them.

export type Value = string | number | boolean | null
export type Row = Record<string, Value>
export type Awaitable<T> = T | Promise<T>

/** Part of an SQL statement, with its values. */
export type Clause = { sql: string; values: Value[] }

export type Database = {
  /** For the few statements that differ between the engines. */
  readonly engine: 'sqlite' | 'postgres'
  /** Returns the first row, or undefined. `Shape` says which columns the statement selects. */
  get<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Awaitable<Shape | undefined>
  /** Returns every row. */
  all<Shape extends Row = Row>(sql: string, values?: readonly Value[]): Awaitable<Shape[]>
  /** Returns the text in each row's only column. */
  texts(sql: string, values?: readonly Value[]): Awaitable<string[]>
  /** Sets a time budget for the statements that follow: on PostgreSQL for each statement, on SQLite for all of them
   *  together. A statement over budget throws TooSlow. SQLite also has a row budget (RowBudgetExceeded), and checks
   *  both budgets only in statements that call `within_budget()`, about once per `rowsPerCheck` rows. */
  setBudget(milliseconds: number, rows?: number): void
  /** Runs a statement. Returns the number of rows that it changed. */
  run(sql: string, values?: readonly Value[]): Awaitable<number>
  /** Sends a statement without waiting for its result. If the statement fails, the transaction fails no later than at
   *  its commit. */
  runDeferred(sql: string, values?: readonly Value[]): void
}

/** A statement exceeded its time budget. */
export class TooSlow extends Error {}

export class RowBudgetExceeded extends Error {}

/** Returns a condition that is true if all of these are. */
export function allOf(clauses: readonly Clause[]): Clause {
  return { sql: clauses.map(({ sql }) => sql).join(' and '), values: clauses.flatMap(({ values }) => values) }
}

/** Limits rows by a value. With a plain `limit ?`, SQLite would compile the statement again each time a value is
 *  bound. */
export const limitClause = 'limit ? + 0'

/** A statement calls `within_budget()` once per this many rows. A power of two. */
export const rowsPerCheck = 128

/** Returns the condition that checks the time and row budget every few rows on SQLite. `key`: a column with numbers that
 *  differ between rows. Put it before the conditions that no index answers, so that it is also evaluated for rows that do
 *  not match them. */
export function budgetCheck({ engine }: Pick<Database, 'engine'>, key: string): Clause[] {
  if (engine === 'postgres') return []
  return [{ sql: `case when ${key} & ${rowsPerCheck - 1} then 1 else within_budget() end`, values: [] }]
}

/** Why a database is unavailable, as far as its engine can tell. `full`: the disk. */
export type Outage = 'missing' | 'damaged' | 'permission' | 'password' | 'full' | 'unreachable' | 'unknown'

/** The database is missing, damaged, full, locked or unreachable. The message is for the log only. `mayBeCorrupt`: the
 *  stored data may be damaged and must be checked before it is used again. */
export class Unavailable extends Error {
  readonly mayBeCorrupt: boolean
  readonly outage: Outage

  constructor(message: string, outage: Outage = 'unknown', mayBeCorrupt = false) {
    super(message)
    this.outage = outage
    this.mayBeCorrupt = mayBeCorrupt
  }
}

/** Whether the stored data must be checked for damage after this error. An unknown error may have any cause. */
export function mayBeCorrupt(error: unknown): boolean {
  return !(error instanceof Unavailable) || error.mayBeCorrupt
}

/** Stored data is damaged. */
export class Damaged extends Unavailable {
  constructor(message: string) {
    super(message, 'damaged', true)
  }
}

/** The operation was rejected before it started, because too many operations are pending. */
export class Busy extends Unavailable {}

/** Column types, and the options at the end of a table definition. Both engines compare text by its UTF-8 bytes. */
export type Dialect = {
  engine: Database['engine']
  integer: string
  boolean: string
  text: string
  tableEnd: string
}
