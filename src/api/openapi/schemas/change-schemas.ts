// The schemas for the history: changes, and pages of changes.

import { withConfiguration } from '../../../domain/declarations/configuration.ts'
import type { Resource, Resources } from '../../../domain/declarations/resource.ts'
import { actions } from '../../../domain/history/history.ts'
import { maxLimit } from '../../../domain/lists/request/request.ts'
import { exampleRecord, exampleTimes, knownId } from '../examples/examples.ts'
import { ref, type Schema } from '../types.ts'
import {
  choiceSchema,
  countSchema,
  idSchema,
  limitSchema,
  object,
  orNull,
  textSchema,
  timestampSchema,
  uuidSchema,
} from './kinds.ts'

export function changeSchemas(resources: Resources): Record<string, Schema> {
  const [items, names] = [ref('schemas', 'Change'), withConfiguration(resources).map(({ name }) => name)]
  return {
    Change: object({
      seq: idSchema(
        'The sequence number of the change. Numbers have no gaps, except where a private view of others changed.',
      ),
      at: { ...timestampSchema, description: 'When the change was made.' },
      resource: choiceSchema(names, 'The resource of the changed record.'),
      id: idSchema('The id of the record.'),
      action: choiceSchema(actions, 'What was done.'),
      before: values('The changed fields before the change; null if the record was created.'),
      after: values('The changed fields after the change; null if the record was deleted.'),
      api_key_id: orNull(textSchema('The id of the API key that made the change.')),
      user_id: orNull(textSchema('The panel user who made the change.')),
      request_id: textSchema('The `X-Request-Id` of the request.'),
      change_set: orNull(
        uuidSchema(
          'The change set, shared by all changes of one request. Null for changes made before change sets were introduced.',
        ),
      ),
    }),
    ChangePage: object({
      data: { type: 'array', items, maxItems: maxLimit, description: 'The changes, in order.' },
      page: object({
        limit: { ...limitSchema, description: 'The maximum number of changes on a page.' },
        has_more: { type: 'boolean', description: 'Whether there are more changes in this direction.' },
        since: countSchema('Pass this as `since` to continue from here, now or later.'),
        latest: countSchema("The sequence number of the tenant's newest change, regardless of filters."),
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

export const exampleChangeSet = '019cad82-10c0-7b3e-9c5f-2d1a6e8b4f70'

/** The first change: the creation of the first example record. */
export function exampleChange(resource: Resource): object {
  const { id, created_at, updated_at, ...after } = exampleRecord(resource, {})
  const origin = { api_key_id: '4fJq8sLw2Z', user_id: null, request_id: '5c0f3f0e-6f2b-4a83-9a0e-0c1f7a1d2b3c' }
  const change_set = exampleChangeSet
  const at = exampleTimes[0]
  return {
    seq: 1,
    at,
    resource: resource.name,
    id: knownId,
    action: 'create',
    before: null,
    after,
    ...origin,
    change_set,
  }
}
