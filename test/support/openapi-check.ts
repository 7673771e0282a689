// Checks every response in the tests against the OpenAPI document of the service that sent it: its status, headers,
// body and error code must be documented for its path and method.

import assert from 'node:assert/strict'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import { descriptionOf } from '../../src/api/openapi/description.ts'
import { describe } from '../../src/api/openapi/document.ts'
import type { Document } from '../../src/api/openapi/types.ts'
import type { Config } from '../../src/config.ts'
import type { Resources } from '../../src/resources/resource.ts'
import type { Response } from './service.ts'

/** Throws if the response is not as documented. `path` is relative to the base URL of the API. */
export type Check = (method: string, path: string, response: Response) => void

/** The OpenAPI document, as text, of a service with these settings. */
export function documentOf(
  config: Config,
  resources: Resources,
  endpoints: readonly Endpoint[] = endpointsOf(resources),
): string {
  return JSON.stringify(describe(descriptionOf(config, endpoints)))
}

/** The check for a document, compiled at the first response. */
export function checkAgainst(document: () => string): Check {
  let made: Check | undefined
  return (method, path, response) => {
    made ??= checkOf(document())
    made(method, path, response)
  }
}

const checksByDocument = new Map<string, Check>()

/** Services with the same document share the compiled check. */
function checkOf(text: string): Check {
  const check = checksByDocument.get(text) ?? createCheck(JSON.parse(text))
  checksByDocument.set(text, check)
  return check
}

/** `email` only annotates (JSON Schema 2020-12, Validation §7.2.1): the pattern beside it is the rule. */
const assertedFormats = ['date', 'date-time', 'uri-reference', 'uuid', 'int64'] as const

function createCheck(document: Document): Check {
  const body = createAjv(document, false)
  const header = createAjv(document, true)
  const compiled = new Map<string, ValidateFunction>()

  /** Validates a value by the schema at this place of the document. */
  function requireValid(kind: 'body' | 'header', at: string[], value: unknown): void {
    const place = at.join(' ')
    const validate = compiled.get(kind + place) ?? { body, header }[kind].compile(schemaAt(document, at))
    compiled.set(kind + place, validate)
    if (!validate(value)) assert.fail(`${place}: ${shorten(validate.errors)} in ${shorten(value)}`)
  }

  /** The pointer to the response of this status among the responses at `at`. */
  function responsePath(at: string[], status: number): string[] {
    const found = lookUp(document, [...at, String(status)])
    assert.ok(found, `${status} is not documented at ${at.join(' ')}`)
    return found.$ref ? found.$ref.slice(2).split('/') : [...at, String(status)]
  }

  function requireDocumented(at: string[], method: string, response: Response): void {
    const where = responsePath(at, response.status)
    requireHeaders(where, response)
    const documented = lookUp(document, where)
    if (documented.headers.ETag)
      assert.ok(response.headers.etag || isExport(response), `${response.status} without ETag`)
    if (method === 'HEAD' || !documented.content) {
      assert.equal(response.text, '')
      return
    }
    if (isExport(response)) {
      assert.ok(response.headers['content-type']!.split(';')[0]! in documented.content, 'its type is not documented')
      return
    }
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    requireValid('body', [...where, 'content', 'application/json', 'schema'], response.body)
    const codes = documented['x-error-codes']
    if (response.status >= 400)
      assert.ok(codes.includes(response.body.error.code), `${response.body.error.code} is new`)
  }

  function requireHeaders(where: string[], { headers, status }: Response): void {
    const documented = lookUp(document, where).headers
    for (const [name, header] of Object.entries<{ $ref?: string; required?: boolean }>(documented)) {
      const at = header.$ref ? header.$ref.slice(2).split('/') : [...where, 'headers', name]
      const value = headers[name.toLowerCase()]
      if (value !== undefined) requireValid('header', [...at, 'schema'], value)
      else assert.ok(!lookUp(document, at).required, `${status} without ${name}`)
    }
    const listed = Object.keys(documented).map((name) => name.toLowerCase())
    const unlisted = Object.keys(headers).filter((name) => isOurs(name) && !listed.includes(name))
    assert.deepEqual(unlisted, [], `headers of ${status} at ${where.join(' ')}`)
  }

  return (method, path, response) => {
    const places = response.headers['idempotent-replayed']
      ? replayableResponses(document)
      : [responsesPathOf(document, method, path)]
    const failures = places.map((at) => failureOf(() => requireDocumented(at, method, response)))
    if (failures.every(Boolean)) throw new Error(`${method} ${path}: ${failures[0]!.message}`, { cause: failures[0] })
  }
}

function createAjv(document: Document, coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, coerceTypes, validateSchema: false, code: { optimize: false } })
  formats.default(ajv, [...assertedFormats])
  ajv.addFormat('email', true)
  return ajv.addSchema({ components: document.components } as AnySchema, 'document')
}

/** The schema at a pointer into the document. Its references point to components that Ajv already knows, because
 *  compiling the whole document would take long. */
function schemaAt(document: Document, at: string[]): AnySchema {
  return JSON.parse(JSON.stringify(lookUp(document, at)).replaceAll('"$ref":"#/', '"$ref":"document#/'))
}

/** The location of the responses in the document: under the operation, or under `x-unlisted`. */
function responsesPathOf(document: Document, method: string, path: string): string[] {
  const at = ['paths', path.split('?')[0]!, method.toLowerCase()]
  return lookUp(document, at) ? [...at, 'responses'] : ['x-unlisted']
}

/** A request with a used Idempotency-Key gets the stored response, which may be that of another operation. */
function replayableResponses(document: Document): string[][] {
  return Object.keys(document.paths).flatMap((path) =>
    ['post', 'put', 'delete'].flatMap((method) => {
      const at = ['paths', path, method]
      return lookUp(document, at) ? [[...at, 'responses']] : []
    }),
  )
}

function isExport({ headers }: Response): boolean {
  return headers['content-disposition'] !== undefined
}

function isOurs(name: string): boolean {
  return /^x-r|^(content-disposition|location|etag|link|retry-after|allow|idempotent-replayed)$/.test(name)
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, 1000)
}

function failureOf(work: () => void): Error | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the document holds there
function lookUp(document: Document, at: string[]): any {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document holds there
  return at.reduce<any>((inner, key) => inner?.[key], document)
}
