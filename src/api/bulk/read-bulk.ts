// Reads a bulk request (contract §15) without blocking other requests for long.

import type { Scope } from '../../access/api-key.ts'
import { type Handling, quote, unknownNames } from '../../domain/fields/unknown-names.ts'
import { type BulkRequest, bulkModes } from '../../domain/records/bulk.ts'
import { startYielding, type YieldToOthers } from '../../lib/yielding.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import type { ApiRequest, JsonObject } from '../endpoint.ts'
import type { RecordEndpoint } from '../endpoints/change-records.ts'
import { findSyntaxError } from '../json-syntax.ts'
import {
  invalidJson,
  parseJson,
  readHandling,
  requireBytes,
  requireJsonType,
  requireObject,
  requireUtf8,
} from '../parse-request.ts'
import { describeValue, type ReadOperation, readOperation } from './read-operation.ts'
import { type OperationText, splitOperations } from './split-operations.ts'

/** The input of the `bulk` operation, with the scopes that the changes require. */
export type ReadBulk = BulkRequest & { scopes: Scope[] }

/** How long reading may block other requests before it lets them run. */
const sliceMs = 5

/** The maximum length of a body without its operations, in characters. */
const maxEnvelopeLength = 65_536

/** Throws `payload_too_large`, `invalid_json`, and `invalid_request` for a malformed envelope or operation. */
export async function readBulk(
  request: ApiRequest,
  bytes: Buffer | null,
  endpoints: readonly RecordEndpoint[],
): Promise<ReadBulk> {
  const { headers } = request.call
  const { BULK_LIMIT, BULK_BODY_LIMIT_BYTES } = request.services.config
  const body = requireBytes(headers, { bytes, limitBytes: BULK_BODY_LIMIT_BYTES })
  requireUtf8(body)
  const yieldToOthers = startYielding(sliceMs)
  const split = await splitOperations(body, BULK_LIMIT, yieldToOthers)
  const read = async () => {
    const envelope = parseEnvelope(split.envelope)
    return { envelope, ...(await readOperations(split.operations, request, endpoints, yieldToOthers)) }
  }
  const { envelope, operations, malformed } = await read().catch((error) => rethrowInBody(error, body, yieldToOthers))
  requireJsonType(headers)
  const mode = readMode(requireObject(envelope), readHandling(headers))
  if (malformed) throw malformed
  const scopes = new Map(
    operations.flatMap(({ scopes }) => scopes).map((scope) => [`${scope.resource}:${scope.action}`, scope]),
  )
  return { mode, operations: operations.map(({ change }) => change), scopes: [...scopes.values()] }
}

/** Rethrows the error. For `invalid_json`, corrects the position, which was relative to a part of the body. */
async function rethrowInBody(error: unknown, body: Buffer, yieldToOthers: YieldToOthers): Promise<never> {
  if (!(error instanceof Problem) || error.code !== 'invalid_json') throw error
  const text = body.toString()
  const search = findSyntaxError(text)
  let step = search.next()
  while (!step.done) {
    await yieldToOthers()
    step = search.next()
  }
  throw invalidJson(text, step.value)
}

function parseEnvelope(text: string): unknown {
  if (text.length <= maxEnvelopeLength) return parseJson(text)
  throw invalidRequest(`Besides its operations, a bulk request may have at most ${maxEnvelopeLength} characters.`)
}

/** `malformed`: the problem with the first malformed operation. Later operations are also read, because `invalid_json`
 *  takes precedence. Throws `invalid_json`. */
async function readOperations(
  texts: OperationText[],
  request: ApiRequest,
  endpoints: readonly RecordEndpoint[],
  yieldToOthers: YieldToOthers,
): Promise<{ operations: ReadOperation[]; malformed: Problem | undefined }> {
  const operations: ReadOperation[] = []
  let malformed: Problem | undefined
  for (const [index, text] of texts.entries()) {
    try {
      operations.push(readOperation(text, `operations[${index}]`, request, endpoints))
    } catch (error) {
      if (!(error instanceof Problem) || error.code === 'invalid_json') throw error
      malformed ??= error
    }
    await yieldToOthers()
  }
  return { operations, malformed }
}

/** Checks the envelope and returns its mode. */
function readMode(envelope: JsonObject, handling: Handling): BulkRequest['mode'] {
  const [unknown] = handling === 'strict' ? unknownNames(envelope, ['mode', 'operations']).listed : []
  if (unknown) throw invalidRequest(`${quote(unknown.name)} is unknown${unknown.suggestion}.`)
  const { mode = 'all_or_nothing', operations } = envelope
  const knownMode = bulkModes.find((bulkMode) => bulkMode === mode)
  if (!knownMode) throw invalidRequest(`mode must be one of ${bulkModes.join(', ')}; it is ${describeValue(mode)}.`)
  if (!Array.isArray(operations)) {
    const example = '{"operations": [{"method": "DELETE", "resource": "customers", "id": 7}]}'
    throw invalidRequest(`operations must be a list, such as ${example}.`)
  }
  if (operations.length === 0) throw invalidRequest('operations is empty; give at least one.')
  return knownMode
}
