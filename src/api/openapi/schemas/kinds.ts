// The kinds of values in the schemas of requests and responses.

import { defaultLimit, maxLimit } from '../../../domain/lists/request/request.ts'
import type { Parameter, Schema } from '../types.ts'

/** Returns the schema for an object with required `members` and `optional` members. Other members are allowed, because
 *  a later version may add some (contract §27). */
export function object(members: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema {
  const properties = { ...members, ...optional }
  return { type: 'object', required: Object.keys(members), properties }
}

export function textSchema(description: string): Schema {
  return { type: 'string', description }
}

export function choiceSchema(choices: readonly string[], description?: string): Schema {
  return { type: 'string', enum: choices, ...(description && { description }) }
}

export function uuidSchema(description: string): Schema {
  return { type: 'string', format: 'uuid', description }
}

export function listSchema(items: Schema, description: string): Schema {
  return { type: 'array', items, description }
}

export function countSchema(description: string): Schema {
  return { ...integerSchema(0), description }
}

/** Returns the schema for an integer. By default, the range is that of the integers that JSON numbers represent
 *  exactly. */
export function integerSchema(
  minimum: number = Number.MIN_SAFE_INTEGER,
  maximum: number = Number.MAX_SAFE_INTEGER,
): Schema {
  return { type: 'integer', format: 'int64', minimum, maximum }
}

export function idSchema(description?: string): Schema {
  return { ...integerSchema(1), ...(description && { description }) }
}

export const timestampSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
} as const satisfies Schema

/** Returns the schema that also allows null. */
export function orNull(schema: Schema): Schema {
  const types = [schema.type ?? []].flat()
  return { ...schema, type: [...types, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) }
}

/** The `limit` of a list, in requests and in responses. */
export const limitSchema: Schema = { type: 'integer', minimum: 1, maximum: maxLimit }

export function queryParameter(name: string, description: string, schema: Schema, isRequired = false): Parameter {
  return { name, in: 'query', description, schema, ...(isRequired && { required: true }) }
}

/** Returns the schema for a page of a list by id. `data`: the schema of its entries. */
export function pageOfIdsSchema(data: Schema): Schema {
  const [has_more, next_cursor] = [{ type: 'boolean' }, { type: ['string', 'null'] }]
  return object({ data, page: object({ limit: limitSchema, has_more, next_cursor }) })
}

/** `of`: what the list contains. */
export function limitParameter(of: string): Parameter {
  return queryParameter('limit', `The maximum number of ${of} on a page.`, { ...limitSchema, default: defaultLimit })
}

/** Documents a list parameter as one comma-separated value. Repeated parameters are accepted too, but only one form
 *  can be documented. */
export const commaSeparated = { style: 'form', explode: false } as const

export function wordsParameter(name: string, description: string, words: readonly string[]): Parameter {
  const schema = { type: 'array', minItems: 1, items: choiceSchema(words) }
  return { ...queryParameter(name, description, schema), ...commaSeparated }
}
