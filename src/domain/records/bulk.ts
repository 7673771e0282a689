// Applies many changes to records in one transaction (contract §15). Each change sees the effects of the earlier ones.

import type { Database } from '../../engine/database/database.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import {
  isRefusal,
  type Refusal,
  type StoredResponse,
  toStoredResponse,
} from '../../engine/responses/stored-response.ts'
import { envelope, Problem } from '../../problem.ts'
import { resourceNamed } from '../declarations/resource.ts'
import type { RecordInput, Values } from '../fields/validate.ts'
import type { OngoingChange } from './changes.ts'
import { prepareCreations } from './create-many.ts'
import { mutateRecord, type RecordMutation, toCreated } from './operations.ts'

export const bulkModes = ['all_or_nothing', 'each'] as const

/** `operations`: the changes in order. Each change that was rejected in advance is replaced by a refusal. */
export type BulkRequest = { mode: (typeof bulkModes)[number]; operations: (RecordMutation | Refusal)[] }

type BulkOperation = BulkRequest['operations'][number]

/** `givenTags`: the asset tags that the request gives to records. */
type BulkChange = OngoingChange & { givenTags: ReadonlySet<string> }

/** `input`: the fields of the new record. */
type Creation = { request: Extract<RecordMutation, { action: 'create' | 'upsert' }>; input: RecordInput }

/** At most this many records are created together. */
const maxRunLength = 64

export const bulkOperations = defineOperations({ bulk: { ...mutation(applyAll), isLong: true } })

async function applyAll(
  database: Database,
  { mode, operations }: BulkRequest,
  change: OngoingChange,
): Promise<StoredResponse> {
  const responses: StoredResponse[] = []
  const bulkChange = { ...change, givenTags: tagsIn(operations) }
  for (const run of runsOf(operations))
    for await (const response of applyRun(database, run, bulkChange)) {
      responses.push(response)
      await change.pause()
    }
  if (mode === 'each' || !responses.some(isFailure)) return appliedResponse(mode, responses, change.context.changeSet)
  return notAppliedResponse(responses)
}

/** Splits the operations into runs. Consecutive operations that may create records of the same resource form a run.
 *  Every other operation is a separate run. */
function runsOf(operations: readonly BulkOperation[]): BulkOperation[][] {
  const runs: BulkOperation[][] = []
  for (const operation of operations) {
    const run = runs.at(-1)
    const resource = creationOf(operation)?.request.resource
    const fitsRun = resource !== undefined && run && resource === creationOf(run[0]!)?.request.resource
    if (fitsRun && run.length < maxRunLength) run.push(operation)
    else runs.push([operation])
  }
  return runs
}

/** Returns the record that the operation creates, or may create if it is an upsert. Returns null if it cannot create
 *  one. */
function creationOf(operation: BulkOperation): Creation | null {
  if (isRefusal(operation)) return null
  const input = operation.action === 'create' && !('errors' in operation) ? operation : possibleCreation(operation)
  return input && !input.assignsTag && !input.stockOf ? { request: operation as Creation['request'], input } : null
}

function possibleCreation(operation: RecordMutation): RecordInput | null {
  if (operation.action !== 'upsert' || operation.ifMatch !== null || 'errors' in operation.creation) return null
  return operation.creation
}

/** The asset tags that any of the operations gives. None of them is assigned to another record of the request. */
function tagsIn(operations: readonly BulkOperation[]): ReadonlySet<string> {
  const inputs = operations.flatMap((operation) => {
    if (isRefusal(operation) || operation.action === 'delete') return []
    return operation.action === 'upsert' ? [operation.changes, operation.creation] : [operation]
  })
  return new Set(inputs.flatMap((input) => ('values' in input ? [input.values.asset_tag] : [])).map(String))
}

async function* applyRun(
  database: Database,
  run: readonly BulkOperation[],
  change: BulkChange,
): AsyncGenerator<StoredResponse> {
  if (run.length === 1) yield apply(database, run[0]!, change)
  else yield* applyCreations(database, run.map(creationOf) as Creation[], change)
}

async function* applyCreations(
  database: Database,
  run: readonly Creation[],
  change: BulkChange,
): AsyncGenerator<StoredResponse> {
  const { resources, context } = change
  const resource = resourceNamed(resources, run[0]!.request.resource)
  const inputs = run.map(({ input }) => input)
  const creations = await prepareCreations(database, { resource, context }, inputs)
  for (const { request, input } of run) {
    const record = await creations.create(input)
    if (record) {
      yield toCreated(record, request.location, context.changeSet)
      continue
    }
    await creations.write()
    const response = await apply(database, request, change)
    if (!isFailure(response)) creations.noteWritten(writtenValues(request))
    yield response
  }
  await creations.write()
}

function writtenValues(request: Creation['request']): Values {
  if (request.action === 'create') return request.values
  const { changes, creation } = request
  return { ...('values' in creation && creation.values), ...('values' in changes && changes.values) }
}

async function apply(
  database: Database,
  operation: RecordMutation | Refusal,
  change: BulkChange,
): Promise<StoredResponse> {
  if (isRefusal(operation)) return operation.response
  try {
    return await mutateRecord(database, operation, change)
  } catch (error) {
    if (error instanceof Problem) return toStoredResponse(error) // thrown before the first write
    throw error
  }
}

function isFailure({ status }: StoredResponse): boolean {
  return status >= 400
}

function appliedResponse(
  mode: BulkRequest['mode'],
  responses: StoredResponse[],
  bulkChangeSet: string,
): StoredResponse {
  const failed = responses.filter(isFailure).length
  const succeeded = responses.length - failed
  const hasChanged = responses.some((response) => response.changeSet !== null)
  const changeSet = hasChanged ? bulkChangeSet : null
  const head = JSON.stringify({ mode, succeeded, failed, change_set: changeSet })
  const furtherScopes = [...new Set(responses.flatMap((response) => response.furtherScopes ?? []))]
  return { status: 200, body: withResults(head, responses), location: null, changeSet, furtherScopes }
}

/** Builds the response to a bulk request if nothing was applied. Each operation that did not itself fail has the result
 *  `not_applied`. */
function notAppliedResponse(responses: StoredResponse[]): StoredResponse {
  const skipped = toStoredResponse(new Problem('not_applied'))
  const results = responses.map((response) => (isFailure(response) ? response : skipped))
  const problem = new Problem('bulk_failed')
  return { status: problem.status, body: withResults(envelope(problem), results), location: null, changeSet: null }
}

/** Adds the results to a JSON object, as text. */
function withResults(json: string, responses: StoredResponse[]): string {
  return `${json.slice(0, -1)},"results":[${responses.map(resultOf).join(',')}]}`
}

function resultOf(response: StoredResponse): string {
  const { status, location, etag, body } = response
  if (isFailure(response)) return `{"status":${status},${body.slice(1)}` // the envelope's members
  const head = JSON.stringify({ status, ...(location !== null && { location }), ...(etag !== undefined && { etag }) })
  return `${head.slice(0, -1)},"body":${body}}`
}
