// What SQLite's errors mean here. node:sqlite gives them an `errcode`: the extended one, whose last byte is the primary one.

import { ConstraintViolation, Unavailable } from '../database.ts'

/** The file, its log or its index could be opened for reading only, as when descriptors have run out: SQLite makes do with that,
 *  and shares the index among all connections of the process. Nothing helps but to close it and to open it again. */
export class ReadOnly extends Unavailable {}

const uniqueViolation = 2067
const foreignKeyViolation = 787

const busy = 5
const readOnly = 8

/** Primary codes that say the file is missing, damaged, full, locked or out of reach: perm, busy, locked, ioerr, corrupt, full,
 *  cantopen, protocol, notadb. */
const outages = new Set([3, 5, 6, 10, 11, 13, 14, 15, 26])

/** Of these, ioerr, corrupt and notadb speak of the file's content. */
const damages = new Set([10, 11, 26])

/** Whether another has locked the file. */
export function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === busy
}

/** Runs work, and throws the errors of database.ts in place of SQLite's. What it does not know is a bug, and is left as it is. */
export function translate<T>(work: () => T): T {
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
