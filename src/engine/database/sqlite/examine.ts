// Reads a SQLite file without creating a WAL.

import { existsSync } from 'node:fs'
import { Damaged } from '../database.ts'
import { type Connection, connect } from './connection.ts'

/** Runs `work` on a file that others may be using. A file without a WAL is opened as immutable, because an ordinary
 *  connection would leave a WAL and a WAL index. If another process starts writing while `work` reads an immutable
 *  file, `work` runs again unless `isSound` confirms that the result is correct anyway. Throws Unavailable. */
export function examineFile<T>(path: string, work: (connection: Connection) => T, isSound: (result: T) => boolean): T {
  const hasWal = () => existsSync(`${path}-wal`)
  if (hasWal()) return read(path, 'read', work)
  try {
    const result = read(path, 'immutable', work)
    if (isSound(result) || !hasWal()) return result
  } catch (error) {
    if (!(error instanceof Damaged) || !hasWal()) throw error
  }
  return read(path, 'read', work)
}

function read<T>(path: string, kind: 'read' | 'immutable', work: (connection: Connection) => T): T {
  using connection = connect(path, undefined, kind)
  return work(connection)
}
