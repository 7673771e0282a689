// Classifies errors from PostgreSQL and from the connection. pg sets `code` to the SQLSTATE, or to the system's error
// code.

import { errorCodeOf, errorMessageOf } from '../../../lib/errors.ts'
import { Damaged, type Outage, TooSlow, Unavailable } from '../database.ts'

/** serialization_failure, deadlock_detected, idle_in_transaction_session_timeout. */
const rollbacks = new Set(['40001', '40P01', '25P03'])

/** Whether the server has rolled the transaction back although its statements were correct, so that it may run again:
 *  it conflicted with another one, or this process was paused before its next statement. */
export function mayRunAgain(error: unknown): boolean {
  return rollbacks.has(codeOf(error))
}

/** data_corrupted, index_corrupted. */
const damage = new Set(['XX001', 'XX002'])

/** Translates damage to Damaged, and an outage or a rollback to Unavailable. Returns any other error unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  if (damage.has(codeOf(error))) return new Damaged(errorMessageOf(error))
  return mayRunAgain(error) || isOutage(error) ? toUnavailable(error as Error) : error
}

/** Translates an outage or a rollback. For a host name with several addresses, the error has a code but no message. */
export function toUnavailable(error: Error & { code?: string }): Unavailable {
  const { message, code = '' } = error
  return new Unavailable(message || code, outages.find(([pattern]) => pattern.test(code))?.[1])
}

/** What codes say about the cause. Without a code, the connection was lost. */
const outages: readonly [RegExp, Outage][] = [
  [/^28/, 'password'],
  [/^42501$/, 'permission'],
  [/^53100$/, 'full'],
  [/^(3D000|3F000|42P01)$/, 'missing'],
  [/^(08|57|E[A-Z]+$|$)/, 'unreachable'],
]

/** pg's messages for a lost connection. These errors have no code. */
const withoutCode = /^(Connection terminated|Query read timeout|Client (has encountered|was closed))/

/** Whether an error means that the database is unavailable. All connection, resource, operator-intervention, system,
 *  configuration and internal errors do. So do a lock timeout, a session that was terminated because it was idle, a
 *  missing database, schema or table, missing privileges, a failed login, and a read-only server. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unavailable) return true
  const { code, message } = error as { code?: string; message?: string }
  if (code === undefined) return withoutCode.test(message ?? '')
  return /^(08|53|57|58|F0|XX)|^(55P03|25P03|3D000|3F000|42P01|42501|28\w{3}|25006)$|^E[A-Z]+$/.test(code)
}

/** in_failed_sql_transaction, invalid_savepoint_specification: the errors of statements that follow a failed
 *  statement. */
const consequences = new Set(['25P02', '3B001'])

/** Returns the error that made the transaction fail: the last error that is not a consequence of another error. */
export function causeOf(error: unknown, failures: unknown[]): unknown {
  const isConsequence = (failure: unknown) => consequences.has(codeOf(failure))
  return isConsequence(error) ? (failures.findLast((failure) => !isConsequence(failure)) ?? error) : error
}

/** Throws TooSlow if a statement exceeded its time limit (query_canceled), and any other error unchanged. */
export function throwTooSlow(error: { code?: string; message: string }): never {
  throw error.code === '57014' ? new TooSlow(error.message) : error
}

function codeOf(error: unknown): string {
  return errorCodeOf(error) ?? ''
}
