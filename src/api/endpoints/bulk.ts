// POST /bulk.php: makes several changes in one request and one transaction (contract §15).

import type { Resources } from '../../domain/declarations/resource.ts'
import { bulkOperations } from '../../domain/records/bulk.ts'
import { type ReadBulk, readBulk } from '../bulk/read-bulk.ts'
import type { Endpoint } from '../endpoint.ts'
import { bulkDocs } from '../openapi/docs/bulk.ts'
import { createEndpoint, deleteEndpoint, type RecordEndpoint, updateEndpoint } from './change-records.ts'

export function bulkEndpoint(resources: Resources): Endpoint {
  const endpoints = resources.flatMap((resource): RecordEndpoint[] => [
    createEndpoint(resource),
    updateEndpoint(resource),
    deleteEndpoint(resource),
  ])
  return {
    method: 'POST',
    path: '/bulk.php',
    scope: null, // each operation requires the scope of the equivalent single request
    operation: bulkOperations.bulk,
    hasBody: true,
    isBulk: true,
    read: (request, _body, bytes) => readBulk(request, bytes, endpoints),
    inputScopes: (input) => (input as ReadBulk).scopes, // the input that `read` returned
    docs: bulkDocs,
  }
}
