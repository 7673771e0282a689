// Imports of CSV files: checked and run by the service in background jobs.

import {
  type ChangeOptions,
  changeOptions,
  type Page,
  type ReadOptions,
  request,
  type UploadedFile,
} from './operations.ts'
import { readText, type Settings } from './send.ts'
import type { Deleted, Import, ImportSummary } from './types.ts'
import { sleep, untilAllowed } from './waits.ts'

/** An import that is no longer in progress. */
export type EndedImport = Import & { state: Exclude<Import['state'], 'checking' | 'running'> }

type StartQuery = { resource?: string; id?: number; mode?: string }
type ListQuery = { cursor?: string }

/** The waits between two looks at an import. They double, up to the maximum, so that a long import does not use up the
 *  key's rate limit. */
const [firstWaitMs, maxWaitMs] = [100, 5000]

/** `Start`: the query parameters of a POST. `Query`: those of the list. */
export function importsOf<Start extends StartQuery, Summary, Query extends ListQuery>(
  settings: Settings,
  path: string,
) {
  /** A file's options, such as `mode`, `match` and `map`, besides those of every change. */
  type StartOptions = Omit<Start, 'resource' | 'id'> & Omit<ChangeOptions, 'ifMatch'>
  type RunMode = Exclude<NonNullable<Start['mode']>, 'dry_run'>

  function get(id: number, options: ReadOptions = {}): Promise<Import> {
    return request(settings, { method: 'GET', path, query: { id }, ...options })
  }

  function page(query?: Query, options: ReadOptions = {}): Promise<Page<Summary>> {
    return request(settings, { method: 'GET', path, ...(query && { query }), ...options })
  }

  return {
    /** Uploads a CSV file. By default, the service only checks it: `run` then imports it. */
    start: (
      resource: NonNullable<Start['resource']>,
      file: UploadedFile,
      { idempotencyKey, signal, ...query }: StartOptions = {} as StartOptions,
    ): Promise<ImportSummary> =>
      request(settings, {
        method: 'POST',
        path,
        query: { resource, ...query },
        file,
        fileType: 'text/csv',
        ...changeOptions({ ...(idempotencyKey && { idempotencyKey }), ...(signal && { signal }) }),
      }),

    get,

    /** Waits until the check or the import has ended, however long it takes. The `state` tells how it ended: `failed`
     *  is not thrown as an error. `signal` ends the wait, not the import. */
    async wait(id: number, options: ReadOptions = {}): Promise<EndedImport> {
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
        const latest = await untilAllowed(settings, () => get(id, options), options.signal)
        if (hasEnded(latest)) return latest
        await sleep(waitMs, settings.signal, options.signal)
      }
    },

    /** Returns the rows that failed as CSV, with the errors in the last column. The text begins with a byte order mark,
     *  because spreadsheet programs require it. */
    failedRows: (id: number, options: ReadOptions = {}): Promise<string> =>
      readText(settings, { method: 'GET', path, query: { id, format: 'csv' }, ...options }),

    /** Runs an import that has been checked: of the whole file if every row is valid (`all_or_nothing`), or of the valid
     *  rows. */
    run: (id: number, mode: RunMode, options: Omit<ChangeOptions, 'ifMatch'> = {}): Promise<ImportSummary> =>
      request(settings, { method: 'POST', path, query: { id, mode }, ...changeOptions(options) }),

    /** Cancels an import that is running; the rows that it has imported stay. Discards any other import. */
    discard: (id: number, options: Omit<ChangeOptions, 'ifMatch'> = {}): Promise<Deleted> =>
      request(settings, { method: 'DELETE', path, query: { id }, ...changeOptions(options) }),

    /** Gets one page of the list of imports, the newest first. */
    page,

    /** Iterates over all imports, the newest first. */
    async *all(query?: Query, options: ReadOptions = {}): AsyncGenerator<Summary> {
      for (let cursor: string | null | undefined = query?.cursor; cursor !== null; ) {
        const { data, page: end } = await page({ ...query, cursor } as Query, options)
        yield* data
        cursor = end.next_cursor
      }
    },
  }
}

function hasEnded(report: Import): report is EndedImport {
  return report.state !== 'checking' && report.state !== 'running'
}
