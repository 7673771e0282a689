// The documentation of /bulk.php.

import { byId, noSuchRecord, type Resource, type Resources } from '../../../domain/declarations/resource.ts'
import { bulkModes } from '../../../domain/records/bulk.ts'
import { envelope, invalidRequest, Problem } from '../../../problem.ts'
import { bodyErrors, type EndpointDocs } from '../../endpoint.ts'
import { parseJson } from '../../parse-request.ts'
import { exampleChanges, exampleRecord, exampleTimes, exampleValues, knownId, refused, unknownId } from '../examples.ts'
import { choiceSchema, idSchema, listSchema, object, orNull, textSchema, uuidSchema } from '../schemas/kinds.ts'
import { schemaNames } from '../schemas/schemas.ts'
import { type Exchange, ref, type Schema } from '../types.ts'

export function bulkDocs(resources: Resources): EndpointDocs {
  const exchanges = bulkExchanges(resources)
  return {
    id: 'bulk',
    tag: { name: 'bulk', description: 'Many changes in one request.' },
    summary: 'Change many records at once',
    description:
      'Runs the operations in order, in one transaction; each sees the effects of the previous ones. `results` has one entry ' +
      'per operation, in the same order: the status and body that a separate request would have returned. With ' +
      '`all_or_nothing` (the default), nothing is applied if any operation fails; with `each`, only the failed operations are ' +
      'left out. In both modes every operation is attempted, so one response reports all failures. Each operation needs the ' +
      'same scope as a separate request; otherwise its result is 403. A bulk request counts as one request towards the rate limit.',
    parameters: [ref('parameters', 'Prefer')],
    body: {
      schema: ref('schemas', 'BulkRequest'),
      examples: Object.fromEntries(
        exchanges.filter(({ status }) => status === 200).map(({ name, request }) => [name, { value: request.body }]),
      ),
    },
    responses: {
      200: { description: 'The results of the operations.', schema: ref('schemas', 'BulkResponse') },
    },
    errors: [...bodyErrors, 'bulk_failed'],
    exchanges,
    components: { schemas: bulkSchemas(resources) },
  }
}

function bulkSchemas(resources: Resources): Record<string, Schema> {
  return {
    BulkRequest: {
      type: 'object',
      required: ['operations'],
      properties: {
        mode: choiceSchema(bulkModes, 'What happens to the other operations if one fails.'),
        operations: { ...listSchema(ref('schemas', 'BulkOperation'), 'In the order in which they run.'), minItems: 1 },
      },
    },
    BulkOperation: { oneOf: resources.flatMap(operationsOf) },
    BulkResponse: object({
      mode: choiceSchema(bulkModes),
      succeeded: { type: 'integer', minimum: 0, description: 'The number of operations that were applied.' },
      failed: {
        type: 'integer',
        minimum: 0,
        description: 'The number of operations that failed and were not applied.',
      },
      change_set: orNull(uuidSchema('The change set; null if nothing changed.')),
      results: resultsSchema,
    }),
    BulkResult: { oneOf: [ref('schemas', 'BulkSuccess'), ref('schemas', 'BulkFailure')] },
    BulkSuccess: object(
      {
        status: { type: 'integer', minimum: 200, maximum: 299 },
        body: {
          oneOf: [
            ...resources.map((resource) => ref('schemas', schemaNames(resource).record)),
            ref('schemas', 'Deleted'),
          ],
        },
      },
      { location: { type: 'string', format: 'uri-reference' }, etag: { type: 'string' } },
    ),
    BulkFailure: failureSchema,
  }
}

export const resultsSchema: Schema = {
  ...listSchema(ref('schemas', 'BulkResult'), 'One result for each operation, in the same order.'),
  minItems: 1,
}

/** The status and the error that a single request would have received. */
const failureSchema: Schema = object(
  {
    status: { type: 'integer', minimum: 400, maximum: 499 },
    error: object({
      code: ref('schemas', 'ErrorCode'),
      message: textSchema('For people. The wording may change.'),
      status: { type: 'integer', minimum: 400, maximum: 499 },
    }),
  },
  {
    errors: { type: 'object', additionalProperties: ref('schemas', 'FieldError') },
    fields: { type: 'array', items: { type: 'string' } },
    details: { type: 'string' },
    dependents: {
      type: 'array',
      items: object({ resource: { type: 'string' }, count: { type: 'integer', minimum: 1 } }),
    },
  },
)

/** The operations on a resource. Members that a method does not use are ignored. */
function operationsOf(resource: Resource): Schema[] {
  const { create, update } = schemaNames(resource)
  const target = {
    id: idSchema(`The id of the ${resource.singular}.`),
    external_id: textSchema('The id in your own system, instead of `id`.'),
    if_match: textSchema('ETags, as in `If-Match`.'),
  }
  const operation = (
    method: string,
    members: Record<string, Schema>,
    optional: Record<string, Schema> = {},
  ): Schema => {
    const required = { method: choiceSchema([method]), resource: choiceSchema([resource.name]) }
    return {
      type: 'object',
      required: Object.keys({ ...required, ...members }),
      properties: { ...required, ...members, ...optional },
    }
  }
  return [
    operation('POST', { body: ref('schemas', create) }),
    operation('PUT', { body: ref('schemas', update) }, { ...target, if_none_match: textSchema(onlyCreates) }),
    operation('DELETE', {}, target),
  ]
}

const onlyCreates = 'As in `If-None-Match`: with `*`, an operation with an `external_id` only creates a record.'

/** The tests send these requests after the examples for single requests, which create the records. */
function bulkExchanges(resources: Resources): Exchange[] {
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
    refused({ body: { operations: [] } }, invalidRequest('operations is empty; give at least one.')),
    refused({ text: broken }, () => parseJson(broken)),
  ]
}

/** The values before the example of a single change, so that this change changes them back. */
function formerValues(resource: Resource): object {
  const record = exampleRecord(resource, {})
  return Object.fromEntries(Object.keys(exampleChanges(resource)).map((name) => [name, record[name]]))
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
  const answer = { mode: 'all_or_nothing', succeeded: 2, failed: 0, change_set: bulkChangeSet, results }
  return { name: 'applied', request: { body }, status: 200, answer }
}

/** In mode `each`, all operations except the failed one are applied. */
function partlyAppliedExchange(resource: Resource, operations: object[]): Exchange {
  const record = { ...exampleRecord(resource, {}), updated_at: exampleTimes[1] }
  const results = [{ status: 200, etag: exampleETag, body: record }, notFound(resource)]
  const answer = { mode: 'each', succeeded: 1, failed: 1, change_set: bulkChangeSet, results }
  return { name: 'partly applied', request: { body: { mode: 'each', operations } }, status: 200, answer }
}

function failedExchange(resource: Resource, operations: object[]): Exchange {
  const results = [failure(refused({}, new Problem('not_applied'))), notFound(resource)]
  const answer = { ...JSON.parse(envelope(new Problem('bulk_failed'))), results }
  return { name: 'bulk_failed', request: { body: { operations } }, status: 422, answer }
}

function notFound(resource: Resource): object {
  return failure(refused({}, noSuchRecord(resource, byId(unknownId))))
}

function failure({ status, answer }: Exchange): object {
  return { status, ...(answer as object) }
}

const exampleETag = '"1772440200000-2834013513"'
const bulkChangeSet = '019b2f6e-4c1a-7d33-9a8e-5b0f6c7d8e9f'
