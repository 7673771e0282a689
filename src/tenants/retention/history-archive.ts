// Archives removed history in files: one gzip file for each tenant and month, with one line of JSON per change.

import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Row } from '../../database/database.ts'
import { createDirectory, syncPath } from '../../database/durable-files.ts'

type NamedTenant = { id: string; slug: string }

export type HistoryArchive = {
  /** Appends rows to the files for their months, and syncs the files to disk. If the process crashes before the rows
   *  are removed from the database, they are appended a second time, with the same `seq`. */
  append(tenant: NamedTenant, rows: readonly Row[]): Promise<void>
  remove(tenant: NamedTenant): void
}

const compress = promisify(gzip)

/** Returns the directory with a tenant's files. Slugs are safe as file names, and the id distinguishes tenants that had
 *  the same slug. */
function archiveOf(directory: string, { id, slug }: NamedTenant): string {
  return join(directory, `${slug}-${id}`)
}

export function openHistoryArchive(directory: string): HistoryArchive {
  return {
    remove: (tenant) => rmSync(archiveOf(directory, tenant), { recursive: true, force: true }),
    async append(tenant, rows) {
      for (const [month, ofMonth] of Map.groupBy(rows, ({ at }) => (at as string).slice(0, 7))) {
        await appendDurably(join(archiveOf(directory, tenant), `${month}.ndjson.gz`), toLines(ofMonth))
      }
    },
  }
}

/** Returns the changes in the same form as `/changes.php`, one per line. */
function toLines(rows: readonly Row[]): string {
  return rows
    .map(({ record_id: id, before, after, ...row }) =>
      JSON.stringify({ ...row, id, before: parse(before), after: parse(after) }),
    )
    .map((line) => `${line}\n`)
    .join('')
}

function parse(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : null
}

/** Appends a separately compressed part, since a gzip file may consist of several parts. After a failure, such as a
 *  full disk, removes the incomplete part. */
async function appendDurably(path: string, text: string): Promise<void> {
  createDirectory(dirname(path))
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    try {
      await file.appendFile(await compress(text))
      await file.sync()
    } catch (error) {
      await file.truncate(size)
      throw error
    }
    if (size === 0) syncPath(dirname(path))
  } finally {
    await file.close()
  }
}
