// Removes a person's data from imported files: from rows that are still to be imported, and from rows that failed.
// These rows are not records, so the person's rows are found by identifying values, such as the email address.

import type { Awaitable, Database } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import { type ImportInput, importKind } from '../imports/import.ts'
import { parsePart, writePart } from '../jobs/job-parts.ts'
import { erasedText } from './personal-fields.ts'

/** How many table rows one statement reads. A row of `job_parts` contains up to 50 rows of a file. */
const pageSizes = { job_parts: 10, job_failures: 200 } as const

/** `identifying`: values that identify the person, in lower case. Returns how many rows contained one of these
 *  values. */
export async function eraseImportRows(
  database: Database,
  resource: Resource,
  identifying: ReadonlySet<string>,
  pause: () => Awaitable<void>,
): Promise<number> {
  if (identifying.size === 0) return 0
  const resources = await importedResources(database)
  if (resources.size === 0) return 0
  let rows = 0
  const eraseCells = (jobId: number, cells: string[]): string[] => {
    const isFound = (cell: string) => identifying.has(cell.trim().toLowerCase())
    if (!cells.some(isFound)) return cells
    rows++
    const isOfPerson = resources.get(jobId) === resource.name
    return cells.map((cell) => (isOfPerson || isFound(cell) ? erasedText : cell))
  }
  await eraseParts(database, identifying, eraseCells, pause)
  await eraseFailures(database, identifying, eraseCells, pause)
  await deleteValues(database, [...resources.keys()], identifying, pause)
  return rows
}

/** Returns each import's resource, by import id. */
async function importedResources(database: Database): Promise<Map<number, string>> {
  const rows = await database.all('select id, input from jobs where kind = ?', [importKind])
  return new Map(rows.map(({ id, input }) => [id as number, (JSON.parse(input as string) as ImportInput).resource]))
}

type EraseCells = (jobId: number, cells: string[]) => string[]

async function eraseParts(
  database: Database,
  identifying: ReadonlySet<string>,
  eraseCells: EraseCells,
  pause: () => Awaitable<void>,
): Promise<void> {
  const sql = `select seq, job_id, content from job_parts where seq > ? order by seq limit ${pageSizes.job_parts}`
  for (let last = 0; ; ) {
    const parts = await database.all(sql, [last])
    if (parts.length === 0) return
    for (const { seq, job_id: jobId, content } of parts) {
      if (!mayContain(content as string, identifying)) continue
      const rows = parsePart(content as string)
      const erased = rows.map(({ row, cells }) => ({ row, cells: eraseCells(jobId as number, cells) }))
      database.runDeferred('update job_parts set content = ? where seq = ?', [writePart(erased), seq!])
    }
    last = parts.at(-1)!.seq as number
    await pause()
  }
}

async function eraseFailures(
  database: Database,
  identifying: ReadonlySet<string>,
  eraseCells: EraseCells,
  pause: () => Awaitable<void>,
): Promise<void> {
  const sql = `select seq, job_id, cells from job_failures where seq > ? order by seq limit ${pageSizes.job_failures}`
  for (let last = 0; ; ) {
    const failures = await database.all(sql, [last])
    if (failures.length === 0) return
    for (const { seq, job_id: jobId, cells } of failures) {
      if (!mayContain(cells as string, identifying)) continue
      const erased = JSON.stringify(eraseCells(jobId as number, JSON.parse(cells as string)))
      database.runDeferred('update job_failures set cells = ? where seq = ?', [erased, seq!])
    }
    last = failures.at(-1)!.seq as number
    await pause()
  }
}

/** Whether the JSON text may contain one of these values. Only such texts are parsed: parsing every text would take ten
 *  times as long. */
function mayContain(json: string, identifying: ReadonlySet<string>): boolean {
  const text = json.toLowerCase()
  return [...identifying].some((value) => text.includes(JSON.stringify(value).slice(1, -1)))
}

/** Deletes the person's values from `import_values`, which contains the values that must be unique in a file. */
async function deleteValues(
  database: Database,
  jobIds: readonly number[],
  identifying: ReadonlySet<string>,
  pause: () => Awaitable<void>,
): Promise<void> {
  for (const jobId of jobIds) {
    for (const value of identifying)
      database.runDeferred('delete from import_values where job_id = ? and lower(value) = ?', [jobId, value])
    await pause()
  }
}
