// Creates the files in a tenant's export: records and changes, each as NDJSON and CSV, and also the database file on
// SQLite. Records and changes are read page by page from a snapshot.

import { createReadStream } from 'node:fs'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resource, Resources } from '../../domain/declarations/resource.ts'
import { csvColumns, includesFor } from '../../domain/exports/columns.ts'
import type { ExportLayout } from '../../domain/exports/request.ts'
import { writeHead, writeRecords } from '../../domain/exports/write.ts'
import { listChanges } from '../../domain/history/history.ts'
import { listRecords } from '../../domain/lists/page.ts'
import type { Position } from '../../domain/lists/query.ts'
import { changeColumns } from '../../domain/records/changes.ts'
import type { TenantSnapshot } from '../../engine/storage.ts'

/** A file in the export. `rows`: the number of records or changes in a chunk; undefined for the database file. */
export type Part = { name: string; chunks: AsyncIterable<{ bytes: Buffer; rows?: number }> }

/** Records or changes per page. */
const pageSize = 500

/** Reading a page in id order takes milliseconds, so only a query that hangs reaches this limit. */
const timeoutMs = 10_000

export function partsOf(snapshot: TenantSnapshot, declared: Resources): Part[] {
  const resources = withConfiguration(declared)
  const ndjson: ExportLayout = { format: 'ndjson', fields: null }
  const csvOf = (columns: { name: string }[]): ExportLayout => ({ format: 'csv', columns, delimiter: ',' })
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
