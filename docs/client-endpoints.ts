// Generates client/endpoints.ts from the OpenAPI document: `npm run docs`. A test fails when the file is out of date.

import {
  canExportFile,
  type Document,
  documentOf,
  fileExportName,
  nameOf,
  type Operation,
  queryName,
  type Schema,
  typeOf,
} from './client-types.ts'

/** The functions of client/operations.ts that return a member. */
const functions = [
  'actionOf',
  'assignmentsOf',
  'bulkOf',
  'historyOf',
  'readerOf',
  'recordsOf',
  'singleOf',
  'undoOf',
] as const

/** Returns the text of client/endpoints.ts. */
export function generateClientEndpoints(document = documentOf()): string {
  const paths = Object.keys(document.paths).filter((path) => path.endsWith('.php'))
  const members = paths.flatMap((path) => membersOf(document, path))
  const body = members.map(([name, value]) => `    ${name}: ${value},\n`).join('')
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(body)
  const names = [...Object.keys(document.components.schemas), ...paths.map(queryName), ...paths.map(fileExportName)]
  const types = names.filter(isUsed).sort()
  const kinds = functions.filter(isUsed)
  return `// Generated from the OpenAPI document by \`npm run docs\`. Do not edit by hand.

${isUsed('exportsOf') ? "import { exportsOf } from './exports.ts'\n" : ''}${isUsed('importsOf') ? "import { importsOf } from './imports.ts'\n" : ''}import { ${kinds.join(', ')} } from './operations.ts'
import type { Settings } from './send.ts'
import type {
${types.map((name) => `  ${name},\n`).join('')}} from './types.ts'

/** One member for each resource, one for the history, and one for every other endpoint. */
export function endpointsOf(settings: Settings) {
  return {
${body}  }
}
`
}

/** Returns the names and the code of the client's members for a path. A resource, the history, or something of which
 *  each tenant has exactly one is one member. Every other path has one member per method. */
function membersOf(document: Document, path: string): [name: string, value: string][] {
  const { get, post, put, delete: remove } = document.paths[path]!
  const name = camelCase(path.slice(1, -'.php'.length))
  if (path === '/bulk.php') return [[name, `bulkOf(settings, '${path}')`]]
  if (path === '/imports.php') return [[name, importsMember(document, path, post!)]]
  if (path === '/undo.php') return [[name, `undoOf(settings, '${path}')`]]
  if (get && post && put && remove) return [[name, recordsMember(document, path, get, post, put)]]
  if (get && put && !post && !remove)
    return [[name, `singleOf<${outputOf(get)}, ${inputOf(put)}>(settings, '${path}')`]]
  if (get && isHistory(document, get)) return [[name, historyMember(document, path, get)]]
  const methods = Object.entries({ get, post, put, delete: remove }).filter((each) => each[1])
  return methods.flatMap(([method, operation]) => [
    [methods.length === 1 ? name : `${method}${capital(name)}`, singleMember(document, path, method, operation!)],
    ...actionMembers(document, path, method, operation!),
  ])
}

/** Returns one member for each action of a path and method. */
function actionMembers(document: Document, path: string, method: string, operation: Operation): [string, string][] {
  return Object.entries(operation['x-actions'] ?? {}).map(([action, itsOperation]) => [
    camelCase(`${path.slice(1, -'.php'.length)}_${action}`),
    singleMember(document, path, method, itsOperation).replace(/\)$/, `, '${action}')`),
  ])
}

function capital(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}`
}

function recordsMember(document: Document, path: string, get: Operation, post: Operation, put: Operation): string {
  const types = [outputOf(post), inputOf(post), inputOf(put), queryName(path)]
  const base = `recordsOf<${types.join(', ')}>(settings, '${path}')`
  const exportMembers = canExportFile(get.parameters ?? [])
    ? [`...exportsOf<${outputOf(post)}, ${fileExportName(path)}>(settings, '${path}')`]
    : []
  const assignments = document.components.schemas[outputOf(get)]?.oneOf
    ?.map(({ $ref = '' }) => nameOf($ref))
    .find((each) => each.endsWith('Assignments'))
  const assignmentMembers = assignments ? [`assignments: assignmentsOf<${assignments}>(settings, '${path}')`] : []
  if (exportMembers.length + assignmentMembers.length === 0) return base
  return `{ ${[`...${base}`, ...exportMembers, ...assignmentMembers].join(', ')} }`
}

function isHistory(document: Document, get: Operation): boolean {
  return pageOf(document, get)?.page?.properties?.since !== undefined
}

function historyMember(document: Document, path: string, get: Operation): string {
  const entry = typeOf(pageOf(document, get)!.data!.items!)
  return `historyOf<${entry}, ${outputOf(get)}, ${queryName(path)}>(settings, '${path}')`
}

function singleMember(document: Document, path: string, method: string, operation: Operation): string {
  if (method === 'get') return `readerOf<${queryName(path)}, ${outputOf(operation)}>(settings, '${path}')`
  const types = [declareInput(document, operation), inputOf(operation), outputOf(operation)]
  return `actionOf<${types.join(', ')}>(settings, '${method.toUpperCase()}', '${path}')`
}

function importsMember(document: Document, path: string, post: Operation): string {
  return `importsOf<${declareInput(document, post)}, ImportSummary, ${queryName(path)}>(settings, '${path}')`
}

/** Returns the type of an operation's query parameters. */
function declareInput(document: Document, { parameters = [] }: Operation): string {
  const members = parameters
    .map((each) => (each.$ref ? document.components.parameters[nameOf(each.$ref)]! : each))
    .filter((each) => each.in === 'query')
    .map((each) => `${each.name}${each.required ? '' : '?'}: ${typeOf(each.schema)}`)
  return `{ ${members.join('; ')} }`
}

function inputOf({ requestBody }: Operation): string {
  const schema = requestBody?.content?.['application/json']?.schema
  return schema ? typeOf(schema) : 'undefined'
}

/** Returns the type of a successful response's body. */
function outputOf({ responses }: Operation): string {
  const [success] = Object.entries(responses).flatMap(([status, { content }]) => (status < '300' ? content : []))
  const schema = success?.['application/json']?.schema
  return schema ? typeOf(schema) : 'object'
}

function pageOf(document: Document, get: Operation): Record<string, Schema> | undefined {
  return document.components.schemas[outputOf(get)]?.properties
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
