// /import_mappings.php: the mappings for imported files, shipped ones and those that a tenant has saved (contract §17).

import {
  importMappingOperations,
  type ListedMapping,
  type MappingRemoval,
} from '../../domain/imports/mappings/operations.ts'
import { readLimit } from '../../domain/lists/request/request.ts'
import { invalidRequest } from '../../problem.ts'
import { answerPage, readPageStart } from '../answers.ts'
import { writableBy } from '../checks.ts'
import type { Answer, ApiRequest, Endpoint } from '../endpoint.ts'
import { deleteMappingDocs, readMappingsDocs } from '../openapi/docs/import-mappings.ts'
import { readParameters, readWord } from '../parse-request.ts'
import { readableBy } from './imports.ts'

const path = '/import_mappings.php'

export function importMappingEndpoints(): Endpoint[] {
  return [
    { method: 'GET', path, scope: { resource: 'imports', action: 'read' }, answer, docs: readMappingsDocs },
    {
      method: 'DELETE',
      path,
      scope: { resource: 'imports', action: 'write' },
      operation: importMappingOperations.forgetMapping,
      hasBody: false,
      read: readRemoval,
      docs: deleteMappingDocs,
    },
  ]
}

/** Lists the shipped mappings, and the tenant's own ones for the resources that the caller may read or change. */
async function answer(request: ApiRequest): Promise<Answer> {
  const { query, caller, tenant, resources, services } = request
  const { limit: limitText, cursor } = readParameters(query, ['limit', 'cursor'])
  const limit = readLimit(limitText)
  const after = readPageStart(request, cursor) ?? Number.MIN_SAFE_INTEGER
  const input = { after, limit: limit + 1, resources: readableBy(caller, resources) }
  return answerPage(
    request,
    limit,
    await services.engine.run(tenant, importMappingOperations.listMappings, input),
    toJson,
  )
}

function toJson({ name, resource, isShipped, map, set, value, amounts, match }: ListedMapping): object {
  return { name, resource, is_shipped: isShipped, map, set, value, amounts, match }
}

/** Throws `invalid_request`. */
function readRemoval({ query, caller, resources }: ApiRequest): MappingRemoval {
  const { resource = '', name = '' } = readParameters(query, ['resource', 'name'])
  const names = resources.map((each) => each.name)
  const known = readWord('resource', resource, names)
  if (name.trim() === '') throw invalidRequest('name must be the name of the mapping to delete.')
  return { resource: known, name: name.trim(), writable: writableBy(caller, resources) }
}
