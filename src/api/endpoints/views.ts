// /views.php: saved views of lists (contract §19).

import type { ParsedUrlQuery } from 'node:querystring'
import { byId, noSuchRecord } from '../../domain/declarations/resource.ts'
import { views } from '../../domain/declarations/views.ts'
import { requireValid } from '../../domain/fields/validate.ts'
import { readLimit } from '../../domain/lists/request/request.ts'
import { builtInViews } from '../../domain/views/built-in.ts'
import { checkNewView, checkViewChanges } from '../../domain/views/check-view.ts'
import { type ViewChange, viewOperations } from '../../domain/views/operations.ts'
import { invalidRequest } from '../../problem.ts'
import { answerPage, readPageStart, unlessNotModified } from '../answers.ts'
import type { Answer, ApiRequest, Endpoint } from '../endpoint.ts'
import { createViewDocs, deleteViewDocs, readViewsDocs, updateViewDocs } from '../openapi/docs/views.ts'
import { readHandling, readOptionalId, readParameters, readWord, requireId } from '../parse-request.ts'

const common = { path: '/views.php', operation: viewOperations.changeView } as const

export function viewEndpoints(): Endpoint[] {
  const write = { resource: views.name, action: 'write' } as const
  return [
    { method: 'GET', path: common.path, scope: { ...write, action: 'read' }, answer, docs: readViewsDocs },
    { ...common, method: 'POST', scope: write, hasBody: true, read: readCreation, docs: createViewDocs },
    { ...common, method: 'PUT', scope: write, hasBody: true, read: readUpdate, docs: updateViewDocs },
    { ...common, method: 'DELETE', scope: write, hasBody: false, read: readDeletion, docs: deleteViewDocs },
  ]
}

async function answer(request: ApiRequest): Promise<Answer> {
  const { query, caller, tenant, services } = request
  const parameters = readViewParameters(query)
  const id = readViewId(query)
  if (id === undefined) return answerList(request, parameters)
  const view = await services.engine.run(tenant, viewOperations.findView, { id, actor: { apiKeyId: caller.id } })
  if (!view) throw noSuchRecord(views, byId(id))
  return unlessNotModified(request, view.etag, () => view.body)
}

/** Lists views by id, the built-in views first. */
async function answerList(request: ApiRequest, parameters: Record<string, string | undefined>): Promise<Answer> {
  const { caller, tenant, resources, services } = request
  const limit = readLimit(parameters.limit)
  const names = resources.map(({ name }) => name)
  const resource = parameters.resource === undefined ? null : readWord('resource', parameters.resource, names)
  // below the ids of built-in views, which are negative
  const after = readPageStart(request, parameters.cursor) ?? Number.MIN_SAFE_INTEGER
  const input = { actor: { apiKeyId: caller.id }, resource, after, limit: limit + 1 }
  return answerPage(request, limit, await services.engine.run(tenant, viewOperations.listViews, input))
}

/** Throws `invalid_request` for unknown and repeated parameters, and for list parameters with an id. */
function readViewParameters(query: ParsedUrlQuery): Record<string, string | undefined> {
  const parameters = readParameters(query, ['id', 'resource', 'limit', 'cursor'])
  const listParameter = Object.keys(parameters).find((name) => name !== 'id')
  if (parameters.id === undefined || listParameter === undefined) return parameters
  throw invalidRequest(`${listParameter} is for the list of views; leave it out, or leave out id.`)
}

/** Like readOptionalId, but also reads the negative ids of built-in views. */
function readViewId(query: ParsedUrlQuery): number | undefined {
  const id = readOptionalId(query)
  // readOptionalId returns 0 for ids that no record has
  return id === 0 ? (builtInViews.find((view) => String(view.id) === query.id)?.id ?? 0) : id
}

/** Like readViewId, but throws `missing_id` if the parameter is absent. */
function requireViewId(query: ParsedUrlQuery): number {
  requireId(query)
  return readViewId(query)!
}

function readCreation({ call, resources, services }: ApiRequest, body: () => object): ViewChange {
  const checked = checkNewView(resources, body(), readHandling(call.headers), services.now())
  const { values } = requireValid(checked)
  return { action: 'create', values, location: `${services.location}${call.path}?id=` }
}

function readUpdate({ call, query, resources, services }: ApiRequest, body: () => object): ViewChange {
  const id = requireViewId(query)
  const checked = checkViewChanges(resources, body(), readHandling(call.headers), services.now())
  return { action: 'update', id, values: requireValid(checked).values, ifMatch: call.headers['if-match'] ?? null }
}

function readDeletion({ call, query }: ApiRequest): ViewChange {
  return { action: 'delete', id: requireViewId(query), ifMatch: call.headers['if-match'] ?? null }
}
