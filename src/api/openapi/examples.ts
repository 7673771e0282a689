// Requests and the responses they get. The refusals are made by the readers that the service itself runs on. A test sends
// every request to a real service.

import type { Action } from '../../access/scopes.ts'
import { envelope, Problem } from '../../problem.ts'
import { assignmentOf } from '../../resources/history/history.ts'
import { filtersOf, memberName } from '../../resources/lists/options.ts'
import { standardLimit } from '../../resources/lists/request.ts'
import { emptyValue, type Field, type Resource, type Resources, resourceNamed } from '../../resources/resource.ts'
import { type Values, validateChanges, validateNew } from '../../resources/validate.ts'
import { readChangesQuery } from '../history.ts'
import { parseBody, readQuery, requireId } from '../parse-request.ts'
import type { ExampleRequest } from './types.ts'

/** `name`: the code of a refusal, else a word of its own within the operation. */
export type Exchange = { name: string; request: ExampleRequest; status: number; answer: unknown }

/** The id of the record that examples speak of, and one that nothing has. */
const [known, unknown] = [1, 987654]
/** A moment before every change. */
const beforeAll = '2020-01-01T00:00:00.000Z'
const times = ['2026-03-02T08:30:00.000Z', '2026-03-02T09:15:00.000Z'] as const

/** The exchanges of an action, successes first. */
export function exchangesOf(action: Action, resource: Resource, resources: Resources): Exchange[] {
  switch (action) {
    case 'read':
      return readExchanges(resource, resources)
    case 'create':
      return createExchanges(resource)
    case 'update':
      return updateExchanges(resource)
    case 'delete':
      return deleteExchanges(resource)
  }
}

/** The exchanges of reading the history. */
export function historyExchanges(resources: Resources): Exchange[] {
  const [resource] = resources
  if (!resource) return []
  const page = { limit: standardLimit, has_more: false, since: 1 }
  const shown = (name: string, query: string, data: object[], since: number): Exchange => {
    return { name, request: { query }, status: 200, answer: { data, page: { ...page, since } } }
  }
  const change = exampleChange(resource)
  return [
    shown('changes', `resource=${resource.name}`, [change], 1),
    shown('of a record', `resource=${resource.name}&id=${known}&action=create`, [change], 1),
    shown('nothing new', `since=${unknown}`, [], unknown),
    refused({ query: 'since=yesterday' }, () => readChangesQuery(readQuery('since=yesterday'), resources)),
  ]
}

/** The first change of all: the creation of the first example. */
function exampleChange(resource: Resource): object {
  const { id, created_at, updated_at, ...after } = exampleRecord(resource, {})
  const who = { api_key_id: '4fJq8sLw2Z', user_id: null, request_id: '5c0f3f0e-6f2b-4a83-9a0e-0c1f7a1d2b3c' }
  return { seq: 1, at: times[0], resource: resource.name, id: known, action: 'create', before: null, after, ...who }
}

/** The fields of a record that is made in examples: those declared for it, else what is required and no more. */
export function exampleValues(resource: Resource): Values {
  const required = Object.entries(resource.fields).flatMap(([name, field]) =>
    field.required ? [[name, sample(field)] as const] : [],
  )
  return resource.example?.create ?? Object.fromEntries(required)
}

/** The fields that an update changes in examples. */
export function exampleChanges(resource: Resource): Values {
  const [name, field] = Object.entries(resource.fields)[0]!
  return resource.example?.update ?? { [name]: sample(field) }
}

function readExchanges(resource: Resource, resources: Resources): Exchange[] {
  const record = exampleRecord(resource, {})
  const page = { limit: standardLimit, has_more: false, next_cursor: null }
  const chosen = { data: [record], page: { ...page, limit: 10, total: 1 } }
  const query = 'sort=-created_at&updated_at[gte]=2026-01-01&limit=10&total=true'
  return [
    { name: 'record', request: { query: `id=${known}` }, status: 200, answer: record },
    { name: 'list', request: {}, status: 200, answer: { data: [record], page } },
    { name: 'filtered list', request: { query }, status: 200, answer: chosen },
    ...inclusion(resource, resources),
    ...assignmentsExchange(resource),
    { name: 'as it was', request: { query: `as_of=${beforeAll}` }, status: 200, answer: { data: [], page } },
    refused({ query: 'id=' }, () => requireId(readQuery('id='))),
    refused({ query: 'id=seven' }, () => requireId(readQuery('id=seven'))),
    notFound(resource, {}),
  ]
}

/** A record with all that can be included in it; nothing where it refers to nothing. */
function inclusion(resource: Resource, resources: Resources): Exchange[] {
  const names = filtersOf(resource, resources).includes.map(({ name }) => name)
  if (names.length === 0) return []
  const request = { query: `id=${known}&include=${names.join(',')}` }
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

/** What a record belonged to; nothing where it belongs to nothing. */
function assignmentsExchange(resource: Resource): Exchange[] {
  const reference = assignmentOf(resource)
  if (reference === undefined) return []
  const assignment = { [reference]: exampleRecord(resource, {})[reference], from: times[0], to: null }
  const request = { query: `id=${known}&history=assignments` }
  return [{ name: 'assignments', request, status: 200, answer: { id: known, assignments: [assignment] } }]
}

function createExchanges(resource: Resource): Exchange[] {
  const body = exampleValues(resource)
  return [
    { name: 'created', request: { body }, status: 201, answer: exampleRecord(resource, {}) },
    ...bodyRefusals({}),
    refused({ body: wrongValues(resource) }, () => validateNew(resource, wrongValues(resource))),
    ...missingReferences(resource, {}, body),
  ]
}

function updateExchanges(resource: Resource): Exchange[] {
  const [query, body] = [`id=${known}`, exampleChanges(resource)]
  const answer = { ...exampleRecord(resource, body), updated_at: times[1] }
  const wrong = wrongValues(resource)
  return [
    { name: 'updated', request: { query, body }, status: 200, answer },
    ...idRefusals({ body }),
    ...bodyRefusals({ query }),
    refused({ query, body: {} }, () => validateChanges(resource, {})),
    refused({ query, body: wrong }, () => validateChanges(resource, wrong)),
    notFound(resource, { body }),
    refused({ query, body, headers: { 'If-Match': '"stale"' } }, new Problem('precondition_failed')),
    ...missingReferences(resource, { query }, {}),
  ]
}

function deleteExchanges(resource: Resource): Exchange[] {
  const query = `id=${known}`
  const members = { details: 'FOREIGN KEY constraint failed' }
  return [
    { name: 'deleted', request: { query }, status: 200, answer: { id: known, deleted: true } },
    ...idRefusals({}),
    notFound(resource, {}),
    refused({ query, headers: { 'If-Match': '"stale"' } }, new Problem('precondition_failed')),
    refused({ query }, new Problem('conflict', { members })),
  ]
}

function idRefusals(request: ExampleRequest): Exchange[] {
  return [
    refused(request, () => requireId(readQuery(''))),
    refused({ ...request, query: 'id=seven' }, () => requireId(readQuery('id=seven'))),
  ]
}

function bodyRefusals(request: ExampleRequest): Exchange[] {
  const [broken, list] = ['{"name": ', []]
  return [
    refused({ ...request, text: broken }, () => parseBody({}, Buffer.from(broken))),
    refused({ ...request, body: list }, () => parseBody({}, Buffer.from(JSON.stringify(list)))),
  ]
}

function missingReferences(resource: Resource, request: ExampleRequest, body: Values): Exchange[] {
  const references = Object.entries(resource.fields).filter(([, field]) => field.kind === 'reference')
  return references.map(([name, field]) => {
    const code = field.kind === 'reference' ? field.missingCode : 'not_found'
    return refused({ ...request, body: { ...body, [name]: unknown } }, new Problem(code))
  })
}

function notFound({ singular: one }: Resource, request: ExampleRequest): Exchange {
  const problem = new Problem('not_found', { message: `There is no ${one} with this id.` })
  return refused({ ...request, query: `id=${unknown}` }, problem)
}

/** A request that is refused with this problem, or with what this work throws. */
function refused(request: ExampleRequest, why: Problem | (() => unknown)): Exchange {
  const problem = why instanceof Problem ? why : thrownBy(why)
  return { name: problem.code, request, status: problem.status, answer: JSON.parse(envelope(problem)) }
}

function thrownBy(work: () => unknown): Problem {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('an example of a refusal is not refused')
}

function exampleRecord(resource: Resource, changes: Values): Values {
  const empty = Object.entries(resource.fields).map(([name, field]) => [name, emptyValue(field)])
  const values = { ...Object.fromEntries(empty), ...exampleValues(resource), ...changes }
  return { id: known, ...values, created_at: times[0], updated_at: times[0] }
}

/** One wrong value for each kind of field that is there. */
function wrongValues(resource: Resource): Record<string, unknown> {
  const kinds = new Map<Field['kind'], string>()
  for (const [name, { kind }] of Object.entries(resource.fields)) if (!kinds.has(kind)) kinds.set(kind, name)
  return Object.fromEntries([...kinds].map(([kind, name]) => [name, wrong[kind]]))
}

const wrong: Record<Field['kind'], unknown> = {
  text: 5,
  email: 'nobody',
  integer: 'many',
  date: '2026-02-30',
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
      return known
    case 'date':
      return '2026-03-02'
    case 'boolean':
      return true
    case 'choice':
      return field.of[0]!
  }
}
