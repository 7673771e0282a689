// Keeps removed history in files: one for each tenant and month, gzip of a line of JSON per change.

import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Row } from '../database/database.ts'
import { makeDirectory, syncPath } from '../database/durable-files.ts'

type NamedTenant = { id: string; slug: string }

export type HistoryArchive = {
  /** Adds rows to the files of their months. They are on disk afterwards. A crash before they are removed from the database adds
   *  them twice, with the same `seq`. */
  append(tenant: NamedTenant, rows: readonly Row[]): Promise<void>
  remove(tenant: NamedTenant): void
}

const compress = promisify(gzip)

/** The directory with the files of a tenant. Slugs are safe as names, and the id tells apart tenants that had the same one. */
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

/** As `/changes.php` lists them. */
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

/** A gzip file may consist of several compressed parts. Removes what a failure, such as a full disk, has left of the last one. */
async function appendDurably(path: string, text: string): Promise<void> {
  makeDirectory(dirname(path))
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
