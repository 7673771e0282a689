// Gives new records the next free tags (contract §14). Tags that any row of the file has are skipped.

import type { Database } from '../../../engine/database/database.ts'
import { assignedFieldOf, type Resource } from '../../declarations/resource.ts'
import { freeTags, noFreeTag } from '../../fields/asset-tags.ts'
import type { Values } from '../../fields/validate.ts'
import type { PartRow } from '../../jobs/job-parts.ts'
import { type FirstValue, findValueRows } from './lookups.ts'
import type { PreparedImport, ReadRow } from './read-row.ts'
import { canBeStored } from './references.ts'
import { RowFailure } from './row-errors.ts'
import type { RowRequest } from './row-request.ts'

/** The tags for the new records of some rows. */
export type NextTags = {
  /** The values of a row with the next tag, if the row asks for one. Throws RowFailure if there is none. */
  valuesOf(row: ReadRow): Values
  /** Call this once the record of a row exists. */
  noteCreated(row: ReadRow): void
  /** Keeps the numbers of all tags that records have now from being given again. */
  write(): void
}

/** `count`: how many rows ask for a tag. */
export async function prepareTags(
  database: Database,
  { resource, jobId }: PreparedImport,
  count: number,
): Promise<NextTags> {
  const { member, name } = assignedFieldOf(resource)!
  const findGiven = async (tags: readonly string[]) =>
    new Set((await findValueRows(database, jobId, member, tags)).keys())
  const { tags, noteGiven } = await freeTags(database, count, findGiven)
  let given = 0
  return {
    valuesOf({ values, assignsTag }) {
      if (!assignsTag) return values
      const tag = tags[given]
      if (tag === undefined) throw new RowFailure([{ column: null, field: member, ...noFreeTag }])
      return { ...values, [name]: tag }
    },
    noteCreated({ assignsTag }) {
      if (assignsTag) given++
    },
    write() {
      if (given > 0) noteGiven(given)
    },
  }
}

/** Returns the tags that rows have, under the name of the member that asks for tags: unlike the values that must be
 *  unique, they also count if their rows are invalid. */
export function tagsOfRows(
  resource: Resource,
  rows: readonly PartRow[],
  requests: readonly RowRequest[],
): FirstValue[] {
  const { member, name } = assignedFieldOf(resource)!
  return requests.flatMap(({ body }, index) => {
    const tag = body[name]
    return typeof tag === 'string' && canBeStored(tag) ? [{ field: member, value: tag, row: rows[index]!.row }] : []
  })
}
