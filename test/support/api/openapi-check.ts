// Checks every response in the tests against the OpenAPI document of the service. The status, headers, body and error
// code of a response must be documented for its path and method.

import assert from 'node:assert/strict'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Endpoint } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { buildDocument } from '../../../src/api/openapi/document.ts'
import type { Document } from '../../../src/api/openapi/types.ts'
import type { Config } from '../../../src/config.ts'
import type { Resources } from '../../../src/domain/declarations/resource.ts'
import type { Response } from '../service.ts'

/** Throws if the response is not as documented. `path` is relative to the base URL of the API. */
export type Check = (method: string, path: string, response: Response) => void

/** The OpenAPI document, as text, of a service with these settings. */
export function documentOf(
  config: Config,
  resources: Resources,
  endpoints: readonly Endpoint[] = endpointsOf(resources),
): string {
  return JSON.stringify(buildDocument(resources, endpoints, config))
}

/** A check against a document, compiled at the first response. */
export function checkAgainst(document: () => string): Check {
  let check: Check | undefined
  return (method, path, response) => {
    check ??= checkOf(document())
    check(method, path, response)
  }
}

const checksByDocument = new Map<string, Check>()

/** Services with the same document share the compiled check. */
function checkOf(text: string): Check {
  const check = checksByDocument.get(text) ?? createCheck(withClosedObjects(JSON.parse(text)))
  checksByDocument.set(text, check)
  return check
}

/** Clients must accept members that they do not know, but a member that is not documented is a mistake. */
// biome-ignore lint/suspicious/noExplicitAny: any part of the document
function withClosedObjects(part: any): any {
  if (Array.isArray(part)) return part.map(withClosedObjects)
  if (typeof part !== 'object' || part === null) return part
  const closed = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withClosedObjects(value)]))
  const isOpenObject =
    [part.type].flat().includes('object') && part.properties && part.additionalProperties === undefined
  return isOpenObject ? { ...closed, additionalProperties: false } : closed
}

/** The formats that are validated. `email` is missing because it is only an annotation (JSON Schema 2020-12, Validation
 *  §7.2.1), and the schema has a pattern for email addresses. */
const assertedFormats = ['date', 'date-time', 'uri-reference', 'uuid', 'int64'] as const

function createCheck(document: Document): Check {
  const body = createAjv(document, false)
  const header = createAjv(document, true)
  const compiled = new Map<string, ValidateFunction>()

  /** Validates a value against the schema at this pointer. */
  function requireValid(kind: 'body' | 'header', pointer: string[], value: unknown): void {
    const place = pointer.join(' ')
    const validate = compiled.get(kind + place) ?? { body, header }[kind].compile(schemaAt(document, pointer))
    compiled.set(kind + place, validate)
    if (!validate(value)) assert.fail(`${place}: ${shorten(validate.errors)} in ${shorten(value)}`)
  }

  /** The pointer to the response with this status. `responses`: the pointer to an operation's responses. */
  function responsePointer(responses: string[], status: number): string[] {
    const response = lookUp(document, [...responses, String(status)])
    assert.ok(response, `status ${status} is documented at ${responses.join(' ')}`)
    return response.$ref ? response.$ref.slice(2).split('/') : [...responses, String(status)]
  }

  function requireDocumented(responses: string[], method: string, response: Response): void {
    const pointer = responsePointer(responses, response.status)
    requireHeaders(pointer, response)
    const documented = lookUp(document, pointer)
    if (documented.headers.ETag)
      assert.ok(response.headers.etag || isExport(response), `a response with status ${response.status} has an ETag`)
    if (method === 'HEAD' || !documented.content) {
      assert.equal(response.text, '')
      return
    }
    if (isExport(response)) {
      assert.ok(
        response.headers['content-type']!.split(';')[0]! in documented.content,
        'the Content-Type of an export is documented',
      )
      return
    }
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    requireValid('body', [...pointer, 'content', 'application/json', 'schema'], response.body)
    const codes = documented['x-error-codes']
    if (response.status >= 400)
      assert.ok(codes.includes(response.body.error.code), `the error code ${response.body.error.code} is documented`)
  }

  function requireHeaders(response: string[], { headers, status }: Response): void {
    const documented = lookUp(document, response).headers
    for (const [name, header] of Object.entries<{ $ref?: string; required?: boolean }>(documented)) {
      const pointer = header.$ref ? header.$ref.slice(2).split('/') : [...response, 'headers', name]
      const value = headers[name.toLowerCase()]
      if (value !== undefined) requireValid('header', [...pointer, 'schema'], value)
      else assert.ok(!lookUp(document, pointer).required, `a response with status ${status} has ${name}`)
    }
    const names = Object.keys(documented).map((name) => name.toLowerCase())
    const undocumented = Object.keys(headers).filter((name) => isServiceHeader(name) && !names.includes(name))
    assert.deepEqual(undocumented, [], `all headers are documented at ${response.join(' ')}`)
  }

  return (method, path, response) => {
    const pointers = response.headers['idempotent-replayed']
      ? replayableResponses(document)
      : [responsesPointer(document, method, path)]
    const failures = pointers.map((responses) => errorOf(() => requireDocumented(responses, method, response)))
    if (failures.every(Boolean)) throw new Error(`${method} ${path}: ${failures[0]!.message}`, { cause: failures[0] })
  }
}

function createAjv(document: Document, coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, coerceTypes, validateSchema: false, code: { optimize: false } })
  formats.default(ajv, [...assertedFormats])
  ajv.addFormat('email', true)
  return ajv.addSchema({ components: document.components } as AnySchema, 'document')
}

/** Returns the schema at a pointer into the OpenAPI document. References in the schema are changed to point into the
 *  components that were added as `document`, because compiling the whole OpenAPI document would take too long. */
function schemaAt(document: Document, pointer: string[]): AnySchema {
  return JSON.parse(JSON.stringify(lookUp(document, pointer)).replaceAll('"$ref":"#/', '"$ref":"document#/'))
}

/** The pointer to an operation's responses, or to `x-unlisted` if there is no such operation. */
function responsesPointer(document: Document, method: string, path: string): string[] {
  const operation = ['paths', path.split('?')[0]!, method.toLowerCase().replace('head', 'get')]
  return lookUp(document, operation) ? [...operation, 'responses'] : ['x-unlisted']
}

/** Pointers to the responses of all operations that change records. The response to a repeated Idempotency-Key may
 *  belong to any of these operations. */
function replayableResponses(document: Document): string[][] {
  return Object.keys(document.paths).flatMap((path) =>
    ['post', 'put', 'delete'].flatMap((method) => {
      const operation = ['paths', path, method]
      return lookUp(document, operation) ? [[...operation, 'responses']] : []
    }),
  )
}

function isExport({ headers }: Response): boolean {
  return headers['content-disposition'] !== undefined
}

function isServiceHeader(name: string): boolean {
  return /^x-r|^(content-disposition|location|etag|link|retry-after|allow|idempotent-replayed)$/.test(name)
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, 1000)
}

function errorOf(check: () => void): Error | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error as Error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any part of the document
function lookUp(document: Document, pointer: string[]): any {
  // biome-ignore lint/suspicious/noExplicitAny: any part of the document
  return pointer.reduce<any>((value, key) => value?.[key], document)
}
