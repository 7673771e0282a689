// Translates SQLite's errors. node:sqlite adds the extended error code as `errcode`; its last byte is the primary code.

import { Damaged, type Outage, Unavailable } from '../database.ts'

/** SQLite could open the file, its WAL or its index only for reading, for example because the process had no
 *  descriptors left. All connections of the process share the index, so the only remedy is to close the file and open
 *  it again. */
export class ReadOnly extends Unavailable {
  constructor(message: string) {
    super(message, 'permission')
  }
}

/** Another connection has locked the file, longer than the connection waits for locks. */
export class Locked extends Unavailable {}

const busy = 5
const locked = 6
const readOnly = 8

/** Primary codes for a damaged file: corrupt, notadb. */
const damageCodes = new Set([11, 26])

/** The primary code for a failed read or write, after which the file must be checked for damage. */
const ioError = 10

/** Primary codes for a file that is missing, full or unreadable: perm, ioerr, full, cantopen, protocol. */
const outages = new Map<number, Outage>([
  [3, 'permission'],
  [ioError, 'unknown'],
  [13, 'full'],
  [14, 'permission'],
  [15, 'unknown'],
])

/** Whether another connection has locked the file. */
export function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === busy
}

/** Runs `work` and throws the errors of database.ts instead of SQLite's. Any other error is a bug and is thrown
 *  unchanged. */
export function translate<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    const primary = (errcode ?? 0) & 0xff
    if (primary === readOnly) throw new ReadOnly(message)
    if (primary === busy || primary === locked) throw new Locked(message)
    if (damageCodes.has(primary)) throw new Damaged(message)
    if (outages.has(primary)) throw new Unavailable(message, outages.get(primary), primary === ioError)
    throw error
  }
}
