// The operations on current records.

import type { Database } from '../../engine/database/database.ts'
import { pipelinedMutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import {
  requireMatch,
  type StoredResponse,
  type TaggedRecord,
  tagOfList,
  tagOfRecord,
  tagRecord,
  tagWithIncludes,
} from '../../engine/responses/stored-response.ts'
import { Problem } from '../../problem.ts'
import { type Declared, type RecordKey, type Resources, resourceNamed } from '../declarations/resource.ts'
import type { CheckedInput } from '../fields/validate.ts'
import { countBelonging, sumMatches } from '../lists/counts.ts'
import { listInOwnOrder } from '../lists/own-orders.ts'
import { countTable, listRecords, toList } from '../lists/page.ts'
import type { JsonPage, ListInput } from '../lists/query.ts'
import { filtersOf, memberName } from '../lists/request/options.ts'
import { listSuggestions } from '../lists/suggestions.ts'
import { findId, type OngoingChange, type PipelinedChange, type StoredRecord } from './changes.ts'
import type { StockCreation } from './create-stock.ts'
import { findJson, type Includes } from './json.ts'
import { createRecord, deleteRecord, type RecordChange, rejectInvalid, updateRecord, upsertRecord } from './records.ts'

/** A change to one record. `location`: the URL of a new record, up to the id. */
export type RecordMutation =
  | ({ action: 'create'; resource: string; location: string } & Caller & CheckedInput)
  | ({ action: 'update'; resource: string; key: RecordKey; ifMatch: string | null } & Caller & CheckedInput)
  | ({
      action: 'upsert'
      resource: string
      key: RecordKey
      changes: CheckedInput
      creation: CheckedInput
      ifMatch: string | null
      /** Whether the record may already exist. */
      mayExist: boolean
      location: string
    } & Caller)
  | { action: 'delete'; resource: string; key: RecordKey; ifMatch: string | null }

/** `mayRead`: whether the caller may read the resource, so that an error may identify another record. */
type Caller = { mayRead?: boolean; stockCreation?: StockCreation | undefined }

/** Records as JSON text, with the next page's position and the list's entity tag. */
export type TaggedPage = { data: string; etag: string } & Omit<JsonPage, 'records'>

export const recordOperations = defineOperations({
  find: { writes: false, run: find },
  list: { writes: false, isScan: true, run: list },
  count: { writes: false, isScan: true, run: count },
  sum: { writes: false, isScan: true, run: sum },
  suggestions: { writes: false, isScan: true, run: suggestions },
  countOf: { writes: false, isScan: true, run: countBelonging },
  mutate: pipelinedMutation(mutateRecord),
})

async function find(
  database: Database,
  input: { resource: string; key: RecordKey; includes?: Includes | undefined },
  { resources }: Declared,
): Promise<TaggedRecord | null> {
  const { key, includes } = input
  const resource = resourceNamed(resources, input.resource)
  const record = await findJson(database, { resource, resources }, key, includes)
  if (!record) return null
  return {
    body: record.json,
    etag: includes ? tagWithIncludes(record.json, Object.keys(includes).map(memberName)) : tagOfRecord(record),
  }
}

async function list(database: Database, input: ListInput, declared: Declared): Promise<TaggedPage> {
  const toRead = toList(database, input, declared)
  const isByField = filtersOf(toRead.resource, toRead.resources).sorts.includes(toRead.query.sort.field)
  return toTaggedPage(await (isByField ? listRecords(toRead) : listInOwnOrder(toRead)))
}

/** Returns the number of records of each resource, by resource name. */
async function count(
  database: Database,
  { timeoutMs }: { timeoutMs: number },
  { resources }: Declared,
): Promise<Record<string, number>> {
  database.setBudget(timeoutMs)
  const counts = await Promise.all(resources.map((resource) => countTable(database, resource)))
  return Object.fromEntries(resources.map(({ name }, index) => [name, counts[index]!]))
}

function sum(database: Database, input: ListInput & { field: string }, declared: Declared): Promise<number> {
  return sumMatches(toList(database, input, declared), input.field)
}

/** Returns the values to suggest for each field, which are the most frequent ones in the newest records. */
async function suggestions(
  database: Database,
  input: { resource: string; timeoutMs: number },
  { resources }: Declared,
): Promise<Record<string, string[]>> {
  database.setBudget(input.timeoutMs)
  return listSuggestions(database, resourceNamed(resources, input.resource))
}

export function toTaggedPage({ records, next, total, ends }: JsonPage): TaggedPage {
  const data = records.join(',')
  return { data, next, total, etag: tagOfList(data, [next, total]), ...(ends && { ends }) }
}

/** Applies one change. Throws a Problem only before its first write. */
export async function mutateRecord(
  database: Database,
  request: RecordMutation,
  {
    resources,
    context,
    precondition,
    givenTags,
  }: OngoingChange & Partial<PipelinedChange> & { givenTags?: ReadonlySet<string> },
): Promise<StoredResponse> {
  const { mayRead = false, stockCreation }: Caller = request.action === 'delete' ? {} : request
  const furtherScopes: string[] = []
  const change = {
    resource: resourceNamed(resources, request.resource),
    context,
    precondition,
    mayRead,
    stockCreation,
    needScope: (scope: string) => void furtherScopes.push(scope),
    ...(givenTags && { givenTags }),
  }
  const response = await applyMutation(database, request, change, resources)
  return furtherScopes.length === 0 ? response : { ...response, furtherScopes }
}

async function applyMutation(
  database: Database,
  request: RecordMutation,
  change: RecordChange,
  resources: Resources,
): Promise<StoredResponse> {
  const { changeSet } = change.context
  switch (request.action) {
    case 'create': {
      if ('errors' in request) return rejectInvalid(database, change, request, 0)
      return toCreated(await createRecord(database, { ...request, ...change }), request.location, changeSet)
    }
    case 'update': {
      if ('errors' in request) {
        const id = await findId(database, change.resource, request.key)
        return rejectInvalid(database, change, request, id ?? 0)
      }
      const check = (record: StoredRecord) => requireMatch(request.ifMatch, record)
      const update = { ...request, ...change, check }
      return toUpdated(await updateRecord(database, update), changeSet)
    }
    case 'upsert': {
      const { key, changes, creation, ifMatch, mayExist, location } = request
      const check = (record: StoredRecord) => {
        requireMatch(ifMatch, record)
        if (!mayExist) throw unmet('A record with this external_id already exists, and If-None-Match: * only creates.')
      }
      const checkAbsent = () => {
        if (ifMatch !== null) throw unmet('There is no record with this external_id, and If-Match only updates.')
      }
      const upsert = { ...change, key, changes, creation, check, checkAbsent }
      const result = await upsertRecord(database, upsert)
      return result.isNew ? toCreated(result.record, location, changeSet) : toUpdated(result, changeSet)
    }
    case 'delete': {
      const check = (record: StoredRecord) => requireMatch(request.ifMatch, record)
      const id = await deleteRecord(database, { ...change, resources, key: request.key, check })
      return { status: 200, body: JSON.stringify({ id, deleted: true }), location: null, changeSet }
    }
  }
}

function unmet(message: string): Problem {
  return new Problem('precondition_failed', { message })
}

/** `location`: the record's URL, up to the id. */
export function toCreated(record: StoredRecord, location: string, changeSet: string): StoredResponse {
  return { status: 201, ...tagRecord(record), location: location + record.id, changeSet }
}

/** A request that changed nothing has no change set. */
function toUpdated(update: { record: StoredRecord; isChanged: boolean }, changeSet: string): StoredResponse {
  return { status: 200, ...tagRecord(update.record), location: null, changeSet: update.isChanged ? changeSet : null }
}
