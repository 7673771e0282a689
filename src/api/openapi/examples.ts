// Example requests and their responses. The service's own parsers produce the responses to invalid requests. A test
// sends every example to a real service.

import {
  byId,
  emptyValues,
  externalIdField,
  type Field,
  noSuchRecord,
  type Resource,
  type Resources,
  resourceNamed,
  writableFields,
} from '../../domain/declarations/resource.ts'
import { type Values, validateChanges, validateNew } from '../../domain/fields/validate.ts'
import { assignmentFieldOf } from '../../domain/history/assignments.ts'
import { filtersOf, memberName } from '../../domain/lists/request/options.ts'
import { defaultLimit } from '../../domain/lists/request/request.ts'
import { noSuchReference } from '../../domain/records/constraints.ts'
import { describeDependents, referencesTo } from '../../domain/records/dependents.ts'
import { envelope, Problem } from '../../problem.ts'
import { type Body, parseBody, readQuery, requireId } from '../parse-request.ts'
import type { ExampleRequest, Exchange } from './types.ts'

/** The example record's id, and an id that no record has. */
export const [knownId, unknownId] = [1, 987654]
/** The external id of a second record, which an example upsert creates. */
const knownExternalId = 'hr-7'
/** A time before the first change. */
const beforeAll = '2020-01-01T00:00:00.000Z'
export const exampleTimes = ['2026-03-02T08:30:00.000Z', '2026-03-02T09:15:00.000Z'] as const

/** Returns the fields of a record that examples create: the declared example, or else only the required fields. */
export function exampleValues(resource: Resource): Values {
  const required = Object.entries(resource.fields).flatMap(([name, field]) =>
    field.required ? [[name, sample(field)] as const] : [],
  )
  return resource.example?.create ?? Object.fromEntries(required)
}

export function exampleChanges(resource: Resource): Values {
  const [name, field] = Object.entries(resource.fields)[0]!
  return resource.example?.update ?? { [name]: sample(field) }
}

export function readExchanges(resource: Resource, resources: Resources): Exchange[] {
  const record = exampleRecord(resource, {})
  const page = { limit: defaultLimit, has_more: false, next_cursor: null }
  const filteredPage = { data: [record], page: { ...page, limit: 10, total: 1 } }
  const query = 'sort=-created_at&updated_at[gte]=2026-01-01&limit=10&total=true'
  return [
    { name: 'record', request: { query: `id=${knownId}` }, status: 200, answer: record },
    { name: 'list', request: {}, status: 200, answer: { data: [record], page } },
    { name: 'filtered list', request: { query }, status: 200, answer: filteredPage },
    ...includeExchange(resource, resources),
    ...assignmentsExchange(resource),
    { name: 'as it was', request: { query: `as_of=${beforeAll}` }, status: 200, answer: { data: [], page } },
    refused({ query: 'id=' }, () => requireId(readQuery('id='))),
    refused({ query: 'id=seven' }, () => requireId(readQuery('id=seven'))),
    notFound(resource, {}),
  ]
}

/** Returns the exchange that includes all related records, or an empty list if the resource has no references. */
function includeExchange(resource: Resource, resources: Resources): Exchange[] {
  const names = filtersOf(resource, resources).includes.map(({ name }) => name)
  if (names.length === 0) return []
  const request = { query: `id=${knownId}&include=${names.join(',')}` }
  return [{ name: 'included', request, status: 200, answer: includingRecord(resource, resources, 2) }]
}

function includingRecord(resource: Resource, resources: Resources, depth: number): object {
  const record = exampleRecord(resource, {})
  const included = Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.kind !== 'reference' || depth === 0) return []
    const related = includingRecord(resourceNamed(resources, field.to), resources, depth - 1)
    return [[memberName(name), record[name] === null ? null : related] as const]
  })
  return { ...record, ...Object.fromEntries(included) }
}

/** Returns the exchange that reads a record's assignments, or an empty list if the resource has no required
 *  reference. */
function assignmentsExchange(resource: Resource): Exchange[] {
  const reference = assignmentFieldOf(resource)
  if (reference === undefined) return []
  const assignment = { [reference]: exampleRecord(resource, {})[reference], from: exampleTimes[0], to: null }
  const request = { query: `id=${knownId}&history=assignments` }
  return [{ name: 'assignments', request, status: 200, answer: { id: knownId, assignments: [assignment] } }]
}

export function createExchanges(resource: Resource): Exchange[] {
  const body = exampleValues(resource)
  return [
    { name: 'created', request: { body }, status: 201, answer: exampleRecord(resource, {}) },
    ...bodyRefusals({}),
    refused({ body: wrongValues(resource) }, () => validateNew(resource, wrongValues(resource))),
    unknownField(resource, { body }, (input) => validateNew(resource, input, 'strict')),
    ...missingReferences(resource, {}, body),
  ]
}

export function updateExchanges(resource: Resource): Exchange[] {
  const [query, body] = [`id=${knownId}`, exampleChanges(resource)]
  const answer = { ...exampleRecord(resource, body), updated_at: exampleTimes[1] }
  const wrong = wrongValues(resource)
  return [
    { name: 'updated', request: { query, body }, status: 200, answer },
    ...upsertExchange(resource),
    ...idRefusals({ body }),
    ...bodyRefusals({ query }),
    refused({ query, body: {} }, () => validateChanges(resource, {})),
    refused({ query, body: wrong }, () => validateChanges(resource, wrong)),
    unknownField(resource, { query, body }, (input) => validateChanges(resource, input, 'strict')),
    notFound(resource, { body }),
    refused({ query, body, headers: { 'If-Match': '"stale"' } }, new Problem('precondition_failed')),
    ...missingReferences(resource, { query }, {}),
  ]
}

/** Returns the exchange that creates a record by its external id, or an empty list if the resource has no external
 *  ids. */
function upsertExchange(resource: Resource): Exchange[] {
  if (!(externalIdField in resource.fields)) return []
  const { asset_tag: _, ...body } = exampleValues(resource)
  const values = { ...emptyValues(resource), ...body, [externalIdField]: knownExternalId }
  const record = { ...exampleRecord(resource, values), id: knownId + 1 }
  return [
    { name: 'created', request: { query: `${externalIdField}=${knownExternalId}`, body }, status: 201, answer: record },
  ]
}

export function deleteExchanges(resource: Resource, resources: Resources): Exchange[] {
  const query = `id=${knownId}`
  const dependents = referencesTo(resource, resources).map(({ from }) => ({
    resource: from.name,
    count: 1 + upsertExchange(from).length,
  }))
  const members = { details: describeDependents(resource, dependents), dependents }
  return [
    { name: 'deleted', request: { query }, status: 200, answer: { id: knownId, deleted: true } },
    ...deletionByExternalId(resource),
    ...idRefusals({}),
    notFound(resource, {}),
    refused({ query, headers: { 'If-Match': '"stale"' } }, new Problem('precondition_failed')),
    refused({ query }, new Problem('conflict', { members })),
  ]
}

/** Returns the exchange that deletes the record created by upsertExchange. */
function deletionByExternalId({ fields }: Resource): Exchange[] {
  if (!(externalIdField in fields)) return []
  const request = { query: `${externalIdField}=${knownExternalId}` }
  return [{ name: 'deleted by external id', request, status: 200, answer: { id: knownId + 1, deleted: true } }]
}

/** Returns two exchanges: one without an id, and one with an id that is not an integer. */
export function idRefusals(request: ExampleRequest): Exchange[] {
  return [
    refused(request, () => requireId(readQuery(''))),
    refused({ ...request, query: 'id=seven' }, () => requireId(readQuery('id=seven'))),
  ]
}

/** Returns exchanges with bodies that are not JSON objects. */
export function bodyRefusals(request: ExampleRequest): Exchange[] {
  const [broken, list] = ['{"name": ', []]
  return [
    refused({ ...request, text: broken }, () => parseBody({}, bodyOf(broken))),
    refused({ ...request, body: list }, () => parseBody({}, bodyOf(JSON.stringify(list)))),
  ]
}

/** Returns an exchange with an unknown field, which `handling=strict` rejects. */
export function unknownField(
  resource: Resource,
  request: ExampleRequest & { body: Values },
  validate: (body: object) => unknown,
): Exchange {
  const body = { ...request.body, [unknownFieldOf(resource)]: 'red' }
  const headers = { Prefer: 'handling=strict' }
  return refused({ ...request, body, headers }, () => validate(body), 'unknown field')
}

/** Returns a name that none of the resource's fields has. */
function unknownFieldOf({ fields }: Resource): string {
  let name = 'colour'
  while (name in fields) name = `other_${name}`
  return name
}

function missingReferences(resource: Resource, request: ExampleRequest, body: Values): Exchange[] {
  const references = Object.entries(resource.fields).filter(([, field]) => field.kind === 'reference')
  return references.map(([name, field]) => {
    const problem = field.kind === 'reference' ? noSuchReference(field, name, unknownId) : new Problem('not_found')
    return refused({ ...request, body: { ...body, [name]: unknownId } }, problem)
  })
}

function notFound(resource: Resource, request: ExampleRequest): Exchange {
  return refused({ ...request, query: `id=${unknownId}` }, noSuchRecord(resource, byId(unknownId)))
}

/** Returns an exchange that fails with the problem `source` or, if `source` is a function, with the problem that it
 *  throws. `name`: the error's code by default. */
export function refused(request: ExampleRequest, source: Problem | (() => unknown), name?: string): Exchange {
  const problem = source instanceof Problem ? source : problemThrownBy(source)
  return { name: name ?? problem.code, request, status: problem.status, answer: JSON.parse(envelope(problem)) }
}

function problemThrownBy(callback: () => unknown): Problem {
  try {
    callback()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('an example that should be refused is valid')
}

export function exampleRecord(resource: Resource, changes: Values): Values {
  const values = { ...emptyValues(resource), ...exampleValues(resource), ...changes }
  return { id: knownId, ...values, created_at: exampleTimes[0], updated_at: exampleTimes[0] }
}

/** Returns one invalid value for each kind of field that the resource has. */
function wrongValues(resource: Resource): Record<string, unknown> {
  const kinds = new Map<Field['kind'], string>()
  for (const [name, { kind }] of writableFields(resource)) if (!kinds.has(kind)) kinds.set(kind, name)
  return Object.fromEntries([...kinds].map(([kind, name]) => [name, wrongValueOf[kind]]))
}

const wrongValueOf: Record<Field['kind'], unknown> = {
  text: 5,
  email: 'nobody',
  integer: 'many',
  date: '2026-02-30',
  timestamp: 'yesterday',
  boolean: 'maybe',
  choice: 'none of them',
  reference: 'seven',
}

function sample(field: Field): string | number | boolean {
  switch (field.kind) {
    case 'text':
      return 'Example text of some length'.slice(0, field.max)
    case 'email':
      return 'ada@example.com'
    case 'integer':
      return field.min ?? 1
    case 'reference':
      return knownId
    case 'date':
      return '2026-03-02'
    case 'timestamp':
      return exampleTimes[0]
    case 'boolean':
      return true
    case 'choice':
      return field.of[0]!
  }
}

function bodyOf(text: string): Body {
  return { bytes: Buffer.from(text), limitBytes: text.length }
}
