// Example bulk requests. The tests send them after the examples for single requests, which create the records.

import type { Resource, Resources } from '../../../domain/declarations/resource.ts'
import { envelope, Problem } from '../../../problem.ts'
import { parseJson } from '../../parse-request.ts'
import type { Exchange } from '../types.ts'
import { exampleChanges, exampleRecord, exampleTimes, exampleValues, knownId, refused, unknownId } from './examples.ts'

export function bulkExchanges(resources: Resources): Exchange[] {
  const [resource] = resources
  if (!resource) return []
  const { name } = resource
  const remove = { method: 'DELETE', resource: name, id: unknownId }
  const update = { method: 'PUT', resource: name, id: knownId, body: formerValues(resource) }
  const broken = '{"operations": [{"method": "DELETE", '
  return [
    appliedExchange(resource),
    partlyAppliedExchange(resource, [update, remove]),
    failedExchange(resource, [update, remove]),
    refused({ body: { operations: [] } }, invalid('operations is empty; give at least one.')),
    refused({ text: broken }, () => parseJson(broken)),
  ]
}

/** The values before the example of a single change, so that this change changes them back. */
function formerValues(resource: Resource): object {
  const record = exampleRecord(resource, {})
  return Object.fromEntries(Object.keys(exampleChanges(resource)).map((name) => [name, record[name]]))
}

function invalid(message: string): Problem {
  return new Problem('invalid_request', { message })
}

function appliedExchange(resource: Resource): Exchange {
  const { name } = resource
  const id = knownId + 2 // the next id after the records that the examples for single requests create
  const body = {
    operations: [
      { method: 'POST', resource: name, body: exampleValues(resource) },
      { method: 'DELETE', resource: name, id },
    ],
  }
  const record = { ...exampleRecord(resource, {}), id }
  const location = `/api/v1/${name}.php?id=${id}`
  const results = [
    { status: 201, location, etag: exampleETag, body: record },
    { status: 200, body: { id, deleted: true } },
  ]
  const answer = { mode: 'all_or_nothing', succeeded: 2, failed: 0, change_set: exampleChangeSet, results }
  return { name: 'applied', request: { body }, status: 200, answer }
}

/** In mode `each`, all operations except the failed one are applied. */
function partlyAppliedExchange(resource: Resource, operations: object[]): Exchange {
  const record = { ...exampleRecord(resource, {}), updated_at: exampleTimes[1] }
  const results = [{ status: 200, etag: exampleETag, body: record }, notFound(resource)]
  const answer = { mode: 'each', succeeded: 1, failed: 1, change_set: exampleChangeSet, results }
  return { name: 'partly applied', request: { body: { mode: 'each', operations } }, status: 200, answer }
}

function failedExchange(resource: Resource, operations: object[]): Exchange {
  const results = [failure(refused({}, new Problem('not_applied'))), notFound(resource)]
  const answer = { ...JSON.parse(envelope(new Problem('bulk_failed'))), results }
  return { name: 'bulk_failed', request: { body: { operations } }, status: 422, answer }
}

function notFound({ singular: one }: Resource): object {
  return failure(refused({}, new Problem('not_found', { message: `There is no ${one} with this id.` })))
}

function failure({ status, answer }: Exchange): object {
  return { status, ...(answer as object) }
}

const exampleETag = '"1772440200000-2834013513"'
const exampleChangeSet = '019b2f6e-4c1a-7d33-9a8e-5b0f6c7d8e9f'
