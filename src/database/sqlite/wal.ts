// Discards a failed commit from the WAL, so that a rejected change never turns out to be committed.

import { fstatSync, openSync, writeSync } from 'node:fs'
import { type Row, Unavailable } from '../database.ts'

/** A descriptor of the log beside a file, for endLog; undefined when the log has lost its name. Throws Unavailable. */
export function openWal(path: string): number | undefined {
  try {
    return openSync(`${path}-wal`, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Unavailable((error as Error).message)
  }
}

/** The connection whose commit has failed. */
type Failed = { get(sql: string): Row | undefined; run(sql: string): number }

/** What a log begins with, and what it holds beside each page. Bytes. */
const logHeader = 32
const frameHeader = 24

/** Ends the log where the last commit ended. One that failed while it was synced may stand there whole, and whoever opens the
 *  file after all have closed it would take it for committed. As well as a failing disk allows. */
export function discardFailedCommit(connection: Failed, log: number): void {
  try {
    const version = () => connection.get('pragma data_version')!.data_version
    const before = version()
    const frames = connection.get('pragma wal_checkpoint(noop)')!.log as number
    const pageSize = connection.get('pragma page_size')!.page_size as number
    connection.run('begin immediate') // from here to the rollback nobody writes to it
    try {
      if (version() === before) invalidateFrame(log, logHeader + frames * (frameHeader + pageSize)) // else it is written over
    } finally {
      connection.run('rollback')
    }
  } catch {
    // best effort: as after a power cut, the change may turn out to be committed
  }
}

/** A frame without a header ends a log; its space stays the log's. */
function invalidateFrame(log: number, at: number): void {
  if (fstatSync(log).size > at) writeSync(log, Buffer.alloc(frameHeader), 0, frameHeader, at)
}
