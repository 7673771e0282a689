// The documentation of /{resource}.php: reading, creating, changing and deleting records.

import { externalIdField, type Field, type Resource, type Resources } from '../../../domain/declarations/resource.ts'
import { assignmentFieldOf } from '../../../domain/history/assignments.ts'
import { referencesTo } from '../../../domain/records/dependents.ts'
import type { ProblemCode } from '../../../problem.ts'
import { bodyErrors, type EndpointDocs } from '../../endpoint.ts'
import {
  createExchanges,
  deleteExchanges,
  exampleChanges,
  exampleValues,
  readExchanges,
  updateExchanges,
} from '../examples.ts'
import { listParameters } from '../list-parameters.ts'
import { choiceSchema, idSchema, queryParameter } from '../schemas/kinds.ts'
import { externalIdSchema, resourceSchemas, schemaNames } from '../schemas/schemas.ts'
import { type Link, type Parameter, ref, type Tag } from '../types.ts'
import { exportExchanges, exportParameters, exportTypes } from './exports.ts'

export function readRecordsDocs(resource: Resource, resources: Resources): EndpointDocs {
  const { name, singular: one } = resource
  const hasAssignments = assignmentFieldOf(resource) !== undefined
  const next = { cursor: '$response.body#/page/next_cursor' }
  const parameters = listParameters(resource, resources)
  return {
    id: `read_${name}`,
    tag: tagOf(resource),
    summary: `Read one ${one}, or a list of ${name}`,
    description:
      `With \`id\` or \`external_id\`, returns one ${one}. Without them, returns a page of the list: records that match all ` +
      'filters. ' +
      (hasAssignments ? 'With `id` and `history=assignments`, returns whom the record was assigned to. ' : '') +
      'Only `include`, `as_of` and `history` can be combined with `id`; all other parameters are for lists. With `format`, ' +
      'returns the whole list as a file, as it was at the start of the export.',
    parameters: [
      queryParameter('id', `The ${one} to read. If omitted, a list is returned.`, idSchema(`The id of the ${one}.`)),
      ...externalIdParameter(resource),
      ...assignmentsParameter(resource),
      ...exportParameters(resource, resources),
      ...Object.keys(parameters).map((component) => ref('parameters', component)),
    ],
    precondition: 'IfNoneMatch',
    responses: {
      200: {
        description: 'The record, or a page of the list.',
        schema: ref('schemas', schemaNames(resource).result),
        otherTypes: exportTypes,
        headers: ['ETag', 'Link', 'Content-Disposition'],
        links: {
          next: {
            operationId: `read_${name}`,
            parameters: next,
            description: 'The next page of a list, if there is one.',
          },
        },
      },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['missing_id', 'invalid_request', 'not_found', 'query_too_slow'],
    resource,
    exchanges: [...readExchanges(resource, resources), ...exportExchanges(resource, resources)],
    components: { schemas: resourceSchemas(resource, resources), parameters },
  }
}

function assignmentsParameter(resource: Resource): Parameter[] {
  const reference = assignmentFieldOf(resource)
  if (reference === undefined) return []
  const description =
    `Instead of the record, returns every \`${reference}\` that the ${resource.singular} has had, even if it has been ` +
    'deleted. Only with `id`.'
  return [queryParameter('history', description, choiceSchema(['assignments']))]
}

export function createRecordDocs(resource: Resource): EndpointDocs {
  const { name, singular: one } = resource
  const { record, create } = schemaNames(resource)
  return {
    id: `create_${name}`,
    tag: tagOf(resource),
    summary: `Create ${withArticle(one)}`,
    description: 'Returns the whole record; `Location` is its URL.',
    parameters: [ref('parameters', 'Prefer')],
    body: { schema: ref('schemas', create), examples: { created: { value: exampleValues(resource) } } },
    responses: {
      201: {
        description: 'The new record.',
        schema: ref('schemas', record),
        headers: ['Location', 'ETag'],
        links: recordLinks(resource),
      },
    },
    errors: [...bodyErrors, 'validation_failed', ...missingCodes(resource)],
    resource,
    exchanges: createExchanges(resource),
  }
}

export function updateRecordDocs(resource: Resource): EndpointDocs {
  const { name, singular: one } = resource
  const { record, update } = schemaNames(resource)
  return {
    id: `update_${name}`,
    tag: tagOf(resource),
    summary: `Change ${withArticle(one)}`,
    description:
      'Changes the fields in the body and returns the whole record. With `external_id` instead of `id`, creates the record if it ' +
      'does not exist, following the same rules as POST.',
    parameters: [idParameter(resource), ...externalIdParameter(resource), createOnly, ref('parameters', 'Prefer')],
    precondition: 'IfMatch',
    body: { schema: ref('schemas', update), examples: { updated: { value: exampleChanges(resource) } } },
    responses: {
      200: { description: 'The updated record.', schema: ref('schemas', record), headers: ['ETag'] },
      201: {
        description: 'The new record: there was none with this `external_id`.',
        schema: ref('schemas', record),
        headers: ['Location', 'ETag'],
      },
    },
    errors: [
      'missing_id',
      ...bodyErrors,
      'no_fields',
      'validation_failed',
      'not_found',
      'precondition_failed',
      ...missingCodes(resource),
    ],
    resource,
    exchanges: updateExchanges(resource),
  }
}

export function deleteRecordDocs(resource: Resource, resources: Resources): EndpointDocs {
  const { name, singular: one } = resource
  return {
    id: `delete_${name}`,
    tag: tagOf(resource),
    summary: `Delete ${withArticle(one)}`,
    description:
      'Rejected while other records refer to the record; `dependents` in the error counts these records. The request body is ignored.',
    parameters: [idParameter(resource), ...externalIdParameter(resource)],
    precondition: 'IfMatch',
    responses: { 200: { description: 'The record was deleted.', schema: ref('schemas', 'Deleted') } },
    errors: [
      'missing_id',
      'invalid_request',
      'not_found',
      'precondition_failed',
      ...(referencesTo(resource, resources).length > 0 ? (['conflict'] as const) : []),
    ],
    resource,
    exchanges: deleteExchanges(resource, resources),
  }
}

const createOnly: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: '`*`, only with `external_id`: creates the record, but does not change an existing one.',
  schema: { type: 'string', const: '*' },
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

function idParameter(resource: Resource): Parameter {
  const { singular: one } = resource
  const isRequired = !(externalIdField in resource.fields)
  const schema = idSchema(`The id of the ${one}.`)
  const description = `The id of the ${one}.${isRequired ? '' : ' Either this or `external_id` is required.'}`
  return { name: 'id', in: 'query', schema, ...(isRequired && { required: true }), description }
}

/** Links to the operations that accept a new record's id. */
function recordLinks({ name, singular: one }: Resource): Record<string, Link> {
  const parameters = { id: '$response.body#/id' }
  const verbs = { read: 'Read', update: 'Change', delete: 'Delete' }
  return Object.fromEntries(
    Object.entries(verbs).map(([action, verb]) => [
      action,
      { operationId: `${action}_${name}`, parameters, description: `${verb} this ${one}.` },
    ]),
  )
}

function missingCodes(resource: Resource): ProblemCode[] {
  const codes = Object.values<Field>(resource.fields).flatMap((field) => {
    if (field.kind !== 'reference') return []
    return field.stock ? [field.missingCode, field.stock.missingCode] : [field.missingCode]
  })
  return [...new Set(codes)]
}

/** The tag that groups a resource's operations in the OpenAPI document. */
function tagOf({ name, about }: Resource): Tag {
  return { name, description: about ?? `The ${name} of the tenant.` }
}

/** Returns the parameter that selects one record by its external id, or an empty list if the resource has no external
 *  ids. */
function externalIdParameter({ singular: one, fields }: Resource): Parameter[] {
  if (!(externalIdField in fields)) return []
  const description = `The id of the ${one} in your own system, instead of \`id\`. Selects one record, never a list.`
  return [queryParameter(externalIdField, description, externalIdSchema)]
}
