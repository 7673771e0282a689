// Generates client/types.ts from the OpenAPI document: `npm run docs`. A test fails when the file is out of date.

import type { Endpoint } from '../src/api/endpoint.ts'
import { endpointsOf } from '../src/api/endpoints/all.ts'
import { buildDocument } from '../src/api/openapi/document.ts'
import { readConfig } from '../src/config.ts'
import { resources } from '../src/domain/declarations/all.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  description?: string
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  oneOf?: Schema[]
}

export type Parameter = {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

type Content = { content?: { 'application/json'?: { schema: Schema } } }

export type Operation = {
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
  'x-actions'?: Record<string, Operation>
}

export type Document = {
  paths: Record<string, { [method in 'get' | 'post' | 'put' | 'delete']?: Operation }>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/** Returns the OpenAPI document of a service with the default settings. */
export function documentOf(endpoints: readonly Endpoint[] = endpointsOf(resources)): Document {
  return buildDocument(resources, endpoints, readConfig({})) as unknown as Document
}

/** Returns the text of client/types.ts. */
export function generateClientTypes(document = documentOf()): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => declare(name, schema))
  const queries = Object.entries(document.paths)
    .filter(([path, { get }]) => path.endsWith('.php') && get)
    .flatMap(([path, { get }]) => {
      const parameters = queryParametersOf(document, get!.parameters ?? [])
      return [
        declareQuery(path, parameters),
        ...(canExportFile(parameters) ? [declareFileExport(path, parameters)] : []),
      ]
    })
  const head = '// Generated from the OpenAPI document by `npm run docs`. Do not edit by hand.\n'
  return `${[head, ...schemas, ...queries].join('\n')}`
}

function declare(name: string, schema: Schema): string {
  return `${comment(schema.description, '')}export type ${name} = ${typeOf(schema)}\n`
}

function queryParametersOf(document: Document, parameters: Parameter[]): Parameter[] {
  const resolved = parameters.map((each) => (each.$ref ? document.components.parameters[nameOf(each.$ref)]! : each))
  return resolved.filter((each) => each.in === 'query')
}

/** Declares the type of a list's query parameters. Omits the parameters for single records and for exports, which
 *  other methods of the client accept. */
function declareQuery(path: string, parameters: Parameter[]): string {
  const excluded = path === '/changes.php' ? [] : ['id', 'external_id', 'history', ...exportParameters]
  const members = parameters.filter(({ name }) => !excluded.includes(name)).map(parameter)
  return `export type ${queryName(path)} = {\n${members.join('')}}\n`
}

const exportParameters = ['format', 'fields', 'delimiter', 'for']

export function canExportFile(parameters: Parameter[]): boolean {
  return parameters.some(({ name }) => name === 'format')
}

/** Declares the type of an export's query parameters, except `format`. */
function declareFileExport(path: string, parameters: Parameter[]): string {
  const members = parameters.filter(({ name }) => exportParameters.slice(1).includes(name)).map(parameter)
  const list = `Omit<${queryName(path)}, 'limit' | 'cursor' | 'total'>`
  return `export type ${fileExportName(path)} = ${list} & {\n${members.join('')}}\n`
}

export function fileExportName(path: string): string {
  return queryName(path).replace(/Query$/, 'Export')
}

export function queryName(path: string): string {
  const name = path.slice(1, -'.php'.length)
  return `${name[0]!.toUpperCase()}${name.slice(1)}Query`
}

function parameter({ name, description, schema }: Parameter): string {
  const type = schema.type === 'array' ? listType(name, typeOf(schema.items!)) : typeOf(schema)
  return `${comment(description, '  ')}  ${key(name)}?: ${type}\n`
}

/** The lists of `changes.php` can also be one value, as in the first version of the client. */
function listType(name: string, item: string): string {
  const list = `readonly (${item})[]`
  return ['resource', 'action'].includes(name) ? `${item} | ${list}` : list
}

export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.oneOf) return schema.oneOf.map((each) => typeOf(each, indent)).join(' | ')
  if (schema.enum) return schema.enum.map((each) => quote(each)).join(' | ')
  const types = [schema.type ?? 'unknown'].flat().map((type) => simpleType(type, schema, indent))
  return types.join(' | ')
}

function simpleType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `(${typeOf(schema.items!, indent)})[]`
    case 'object':
      return objectType(schema, indent)
    default:
      return type
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (!properties) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'
    return `Record<string, ${values}>`
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema.description, `${indent}  `)}${indent}  ${key(name)}${mark}: ${typeOf(schema, `${indent}  `)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

function comment(text: string | undefined, indent: string): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : ''
}

function key(name: string): string {
  return /^\w+$/.test(name) ? name : quote(name)
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

export function nameOf(reference: string): string {
  return reference.split('/').at(-1)!
}
