// POST /undo.php: undoes a change set (contract §16).

import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { type Handling, quote, unknownNames } from '../../domain/fields/unknown-names.ts'
import { conflictReasons } from '../../domain/history/undo/conflicts.ts'
import { type UndoRequest, undoOperations } from '../../domain/history/undo/operations.ts'
import { readUuid } from '../../lib/text.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import { scopesOfChanges, writableBy } from '../checks.ts'
import { bodyErrors, type Endpoint, type EndpointDocs, type JsonObject } from '../endpoint.ts'
import { exampleChangeSet, historyTag } from '../openapi/docs/changes.ts'
import { knownId, refused } from '../openapi/examples.ts'
import {
  choiceSchema,
  countSchema,
  idSchema,
  listSchema,
  object,
  orNull,
  textSchema,
  uuidSchema,
} from '../openapi/schemas/kinds.ts'
import { type Exchange, ref, type Schema } from '../openapi/types.ts'
import { readHandling } from '../parse-request.ts'

export function undoEndpoint(resources: Resources): Endpoint {
  return {
    method: 'POST',
    path: '/undo.php',
    scope: null,
    eitherScopes: withConfiguration(resources).map(scopesOfChanges),
    operation: undoOperations.undo,
    hasBody: true,
    read({ call, caller, resources }, body): UndoRequest {
      const writable = writableBy(caller, withConfiguration(resources))
      return { ...readUndo(body(), readHandling(call.headers)), writable }
    },
    docs: docsOf,
  }
}

const memberNames = ['change_set', 'dry_run']

/** Throws `invalid_request`. */
function readUndo(body: JsonObject, handling: Handling): Omit<UndoRequest, 'writable'> {
  const [unknown] = handling === 'strict' ? unknownNames(body, memberNames).listed : []
  if (unknown) throw invalidRequest(`${quote(unknown.name)} is unknown${unknown.suggestion}.`)
  const { change_set: value, dry_run: dryRun = false } = body
  const changeSet = typeof value === 'string' ? readUuid(value.trim()) : undefined
  if (changeSet === undefined)
    throw invalidRequest('change_set must be the UUID of a change set, as in the Change-Set header.')
  if (typeof dryRun !== 'boolean') throw invalidRequest('dry_run must be true or false.')
  return { changeSet, dryRun }
}

/** The change sets in the examples: `undoing` is the change set that undid `undone`. */
export const exampleUndo = {
  undone: '019cad8f-5b20-7d41-8a6c-3e9b0f7d2a18',
  undoing: '019cad93-7c48-7ae2-b1d5-6f0c2b9e4d37',
}

function docsOf(resources: Resources): EndpointDocs {
  const exchanges = exchangesOf(resources)
  const examples = exchanges.filter(({ status }) => status === 200)
  return {
    id: 'undo',
    tag: historyTag,
    summary: 'Undo a change set',
    description:
      'Reverts all changes of the change set in one transaction: created records are deleted, updated records get their previous ' +
      'values back, and deleted records are restored with their ids. The undo is itself a change set and can be undone. With ' +
      '`dry_run`, only checks whether the undo is possible. Nothing is undone if any of the records has changed since or would ' +
      'break a rule; `records` in the error lists them all. A stock that the set created stays while it holds other equipment. ' +
      'A change set whose changes have been removed after their retention period is rejected with `invalid_request`. The key needs `:write`, or `:create`, `:update` and `:delete`, for every ' +
      'resource in the change set: `imports:write` for saved mappings, and `*:write` for printed forms.',
    parameters: [ref('parameters', 'Prefer')],
    body: {
      schema: ref('schemas', 'UndoRequest'),
      examples: Object.fromEntries(examples.map(({ name, request }) => [name, { value: request.body }])),
    },
    responses: {
      200: { description: 'The change set was undone, or can be undone.', schema: ref('schemas', 'Undone') },
    },
    errors: [...bodyErrors, 'not_found', 'conflict'],
    errorMembers: { conflict: conflictMembers },
    exchanges,
    components: {
      schemas: { UndoRequest: requestSchema, Undone: undoneSchema, UndoConflict: conflictSchema(resources) },
    },
  }
}

const requestSchema: Schema = {
  type: 'object',
  required: ['change_set'],
  properties: {
    change_set: uuidSchema('The change set to undo: from the response header `Change-Set` or from the history.'),
    dry_run: { type: 'boolean', 'x-default': false, description: 'Only check whether it can be undone.' },
  },
}

const undoneSchema: Schema = object({
  change_set: orNull(uuidSchema('The change set of the undo; null if it changed nothing.')),
  undone: countSchema('The number of records that were reverted, or would be.'),
})

const conflictMembers: Record<string, Schema> = {
  details: textSchema('The reasons, in words.'),
  records: listSchema(
    ref('schemas', 'UndoConflict'),
    'One entry for each conflict: a record with several conflicts is listed several times. Empty if an import is still adding to the change set.',
  ),
}

function conflictSchema(resources: Resources): Schema {
  return object({
    resource: choiceSchema(withConfiguration(resources).map(({ name }) => name)),
    id: idSchema('The id of the record.'),
    reason: choiceSchema(
      conflictReasons,
      '`changed_since`: it was changed again later; `has_dependents`: other records refer to it; `reference_gone`: it would ' +
        'refer to a record that no longer exists; `duplicate`: another record has its unique value.',
    ),
  })
}

function exchangesOf([resource]: Resources): Exchange[] {
  if (!resource) return []
  const undo = { change_set: exampleUndo.undone }
  const records = [{ resource: resource.name, id: knownId, reason: 'has_dependents' }]
  const message = 'The change set cannot be undone because of the conflicts listed in records.'
  const members = { details: 'Referred to by other records: 1 record.', records }
  const unknown = { change_set: '00000000-0000-7000-8000-000000000000' }
  return [
    {
      name: 'possible',
      request: { body: { ...undo, dry_run: true } },
      status: 200,
      answer: { change_set: null, undone: 1 },
    },
    { name: 'undone', request: { body: undo }, status: 200, answer: { change_set: exampleUndo.undoing, undone: 1 } },
    refused({ body: { change_set: 7 } }, () => readUndo({ change_set: 7 }, 'lenient')),
    refused({ body: unknown }, new Problem('not_found', { message: 'There is no change set with this UUID.' })),
    refused({ body: { change_set: exampleChangeSet } }, new Problem('conflict', { message, members })),
  ]
}
