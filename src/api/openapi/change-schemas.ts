// The schemas of the history: changes and pages of them.

import { withConfiguration } from '../../resources/declarations/configuration.ts'
import { actions } from '../../resources/history/history.ts'
import { highestLimit } from '../../resources/lists/request.ts'
import type { Resource, Resources } from '../../resources/resource.ts'
import { exampleRecord, exampleTimes, knownId } from './examples.ts'
import { idSchema, integerSchema, object, timestampSchema } from './schemas.ts'
import { ref, type Schema } from './types.ts'

export function changeSchemas(resources: Resources): Record<string, Schema> {
  const [items, names] = [ref('schemas', 'Change'), withConfiguration(resources).map(({ name }) => name)]
  return {
    Change: object({
      seq: {
        ...integerSchema(1),
        description: 'The number of the change: one more than that of the change before it.',
      },
      at: { ...timestampSchema, description: 'When it was made.' },
      resource: { type: 'string', enum: names, description: 'What kind of record was changed.' },
      id: idSchema('The id of the record.'),
      action: { type: 'string', enum: actions, description: 'What was done.' },
      before: values('The fields as they were, as far as they changed; null where a record was created.'),
      after: values('The fields as they are since; null where a record was deleted.'),
      api_key_id: textOrNull('The id of the API key that did it.'),
      user_id: textOrNull('The person who did it.'),
      request_id: { type: 'string', description: 'The `X-Request-Id` of the request.' },
      change_set: {
        ...{ type: ['string', 'null'], format: 'uuid' },
        description: 'The change set: the same for everything that one request did. Null before change sets existed.',
      },
    }),
    ChangePage: object({
      data: { type: 'array', items, maxItems: highestLimit, description: 'Changes in their order.' },
      page: object({
        limit: { type: 'integer', minimum: 1, maximum: highestLimit, description: 'How many it holds at most.' },
        has_more: { type: 'boolean', description: 'Whether there are more in this direction by now.' },
        since: { ...integerSchema(0), description: 'Where to go on, now or later: the `since` of the next request.' },
        latest: {
          ...integerSchema(0),
          description: 'The number of the newest change of the tenant, whatever the filters.',
        },
      }),
    }),
  }
}

function values(description: string): Schema {
  return {
    type: ['object', 'null'],
    additionalProperties: { type: ['string', 'integer', 'boolean', 'null'] },
    description,
  }
}

function textOrNull(description: string): Schema {
  return { type: ['string', 'null'], description }
}

export const exampleChangeSet = '019cad82-10c0-7b3e-9c5f-2d1a6e8b4f70'

/** The first change: the creation of the first example record. */
export function exampleChange(resource: Resource): object {
  const { id, created_at, updated_at, ...after } = exampleRecord(resource, {})
  const who = { api_key_id: '4fJq8sLw2Z', user_id: null, request_id: '5c0f3f0e-6f2b-4a83-9a0e-0c1f7a1d2b3c' }
  const change_set = exampleChangeSet
  const at = exampleTimes[0]
  return { seq: 1, at, resource: resource.name, id: knownId, action: 'create', before: null, after, ...who, change_set }
}
