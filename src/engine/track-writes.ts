import type { Awaitable, Database } from './database/database.ts'

/** `hasWritten` tells whether a statement sent through `database` has changed anything. A statement whose result is
 *  still pending counts as a change. */
export type TrackedDatabase = { database: Database; hasWritten: () => boolean }

export function trackWrites(database: Database): TrackedDatabase {
  let writes = 0

  function note<Result>(sql: string, result: Awaitable<Result>): Awaitable<Result> {
    if (isQuery(sql)) return result
    writes++
    if (result instanceof Promise)
      result.then(uncountIfEmpty, () => {}) // whoever sent the statement handles its error
    else uncountIfEmpty(result)
    return result
  }

  function uncountIfEmpty(result: unknown): void {
    if (!result || (Array.isArray(result) && result.length === 0)) writes--
  }

  return {
    hasWritten: () => writes > 0,
    database: {
      engine: database.engine,
      get: (sql, values) => note(sql, database.get(sql, values)),
      all: (sql, values) => note(sql, database.all(sql, values)),
      texts: (sql, values) => note(sql, database.texts(sql, values)),
      run: (sql, values) => note(sql, database.run(sql, values)),
      runDeferred(sql, values) {
        writes++
        database.runDeferred(sql, values)
      },
      setBudget: (milliseconds, rows) => database.setBudget(milliseconds, rows),
    },
  }
}

function isQuery(sql: string): boolean {
  return /^\s*select\b/i.test(sql)
}
