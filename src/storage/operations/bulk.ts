// Many changes of records in one transaction (contract §15). Each sees the effects of those before it.

import type { Database } from '../../database/database.ts'
import { envelope, Problem } from '../../problem.ts'
import type { ChangeContext } from '../../resources/records/changes.ts'
import type { WritePrecondition } from '../../resources/records/target.ts'
import type { Resources } from '../../resources/resource.ts'
import { noPrecondition } from '../idempotency.ts'
import { type StoredResponse, toStoredResponse } from '../stored-response.ts'
import { isRefusal, mutation, type Refusal } from './mutation.ts'
import type { Operations, Pause } from './operation.ts'
import { changeRecord, type RecordMutation } from './records.ts'

export const bulkModes = ['all_or_nothing', 'each'] as const

/** `operations`: the changes in order; one that was rejected before it reached the data is in its place. */
export type BulkRequest = { mode: (typeof bulkModes)[number]; operations: (RecordMutation | Refusal)[] }

export const bulkOperations = { bulk: { ...mutation(applyAll), isLong: true } } as const satisfies Operations

async function applyAll(
  database: Database,
  resources: Resources,
  { mode, operations }: BulkRequest,
  context: ChangeContext,
  precondition: WritePrecondition,
  pause: Pause,
): Promise<StoredResponse> {
  await precondition.require()
  if (mode === 'all_or_nothing') database.runDeferred('savepoint bulk')
  const responses: StoredResponse[] = []
  for (const operation of operations) {
    responses.push(await apply(database, resources, operation, context))
    await pause()
  }
  if (mode === 'each' || !responses.some(isFailure)) return applied(mode, responses, context.changeSet)
  database.runDeferred('rollback to bulk')
  return notApplied(responses)
}

async function apply(
  database: Database,
  resources: Resources,
  operation: RecordMutation | Refusal,
  context: ChangeContext,
): Promise<StoredResponse> {
  if (isRefusal(operation)) return operation.response
  try {
    return await changeRecord(database, resources, operation, context, noPrecondition)
  } catch (error) {
    if (error instanceof Problem) return toStoredResponse(error) // it has written nothing
    throw error
  }
}

function isFailure({ status }: StoredResponse): boolean {
  return status >= 400
}

function applied(mode: BulkRequest['mode'], responses: StoredResponse[], ownSet: string): StoredResponse {
  const failed = responses.filter(isFailure).length
  const succeeded = responses.length - failed
  const changeSet = succeeded > 0 ? ownSet : null
  const head = JSON.stringify({ mode, succeeded, failed, change_set: changeSet })
  return { status: 200, body: withResults(head, responses), location: null, changeSet }
}

/** Nothing was applied: the operations that did not fail themselves say so. */
function notApplied(responses: StoredResponse[]): StoredResponse {
  const skipped = toStoredResponse(new Problem('not_applied'))
  const results = responses.map((each) => (isFailure(each) ? each : skipped))
  const problem = new Problem('bulk_failed')
  return { status: problem.status, body: withResults(envelope(problem), results), location: null, changeSet: null }
}

/** Adds the results to a JSON object. Bodies are JSON text already. */
function withResults(json: string, responses: StoredResponse[]): string {
  return `${json.slice(0, -1)},"results":[${responses.map(resultOf).join(',')}]}`
}

function resultOf(response: StoredResponse): string {
  const { status, location, etag, body } = response
  if (isFailure(response)) return `{"status":${status},${body.slice(1)}` // the members of the envelope
  const head = JSON.stringify({ status, ...(location !== null && { location }), ...(etag !== undefined && { etag }) })
  return `${head.slice(0, -1)},"body":${body}}`
}
