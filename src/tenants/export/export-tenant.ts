// Exports a whole tenant to one zip file: its records and history as NDJSON and CSV, its database file if it is on
// SQLite, and a manifest.

import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Writable } from 'node:stream'
import type { Resources } from '../../domain/declarations/resource.ts'
import { syncPath } from '../../engine/database/durable-files.ts'
import type { TenantDatabases } from '../../engine/storage.ts'
import { UserError } from '../../lib/user-error.ts'
import { version } from '../../lib/version.ts'
import type { Tenant } from '../tenants.ts'
import { type Part, partsOf } from './export-parts.ts'

/** `rows`: the number of records or changes in the file; undefined for the database file. */
export type ExportedFile = { name: string; rows?: number; bytes: number; sha256: string }

/** The last file in the zip. `schema`: the schema version of the tenant's database. */
export type ExportManifest = {
  tenant: { slug: string; name: string }
  exported_at: string
  version: string
  schema: number
  files: ExportedFile[]
}

/** Called after each chunk, with the size of the file so far. */
export type OnProgress = (file: string, size: { rows?: number; bytes: number }) => void

type ExportDependencies = { databases: TenantDatabases; resources: Resources; onProgress: OnProgress }

/** Writes the zip file under a temporary name and renames it, so that `path` never contains an incomplete file.
 *  Replaces an existing file. All parts are read from one snapshot. Throws Unavailable, or UserError if the file cannot
 *  be written. */
export async function exportTenant(
  { databases, resources, onProgress }: ExportDependencies,
  tenant: Tenant,
  path: string,
): Promise<ExportManifest> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UserError(`${path} is not a regular file.`)
  const temporaryPath = `${resolve(path)}.${randomBytes(6).toString('hex')}.tmp`
  const { slug, name } = tenant
  const head = { tenant: { slug, name }, exported_at: new Date().toISOString(), version, schema: databases.version }
  try {
    const files = await databases.snapshot(tenant, `${temporaryPath}.sqlite`, (snapshot) =>
      writeFile(temporaryPath, (output) => writeZip(output, head, partsOf(snapshot, resources), onProgress)),
    )
    syncPath(temporaryPath)
    renameSync(temporaryPath, path)
    syncPath(dirname(resolve(path)))
    return { ...head, files }
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Calls `callback` with a stream to a new file. Throws UserError if the file cannot be written; other errors that
 *  `callback` throws are passed on. */
async function writeFile<T>(path: string, callback: (output: WritableStream<Uint8Array>) => Promise<T>): Promise<T> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  let failure: Error | undefined
  file.once('error', (error) => {
    failure = error
  })
  try {
    return await callback(Writable.toWeb(file))
  } catch (error) {
    file.destroy()
    throw failure ? new UserError(`${path} cannot be written: ${failure.message}.`) : error
  }
}

async function writeZip(
  output: WritableStream<Uint8Array>,
  head: Omit<ExportManifest, 'files'>,
  parts: Part[],
  onProgress: OnProgress,
): Promise<ExportedFile[]> {
  const { configure, ZipWriter } = await import('@zip.js/zip.js') // loading it takes longer than most commands
  configure({ useWebWorkers: false })
  const zip = new ZipWriter(output)
  const files: ExportedFile[] = []
  for (const part of parts) await zip.add(part.name, ReadableStream.from(streamPart(part, files, onProgress)))
  const manifest = Buffer.from(`${JSON.stringify({ ...head, files }, null, 2)}\n`)
  await zip.add('manifest.json', ReadableStream.from([manifest]))
  await zip.close()
  return files
}

/** Streams and hashes a part's content, and then adds the part's entry to `files`. */
async function* streamPart(
  { name, chunks }: Part,
  files: ExportedFile[],
  onProgress: OnProgress,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let total: { rows?: number; bytes: number } = { bytes: 0 }
  for await (const { bytes, rows } of chunks) {
    hash.update(bytes)
    total = { ...(rows !== undefined && { rows: rows + (total.rows ?? 0) }), bytes: total.bytes + bytes.length }
    onProgress(name, total)
    if (bytes.length > 0) yield bytes
  }
  files.push({ name, ...total, sha256: hash.digest('hex') })
}
