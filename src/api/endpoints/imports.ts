// /imports.php: checks and imports CSV files in background jobs (contract §17).

import { Readable } from 'node:stream'
import { allows, type Scope } from '../../access/api-key.ts'
import type { Caller } from '../../access/authenticator.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { allowedList, quote } from '../../domain/fields/unknown-names.ts'
import { sentenceOf } from '../../domain/imports/file/assumptions.ts'
import { type ImportView, importModes } from '../../domain/imports/import.ts'
import {
  type ImportDiscard,
  type ImportRun,
  type ImportStart,
  importOperations,
} from '../../domain/imports/operations.ts'
import type { ImportReport } from '../../domain/imports/report.ts'
import { failedRowsCsv } from '../../domain/imports/rows/failed-rows.ts'
import { receiveFile, resolveImport } from '../../domain/imports/start-import.ts'
import { readLimit } from '../../domain/lists/request/request.ts'
import type { Upload } from '../../http/upload.ts'
import { hideKeys } from '../../lib/text.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import { answerJson, answerPage, readPageStart } from '../answers.ts'
import { insufficientScope, scopesOfChanges, stockCreationOf, writableBy } from '../checks.ts'
import type { Answer, ApiRequest, Endpoint } from '../endpoint.ts'
import { discardImportDocs, readImportsDocs, runImportDocs, startImportDocs } from '../openapi/docs/imports.ts'
import { readOptionalId, readParameters, readWord, requireId, requireNoEncoding, tooLarge } from '../parse-request.ts'
import { readImportOptions } from './import-options.ts'

const path = '/imports.php'
const writeScope: Scope = { resource: 'imports', action: 'write' }

export function importEndpoints(resources: Resources): Endpoint[] {
  const changing = {
    path,
    scope: writeScope,
    hasBody: false,
    schedulesJobs: true,
  } as const
  return [
    { method: 'GET', path, scope: { ...writeScope, action: 'read' }, answer, docs: readImportsDocs },
    {
      ...changing,
      method: 'POST',
      operation: importOperations.startImport,
      queryScopes: ({ resource }) => resources.filter(({ name }) => name === resource).flatMap(scopesOfChanges),
      acceptsFile: true,
      read: (request, _body, _bytes, file) => receiveUpload(request, file!),
      docs: startImportDocs,
    },
    {
      ...changing,
      method: 'POST',
      action: 'run',
      chosenBy: 'id',
      operation: importOperations.runImport,
      read: readRun,
      docs: runImportDocs,
    },
    {
      ...changing,
      method: 'DELETE',
      operation: importOperations.discardImport,
      read: readDiscard,
      docs: discardImportDocs,
    },
  ]
}

async function answer(request: ApiRequest): Promise<Answer> {
  const { query } = request
  const parameters = readParameters(query, ['id', 'format', 'limit', 'cursor'])
  const id = readOptionalId(query)
  if (id === undefined) return answerList(request, parameters)
  if (parameters.format !== undefined) return answerFailedRows(request, id, parameters.format)
  const report = await findReadable(request, id)
  return answerJson(request, { ...toJson(report), summary: report.summary.map(({ message: _, ...group }) => group) })
}

/** Throws `not_found`, and `forbidden` if the caller may neither read nor change the import's resource. */
async function findReadable({ tenant, services, caller, resources }: ApiRequest, id: number): Promise<ImportReport> {
  const report = await services.engine.run(tenant, importOperations.findImport, { id })
  if (!report) throw noSuchImport()
  const { resource } = report
  if (readableBy(caller, resources).includes(resource)) return report
  throw insufficientScope(caller, [`${resource}:read`, `${resource}:write`], { conjunction: 'or' })
}

/** Converts an import for a response, in which the assumptions are sentences. */
function toJson<View extends ImportView>(view: View): object {
  return { ...view, assumptions: view.assumptions.map(sentenceOf) }
}

/** Lists imports, newest first. */
async function answerList(request: ApiRequest, parameters: Record<string, string | undefined>): Promise<Answer> {
  const { tenant, services, caller, resources } = request
  if (parameters.format !== undefined)
    throw invalidRequest('format needs the id of an import: it returns the failed rows of that import.')
  const limit = readLimit(parameters.limit)
  const below = readPageStart(request, parameters.cursor) ?? Number.MAX_SAFE_INTEGER
  const input = { below, limit: limit + 1, readable: readableBy(caller, resources) }
  return answerPage(request, limit, await services.engine.run(tenant, importOperations.listImports, input), toJson)
}

async function answerFailedRows(request: ApiRequest, id: number, format: string): Promise<Answer> {
  const { tenant, services, query } = request
  readWord('format', format, ['csv'])
  if (query.limit !== undefined || query.cursor !== undefined)
    throw invalidRequest('limit and cursor are for the list of imports; leave them out.')
  await findReadable(request, id)
  const pages = failedRowsCsv(services.engine, tenant, id)
  const first = await pages.next()
  if (first.done) throw noSuchImport()
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="import-${id}-failed-rows.csv"`,
  }
  return { status: 200, body: Readable.from(withFirst(first.value, pages)), headers }
}

async function* withFirst(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

function readRun(request: ApiRequest): ImportRun {
  const { query, caller, resources } = request
  const id = requireId(query)
  const { mode } = readParameters(query, ['id', 'mode'])
  if (mode !== 'all_or_nothing' && mode !== 'valid_rows')
    throw invalidRequest(`mode is ${quote(mode ?? '')}; to run a checked import, ${allowedList(importModes.slice(1))}`)
  const writable = writableBy(caller, resources)
  return { id, mode, writable, location: locationOf(request), ...stockCreationOf(caller) }
}

async function receiveUpload(request: ApiRequest, file: Upload): Promise<ImportStart> {
  const { call, caller, tenant, resources, services } = request
  const requested = readImportOptions(request.query, call.headers['content-type'])
  const { options, save } = await resolveImport(services.engine, request, requested)
  requireNoEncoding(call.headers['content-encoding'])
  requireFileType(call.headers['content-type'])
  const source = await file.receive()
  if (!source) throw tooLarge('The file', services.config.IMPORT_LIMIT_BYTES)
  const by = { actor: { apiKeyId: caller.id }, requestId: hideKeys(call.id), ...stockCreationOf(caller) }
  const upload = { source, options, caller: by }
  const receiveAndCheck = () => receiveFile(services.engine, { tenant, resources }, upload, services.now)
  const id = await file.check(() => services.jobs.schedule(tenant, receiveAndCheck))
  return { id, location: locationOf(request), save }
}

function locationOf({ services }: ApiRequest): string {
  return `${services.location}${path}?id=`
}

const fileTypes = ['text/csv', 'text/plain', 'application/octet-stream']

function requireFileType(contentType: string | undefined): void {
  const [type] = contentType?.split(';').map((part) => part.trim().toLowerCase()) ?? []
  if (type === undefined || fileTypes.includes(type)) return
  throw invalidRequest(`Content-Type must be ${fileTypes.join(', ')} or left out, not ${quote(type)}.`)
}

function readDiscard({ query, caller, resources }: ApiRequest): ImportDiscard {
  const id = requireId(query)
  readParameters(query, ['id'])
  return { id, writable: writableBy(caller, resources) }
}

function noSuchImport(): Problem {
  return new Problem('not_found', { message: 'There is no import with this id.' })
}

/** Returns the resources whose imports and failed rows the caller may read. */
export function readableBy(caller: Caller, resources: Resources): string[] {
  const writable = writableBy(caller, resources)
  const mayRead = (resource: string) =>
    writable.includes(resource) || allows(caller.permissions, { resource, action: 'read' })
  return resources.map(({ name }) => name).filter(mayRead)
}
