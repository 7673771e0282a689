// Streams an export, for the API and the panel. A page is read only after the client has received the previous one. A
// slow client therefore does not hold a snapshot or a thread, and takes up memory for at most two pages.

import { Readable } from 'node:stream'
import type { TenantLocation } from '../../engine/tenant-databases.ts'
import type { ListDependencies } from '../lists/list-page.ts'
import type { Position } from '../lists/query.ts'
import { type ExportPage, exportOperations } from './operations.ts'
import type { ExportRequest } from './request.ts'
import { writeEnd, writeHead } from './write.ts'

/** The number of records per page. Such a page is about 100 kB, and takes 2 ms to read and write. Larger pages would
 *  not be faster, and would delay other requests. */
const standardPageSize = 200

type ExportDependencies = Pick<ListDependencies, 'engine' | 'listTimeoutMs'> & { pageSize?: number }

/** Reads the first page before it returns the stream, so that a failure to read the list is reported as an ordinary
 *  error. Throws the same errors as Engine.run. `locate`: called before each page; returns where the tenant is now,
 *  and throws if the caller has lost access. */
export async function openExport(
  { engine, listTimeoutMs, pageSize = standardPageSize }: ExportDependencies,
  resource: string,
  { layout, list }: ExportRequest,
  locate: () => Promise<TenantLocation>,
): Promise<Readable> {
  async function read(after: Position | null): Promise<ExportPage> {
    const query = { ...list, limit: pageSize, after, timeoutMs: listTimeoutMs }
    return engine.run(await locate(), exportOperations.exportPage, { resource, query, layout })
  }

  async function* pages(first: ExportPage): AsyncGenerator<string> {
    const sums: Record<string, number> = {}
    for (let page = first; ; page = await read(page.next)) {
      for (const [name, sum] of Object.entries(page.sums)) sums[name] = (sums[name] ?? 0) + sum
      yield page.text
      if (page.next === null) break
    }
    yield writeEnd(layout, sums)
  }

  const first = await read(null)
  return Readable.from(pages({ ...first, text: writeHead(layout) + first.text }))
}
