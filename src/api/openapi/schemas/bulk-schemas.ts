// The schemas for a bulk request and its results.

import type { Resource, Resources } from '../../../domain/declarations/resource.ts'
import { bulkModes } from '../../../domain/records/bulk.ts'
import { ref, type Schema } from '../types.ts'
import { choiceSchema, idSchema, listSchema, object, orNull, textSchema, uuidSchema } from './kinds.ts'
import { schemaNames } from './schemas.ts'

export function bulkSchemas(resources: Resources): Record<string, Schema> {
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
    operation('PUT', { body: ref('schemas', update) }, target),
    operation('DELETE', {}, target),
  ]
}
