// Exports a whole tenant to one zip file: its records and history as NDJSON and CSV, its database file if it is on
// SQLite, and a manifest.

import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resource, Resources } from '../../domain/declarations/resource.ts'
import { csvColumns, includesFor } from '../../domain/exports/columns.ts'
import type { ExportLayout } from '../../domain/exports/request.ts'
import { writeHead, writeRecords } from '../../domain/exports/write.ts'
import { listChanges } from '../../domain/history/history.ts'
import { listRecords } from '../../domain/lists/page.ts'
import type { Position } from '../../domain/lists/query.ts'
import { changeColumns } from '../../domain/records/changes.ts'
import type { TenantDatabases, TenantSnapshot } from '../../engine/tenant-databases.ts'
import { syncPath } from '../../lib/files/files.ts'
import { UserError } from '../../lib/user-error.ts'
import { version } from '../../lib/version.ts'
import type { Tenant } from '../tenants.ts'

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

/** A file in the export. `rows`: the number of records or changes in a chunk; undefined for the database file. */
export type Part = { name: string; chunks: AsyncIterable<{ bytes: Buffer; rows?: number }> }

/** Records or changes per page. */
const pageSize = 500

/** Reading a page in id order takes milliseconds, so only a query that hangs reaches this limit. */
const timeoutMs = 10_000

export function partsOf(snapshot: TenantSnapshot, declared: Resources): Part[] {
  const resources = withConfiguration(declared)
  const ndjson: ExportLayout = { format: 'ndjson', fields: null }
  const csvOf = (columns: { name: string }[]): ExportLayout => ({
    format: 'csv',
    columns,
    delimiter: ',',
    isForSpreadsheets: false,
  })
  const changes = csvOf(changeColumns.map((name) => ({ name: name === 'record_id' ? 'id' : name }))) // as in changes.php
  return [
    ...resources.flatMap((resource) =>
      [ndjson, csvOf(csvColumns(resource, resources))].map((layout) =>
        createPart(resource.name, layout, recordPages(snapshot, resource, resources, layout)),
      ),
    ),
    ...[ndjson, changes].map((layout) => createPart('changes', layout, changePages(snapshot, declared))),
    ...(snapshot.file ? [{ name: 'database.sqlite', chunks: readFile(snapshot.file) }] : []),
  ]
}

async function* readFile(path: string) {
  for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) yield { bytes: bytes as Buffer }
}

function createPart(name: string, layout: ExportLayout, pages: AsyncIterable<string[]>): Part {
  return { name: `${name}.${layout.format}`, chunks: chunksOf({ layout, pages }) }
}

async function* chunksOf({ layout, pages }: { layout: ExportLayout; pages: AsyncIterable<string[]> }) {
  yield { bytes: Buffer.from(writeHead(layout)), rows: 0 }
  for await (const texts of pages) yield { bytes: Buffer.from(writeRecords(texts, layout)), rows: texts.length }
}

async function* recordPages(
  { database }: TenantSnapshot,
  resource: Resource,
  resources: Resources,
  layout: ExportLayout,
): AsyncGenerator<string[]> {
  const query = {
    limit: pageSize,
    sort: { field: 'id', isDescending: false },
    conditions: [],
    words: [],
    includes: layout.format === 'csv' ? includesFor(layout.columns) : {},
    withTotal: false,
    timeoutMs,
  }
  for (let after: Position | null = null; ; ) {
    const page = await listRecords({ database, resource, resources, query: { ...query, after } })
    yield page.records
    if (page.next === null) return
    after = page.next
  }
}

async function* changePages({ database }: TenantSnapshot, resources: Resources): AsyncGenerator<string[]> {
  const query = { viewer: null, limit: pageSize, resources: null, id: null, actions: null, timeoutMs }
  for (let since = 0; ; ) {
    const page = await listChanges(database, resources, { ...query, since })
    yield page.entries
    if (!page.hasMore) return
    since = page.since
  }
}
