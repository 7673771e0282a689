// Reads a file that is to be left as it is.

import { existsSync } from 'node:fs'
import { Damaged } from '../database.ts'
import { type Connection, connect } from './connection.ts'

/** Runs work on a file that others may be using. A file without a WAL is read as it is: any other connection would leave a WAL and an
 *  index. If another process has begun to write meanwhile, the result may be wrong, and the work runs again. Throws Unavailable. */
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
  const connection = connect(path, undefined, kind)
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}
