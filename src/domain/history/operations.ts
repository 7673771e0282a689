// The operations that read the history: changes, assignments, and records as of a moment in the past.

import type { Database } from '../../engine/database/database.ts'
import { defineOperations } from '../../engine/operation.ts'
import { type TaggedRecord, tagOf, tagOfList } from '../../engine/responses/stored-response.ts'
import { type Declared, type RecordKey, resourceNamed } from '../declarations/resource.ts'
import { toList } from '../lists/page.ts'
import type { ListInput } from '../lists/query.ts'
import { findId } from '../records/changes.ts'
import type { Includes } from '../records/json.ts'
import { type TaggedPage, toTaggedPage } from '../records/operations.ts'
import { findAsOf } from './as-of.ts'
import { listAsOf } from './as-of-lists.ts'
import { listAssignments, listHandOuts, listPastItems } from './assignments.ts'
import { type ChangesPage, type ChangesQuery, findRunStart, listChanges, measureSets } from './history.ts'
import { readSetKinds } from './undo/undos.ts'

/** Changes as JSON text, with the list's entity tag. */
export type History = Omit<ChangesPage, 'entries'> & { data: string; etag: string }

export const historyOperations = defineOperations({
  findAsOf: { writes: false, isScan: true, needsSnapshot: true, run: findRecordAsOf },
  listAsOf: { writes: false, isScan: true, needsSnapshot: true, run: listRecordsAsOf },
  changes: { writes: false, isScan: true, run: readChanges },
  runStart: { writes: false, isScan: true, run: findRunStart },
  changeSets: { writes: false, isScan: true, run: measureSets },
  setKinds: { writes: false, isScan: true, run: readSetKinds },
  assignments: { writes: false, isScan: true, run: readAssignments },
  pastItems: { writes: false, isScan: true, run: listPastItems },
  handOuts: { writes: false, isScan: true, run: listHandOuts },
})

async function findRecordAsOf(
  database: Database,
  input: { resource: string; key: RecordKey; moment: string; includes: Includes; timeoutMs: number },
  { resources }: Declared,
): Promise<TaggedRecord | null> {
  database.setBudget(input.timeoutMs)
  const body = await findAsOf(database, resourceNamed(resources, input.resource), resources, input)
  return body === undefined ? null : { body, etag: tagOf(body) }
}

async function listRecordsAsOf(database: Database, input: ListInput, declared: Declared): Promise<TaggedPage> {
  return toTaggedPage(await listAsOf(toList(database, input, declared)))
}

async function readChanges(database: Database, query: ChangesQuery, { resources }: Declared): Promise<History> {
  const { entries, ...page } = await listChanges(database, resources, query)
  const data = entries.join(',')
  return { ...page, data, etag: tagOfList(data, [page.hasMore, page.since, page.latest]) }
}

/** Returns a record's past and current assignments as JSON text. */
async function readAssignments(
  database: Database,
  input: { resource: string; key: RecordKey; timeoutMs: number },
  { resources }: Declared,
): Promise<TaggedRecord | null> {
  const id = await findId(database, resourceNamed(resources, input.resource), input.key)
  const assignments = id === undefined ? undefined : await listAssignments(database, resources, { ...input, id })
  if (!assignments) return null
  const body = JSON.stringify({ id, assignments })
  return { body, etag: tagOf(body) }
}
