// POST /bulk.php: makes several changes in one request and one transaction (contract §15).

import type { Resources } from '../../domain/declarations/resource.ts'
import { bulkOperations } from '../../domain/records/bulk.ts'
import { type ReadBulk, readBulk } from '../bulk/read-bulk.ts'
import type { RecordEndpoint } from '../bulk/read-operation.ts'
import type { Endpoint, EndpointDocs } from '../endpoint.ts'
import { bulkExchanges } from '../openapi/examples/bulk-examples.ts'
import { bulkSchemas } from '../openapi/schemas/bulk-schemas.ts'
import { ref } from '../openapi/types.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from './change-records.ts'

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
    scopesOf: (input) => (input as ReadBulk).scopes,
    docs: docsOf,
  }
}

function docsOf(resources: Resources): EndpointDocs {
  const exchanges = bulkExchanges(resources)
  return {
    id: 'bulk',
    tag: { name: 'bulk', description: 'Many changes in one request.' },
    summary: 'Change many records at once',
    description:
      'Runs the operations in order, in one transaction; each sees the effects of the previous ones. `results` has one entry ' +
      'per operation, in the same order: the status and body that a separate request would have returned. With ' +
      '`all_or_nothing` (the default), nothing is applied if any operation fails; with `each`, only the failed operations are ' +
      'left out. In both modes every operation is attempted, so one response reports all failures. Each operation needs the ' +
      'same scope as a separate request; otherwise its result is 403. A bulk request counts as one request towards the rate limit.',
    parameters: [ref('parameters', 'Prefer')],
    body: {
      schema: ref('schemas', 'BulkRequest'),
      examples: Object.fromEntries(
        exchanges.filter(({ status }) => status === 200).map(({ name, request }) => [name, { value: request.body }]),
      ),
    },
    responses: {
      200: { description: 'The results of the operations.', schema: ref('schemas', 'BulkResponse') },
    },
    errors: ['invalid_request', 'invalid_json', 'payload_too_large', 'bulk_failed'],
    exchanges,
    components: { schemas: bulkSchemas(resources) },
  }
}
