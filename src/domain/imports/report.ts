// What responses and pages show of an import: its counts, how its columns were read, and its errors (contract §17).

import type { Database } from '../../engine/database/database.ts'
import { type FailedRow, listErrors, listErrorsOfRows } from '../jobs/job-parts.ts'
import type { FileColumn } from './columns/columns.ts'
import { fieldOf } from './columns/targets.ts'
import { type ErrorGroup, errorKeyOf, type ImportJob, type ImportView, type RowError, toRowErrors } from './import.ts'

/** How a column was read. `field`: null if the column is ignored. `by`: the field by which a reference was looked up. */
export type ReportedColumn = { title: string; field: string | null; by: string | null; samples: string[] }

/** Equal errors. `column`: the column's title. `message`: that of the first row; null if that row is not kept. */
export type ReportedErrors = {
  code: string
  column: string | null
  field: string | null
  count: number
  first_row: number
  message: string | null
}

/** `errors`: the first ones. */
export type ImportReport = ImportView & { columns: ReportedColumn[]; summary: ReportedErrors[]; errors: RowError[] }

/** A report contains at most this many errors (contract §17). */
const shownErrors = 100

export async function reportOf(database: Database, job: ImportJob): Promise<ImportReport> {
  const { columns } = job.input.columns
  const failures = await listErrors(database, { jobId: job.id, pass: job.cursor.pass, limit: shownErrors })
  const { created_at, finished_at, ...view } = viewOf(job)
  return {
    ...view,
    columns: columns.flatMap(reportColumn),
    summary: await reportGroups(database, job),
    errors: failures.flatMap((failure) => toRowErrors(job.input.columns, failure)).slice(0, shownErrors),
    created_at,
    finished_at,
  }
}

/** Returns nothing for an import of an earlier version, which has no samples. */
function reportColumn({ title, target, samples }: FileColumn): ReportedColumn[] {
  const by = target?.kind === 'reference' ? target.by : null
  return samples ? [{ title, field: target && fieldOf(target), by, samples }] : []
}

/** Returns the groups with the most errors first. */
async function reportGroups(database: Database, { id, cursor, input, progress }: ImportJob): Promise<ReportedErrors[]> {
  const groups = (progress.errors ?? []).toSorted((a, b) => b.count - a.count || a.firstRow - b.firstRow)
  const rows = [...new Set(groups.map(({ firstRow }) => firstRow))]
  const failures = await listErrorsOfRows(database, { jobId: id, pass: cursor.pass, rows })
  return groups.map((group) => {
    const { code, column, field = null, count, firstRow } = group
    const { title = null, target = null } = column === null ? {} : (input.columns.columns[column] ?? {})
    const message = messageOf(group, failures)
    return { code, column: title, field: field ?? (target && fieldOf(target)), count, first_row: firstRow, message }
  })
}

function messageOf(group: ErrorGroup, failures: readonly Omit<FailedRow, 'cells'>[]): string | null {
  const { errors = [] } = failures.find(({ row }) => row === group.firstRow) ?? {}
  return errors.find((error) => errorKeyOf(error) === errorKeyOf(group))?.message ?? null
}

export function viewOf({ id, state, input, progress, createdAt, finishedAt }: ImportJob): ImportView {
  const { resource, mode, match, rows, assumptions, origin } = input
  const { processed, created, updated, unchanged, invalid } = progress
  const hasChanged = state !== 'checking' && state !== 'checked' && created + updated > 0
  return {
    id,
    resource,
    mode,
    match,
    state,
    rows,
    processed,
    created,
    updated,
    unchanged,
    invalid,
    assumptions,
    change_set: hasChanged ? origin.changeSet : null,
    created_at: createdAt,
    finished_at: finishedAt,
  }
}
