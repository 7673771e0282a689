// The documentation of /views.php.

import { byId, noSuchRecord, type Resources } from '../../../domain/declarations/resource.ts'
import { views, viewsOf } from '../../../domain/declarations/views.ts'
import { requireValid } from '../../../domain/fields/validate.ts'
import { defaultLimit } from '../../../domain/lists/request/request.ts'
import type { StoredRecord } from '../../../domain/records/changes.ts'
import { builtInViews } from '../../../domain/views/built-in.ts'
import { checkNewView, checkViewChanges } from '../../../domain/views/check-view.ts'
import { toView } from '../../../domain/views/view.ts'
import { Problem } from '../../../problem.ts'
import { bodyErrors, type EndpointDocs } from '../../endpoint.ts'
import { readQuery, requireId } from '../../parse-request.ts'
import { bodyRefusals, exampleRecord, exampleTimes, idRefusals, knownId, refused, unknownId } from '../examples.ts'
import { integerSchema, limitParameter, orNull, queryParameter } from '../schemas/kinds.ts'
import { resourceSchemas, schemaNames } from '../schemas/schemas.ts'
import { type Exchange, type Parameter, ref, type Schema, type Tag } from '../types.ts'

const tag: Tag = { name: views.name, description: views.about }
const names = schemaNames(views)

export function readViewsDocs(resources: Resources): EndpointDocs {
  return {
    id: 'read_views',
    tag,
    summary: 'Read one view, or a list of views',
    description:
      'With `id`, returns one view. Otherwise, returns a page of views sorted by id: the built-in views, which have negative ids ' +
      'and cannot be changed, then the shared views and the views created by this key.',
    parameters: [
      idParameter('The view to read. If omitted, a list is returned.'),
      queryParameter('resource', "Only views of this resource's lists.", {
        type: 'string',
        enum: resources.map(({ name }) => name),
      }),
      limitParameter('views'),
      queryParameter('cursor', 'The `page.next_cursor` of the previous page. The `Link` header contains it too.', {
        type: 'string',
      }),
    ],
    precondition: 'IfNoneMatch',
    responses: {
      200: {
        description: 'The view, or a page of views.',
        schema: ref('schemas', names.result),
        headers: ['ETag', 'Link'],
      },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['missing_id', 'invalid_request', 'not_found'],
    resource: views,
    exchanges: readExchanges(),
    components: { schemas: viewSchemas(resources) },
  }
}

export function createViewDocs(resources: Resources): EndpointDocs {
  return {
    id: 'create_views',
    tag,
    summary: 'Save a view',
    description:
      'Returns the whole view; `Location` is its URL. The query and the columns are validated as in a request for the list.',
    parameters: [ref('parameters', 'Prefer')],
    body: { schema: ref('schemas', names.create), examples: { created: { value: example } } },
    responses: {
      201: { description: 'The new view.', schema: ref('schemas', names.record), headers: ['Location', 'ETag'] },
    },
    errors: [...bodyErrors, 'validation_failed'],
    resource: views,
    exchanges: [
      { name: 'created', request: { body: example }, status: 201, answer: exampleView({}) },
      ...bodyRefusals({}),
      refused({ body: wrong }, () => requireValid(checkNewView(resources, wrong, 'lenient', new Date()))),
    ],
  }
}

export function updateViewDocs(resources: Resources): EndpointDocs {
  const [query, body] = [`id=${knownId}`, views.example.update]
  const answer = { ...exampleView(body), updated_at: exampleTimes[1] }
  return {
    id: 'update_views',
    tag,
    summary: 'Change a view',
    description:
      'Changes the fields in the body and returns the whole view. Everyone who can see a view can change it, but only its ' +
      'owner can stop sharing it (403 `forbidden`).',
    parameters: [idParameter('The id of the view.', true), ref('parameters', 'Prefer')],
    precondition: 'IfMatch',
    body: { schema: ref('schemas', names.update), examples: { updated: { value: body } } },
    responses: {
      200: { description: 'The view after the change.', schema: ref('schemas', names.record), headers: ['ETag'] },
    },
    errors: ['missing_id', ...bodyErrors, 'no_fields', 'validation_failed', 'not_found', 'precondition_failed'],
    resource: views,
    exchanges: [
      { name: 'updated', request: { query, body }, status: 200, answer },
      ...idRefusals({ body }),
      ...[{}, { name: 5 }].map((wrong) =>
        refused({ query, body: wrong }, () => requireValid(checkViewChanges(resources, wrong, 'lenient', new Date()))),
      ),
      ...refusalsOfRecord({ body }),
    ],
  }
}

export function deleteViewDocs(): EndpointDocs {
  const query = `id=${knownId}`
  return {
    id: 'delete_views',
    tag,
    summary: 'Delete a view',
    description: 'The request body is ignored.',
    parameters: [idParameter('The id of the view.', true)],
    precondition: 'IfMatch',
    responses: { 200: { description: 'The view was deleted.', schema: ref('schemas', 'Deleted') } },
    errors: ['missing_id', 'invalid_request', 'not_found', 'precondition_failed'],
    exchanges: [
      { name: 'deleted', request: { query }, status: 200, answer: { id: knownId, deleted: true } },
      ...idRefusals({}),
      ...refusalsOfRecord({}),
    ],
  }
}

function idParameter(description: string, isRequired = false): Parameter {
  return queryParameter('id', description, viewId, isRequired)
}

const viewId: Schema = { ...integerSchema(), description: 'Negative for built-in views.' }

/** Returns the view schemas. Unlike in other resources, `columns` is a list, and built-in views have negative ids
 *  and no timestamps. */
function viewSchemas(resources: Resources): Record<string, Schema> {
  const schemas = resourceSchemas(viewsOf(resources), [])
  const columns = {
    type: ['array', 'null'],
    items: { type: 'string' },
    uniqueItems: true,
    description: views.fields.columns.about,
  }
  const { [names.record]: record, [names.create]: create, [names.update]: update } = schemas
  const { properties = {} } = record!
  const stamps = { created_at: orNull(properties.created_at!), updated_at: orNull(properties.updated_at!) }
  return {
    ...schemas,
    [names.record]: { ...record, properties: { ...properties, id: viewId, columns, ...stamps } },
    [names.create]: { ...create, properties: { ...create?.properties, columns } },
    [names.update]: { ...update, properties: { ...update?.properties, columns } },
  }
}

const example = { ...views.example.create, columns: ['name', 'asset_tag', 'employee_name'] }

const wrong = { name: '', resource: 'hardware', query: 'status=gone', columns: ['no such column'] }

function exampleView(changes: object): object {
  const record = exampleRecord(views, { api_key_id: 'k7Zq0mW2bX', ...changes }) as StoredRecord
  return toView({ ...record, columns: example.columns.join(',') })
}

function readExchanges(): Exchange[] {
  const page = { limit: defaultLimit, has_more: false, next_cursor: null }
  return [
    { name: 'view', request: { query: `id=${knownId}` }, status: 200, answer: exampleView({}) },
    { name: 'list', request: {}, status: 200, answer: { data: [...builtInViews, exampleView({})], page } },
    refused({ query: 'id=' }, () => requireId(readQuery('id='))),
    refused({ query: `id=${unknownId}` }, noSuchRecord(views, byId(unknownId))),
  ]
}

function refusalsOfRecord(request: { body?: object }): Exchange[] {
  return [
    refused({ ...request, query: `id=${unknownId}` }, noSuchRecord(views, byId(unknownId))),
    refused(
      { ...request, query: `id=${knownId}`, headers: { 'If-Match': '"stale"' } },
      new Problem('precondition_failed'),
    ),
  ]
}
