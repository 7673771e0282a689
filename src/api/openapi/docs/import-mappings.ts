// The documentation of /import_mappings.php.

import type { Resources } from '../../../domain/declarations/resource.ts'
import { allowedList } from '../../../domain/fields/unknown-names.ts'
import { amountUnits } from '../../../domain/imports/file/amounts.ts'
import { shippedMappings } from '../../../domain/imports/mappings/shipped/all.ts'
import { mappingForAll } from '../../../domain/imports/mappings/shipped/shipped-mapping.ts'
import { verifyCursor } from '../../../domain/lists/list-page.ts'
import { defaultLimit, readLimit } from '../../../domain/lists/request/request.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import type { EndpointDocs } from '../../endpoint.ts'
import { readParameters, readQuery } from '../../parse-request.ts'
import { refused } from '../examples.ts'
import {
  choiceSchema,
  limitParameter,
  listSchema,
  object,
  orNull,
  pageOfIdsSchema,
  queryParameter,
  textSchema,
} from '../schemas/kinds.ts'
import { ref, type Schema, type Tag } from '../types.ts'
import { exampleSave } from './imports.ts'

const tag: Tag = {
  name: 'import_mappings',
  description: 'How the columns of a kind of file are imported. An upload to imports.php uses a mapping by its name.',
}

const shippedNames = shippedMappings.map(({ name }) => `\`${name}\``).join(', ')

export function readMappingsDocs(): EndpointDocs {
  return {
    id: 'read_import_mappings',
    tag,
    summary: 'List the mappings for imported files',
    description:
      `First the mappings for the exports of other programs (${shippedNames}), which are for all resources, then those that ` +
      'were saved with an upload (`save_as`), for resources that the key may read or change. In a shipped mapping, a target ' +
      'can be several names separated by commas: the first of them that the resource has is used, and ' +
      '`employees.external_id` is a target of employees only. A column without a target for the resource is skipped.',
    parameters: [
      limitParameter('mappings'),
      queryParameter('cursor', 'The `page.next_cursor` of the previous page. The `Link` header contains it too.', {
        type: 'string',
      }),
    ],
    precondition: 'IfNoneMatch',
    responses: {
      200: {
        description: 'A page of mappings.',
        schema: ref('schemas', 'ImportMappingPage'),
        headers: ['ETag', 'Link'],
      },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['invalid_request'],
    exchanges: [
      { name: 'mappings', request: {}, status: 200, answer: { data: exampleMappings, page: examplePage } },
      refused({ query: 'limit=0' }, () => readLimit('0')),
      refused({ query: 'cursor=x' }, () => verifyCursor([], [], 'x'), 'invalid cursor'),
      refused(
        { query: 'sort=name' },
        () => readParameters(readQuery('sort=name'), ['limit', 'cursor']),
        'unknown parameter',
      ),
    ],
    components: { schemas: mappingSchemas() },
  }
}

export function deleteMappingDocs(resources: Resources): EndpointDocs {
  const { resource, name } = exampleMapping
  const answer = { resource, name, deleted: true }
  const names = resources.map((each) => each.name)
  const query = `resource=${resource}&name=${encodeURIComponent(name)}`
  return {
    id: 'delete_import_mappings',
    tag,
    summary: 'Delete a saved mapping',
    description:
      "Deletes one of the tenant's own mappings. A shipped mapping cannot be deleted: 403 `forbidden`. The key also needs " +
      '`:write` for the resource.',
    parameters: [
      queryParameter('resource', 'The resource of the mapping.', choiceSchema(names), true),
      queryParameter('name', 'The name of the mapping.', { type: 'string' }, true),
    ],
    responses: { 200: { description: 'The mapping was deleted.', schema: ref('schemas', 'DeletedImportMapping') } },
    errors: ['invalid_request', 'not_found'],
    exchanges: [
      { name: 'deleted', request: { query }, status: 200, answer },
      refused({ query: 'resource=pens' }, invalidRequest(`resource does not take "pens"; ${allowedList(names)}`)),
      refused({ query: `resource=${resource}` }, nameMissing, 'without a name'),
      refused({ query: `resource=${resource}&name=unknown` }, noSuchMapping),
      refused({ query: `resource=${resource}&name=${shippedMappings[0]!.name}` }, cannotDelete),
    ],
    components: { schemas: mappingSchemas() },
  }
}

const nameMissing = invalidRequest('name must be the name of the mapping to delete.')
const cannotDelete = new Problem('forbidden', { message: 'A shipped mapping cannot be deleted.' })
const noSuchMapping = new Problem('not_found', { message: 'There is no mapping with this resource and name.' })

/** The mapping that the example of an upload saves. */
const exampleMapping = {
  name: exampleSave.name,
  resource: 'customers',
  is_shipped: false,
  map: exampleSave.map,
  set: {},
  value: {},
  amounts: null,
  match: null,
}

const exampleMappings = [
  ...shippedMappings.map((mapping) => ({
    name: mapping.name,
    resource: null,
    is_shipped: true,
    ...mappingForAll(mapping),
  })),
  exampleMapping,
]

const examplePage = { limit: defaultLimit, has_more: false, next_cursor: null }

function mappingSchemas(): Record<string, Schema> {
  const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }
  return {
    ImportMapping: object({
      name: textSchema('The name, for the parameter `mapping` of an upload.'),
      resource: orNull(textSchema('The resource of the records in the file; null for a shipped mapping.')),
      is_shipped: { type: 'boolean' },
      map: { ...texts, description: 'The target of each column title; an empty string skips the column.' },
      set: { ...texts, description: 'A value for each target that has no column.' },
      value: {
        type: 'object',
        additionalProperties: texts,
        description: 'For a column title, the value that replaces a cell.',
      },
      amounts: orNull(choiceSchema(amountUnits)),
      match: orNull(textSchema('The column that identifies existing records.')),
    }),
    ImportMappingPage: pageOfIdsSchema(listSchema(ref('schemas', 'ImportMapping'), 'The mappings.')),
    DeletedImportMapping: object({
      resource: textSchema('The resource of the mapping.'),
      name: textSchema('The name of the mapping.'),
      deleted: { const: true },
    }),
  }
}
