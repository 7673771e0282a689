// What PostgreSQL's errors mean here, and those of the connection to it. pg gives them a `code`: SQLSTATE, or the system's.

import { ConstraintViolation, TooSlow, Unavailable } from '../database.ts'

/** serialization_failure, deadlock_detected. */
const conflicts = new Set(['40001', '40P01'])

/** Whether a transaction lost against another one: nothing of it has happened. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(codeOf(error))
}

/** The same in our words. By SQLSTATE alone: a sharded engine renames constraints and shards. */
export function translated(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  const { code, message } = error as { code?: string; message: string }
  if (code === '23505') return new ConstraintViolation('unique', message)
  if (code === '23503') return new ConstraintViolation('foreign_key', message)
  return isConflict(error) || isOutage(error) ? new Unavailable(message) : error
}

/** How pg says that a connection was lost. */
const withoutCode = /^(Connection terminated|Query read timeout|Client (has encountered|was closed))/

/** Classes: connection, resources, operator's intervention, system and configuration errors; then a lock that others hold, a
 *  schema or its tables that are not there or not for us, a server that refuses or is no longer reached. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConstraintViolation || error instanceof Unavailable) return error instanceof Unavailable
  const { code, message } = error as { code?: string; message?: string }
  if (code === undefined) return withoutCode.test(message ?? '')
  return /^(08|53|57|58|F0|XX)|^(55P03|3D000|3F000|42P01|42501|28\w{3}|25006)$|^E[A-Z]+$/.test(code)
}

/** in_failed_sql_transaction, invalid_savepoint_specification: how statements fail behind one that has failed. */
const consequences = new Set(['25P02', '3B001'])

/** What has broken the transaction: the last failure that is not the consequence of another one. */
export function causeOf(error: unknown, failures: unknown[]): unknown {
  const isConsequence = (failure: unknown) => consequences.has(codeOf(failure))
  return isConsequence(error) ? (failures.findLast((failure) => !isConsequence(failure)) ?? error) : error
}

/** For a statement that may take only so long. Code: query_canceled. */
export function tellTooSlow(error: { code?: string; message: string }): never {
  throw error.code === '57014' ? new TooSlow(error.message) : error
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? ''
}
