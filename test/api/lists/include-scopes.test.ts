// A response includes related records only of resources that the key may read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Document, Parameter } from '../../../src/api/openapi/types.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { filtersOf } from '../../../src/domain/lists/request/options.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { sample } from '../../support/faults/load.ts'
import { type Client, createKey, engine, makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const fullAccess = service.client(await makeTenant(service.environment, 'acme'))

/** Returns text that appears only in this resource's records. */
const secretOf = (name: string) => `secret of ${name}`
await fullAccess('POST', '/customers.php', { name: 'C', notes: secretOf('customers') })
await fullAccess('POST', '/employees.php', { customer_id: 1, email: 'a@b.c', notes: secretOf('employees') })
await fullAccess('POST', '/hardware.php', { employee_id: 1, notes: secretOf('hardware') })

const names = resources.map(({ name }) => name)

/** One client for each combination of resources that a key may read. */
const readers: { readable: string[]; client: Client }[] = []
for (let bits = 1; bits < 2 ** names.length; bits++) {
  const readable = names.filter((_, index) => bits & (1 << index))
  const scopes = readable.map((name) => `${name}:read`)
  readers.push({ readable, client: service.client(await createKey(service.environment, 'acme', scopes)) })
}
const writer = service.client(
  await createKey(service.environment, 'acme', ['hardware:read', '*:write', 'changes:read']),
)
const readAll = service.client(await createKey(service.environment, 'acme', ['*:read']))

const now = () => encodeURIComponent(new Date().toISOString())

/** Returns one query for each kind of request that can include related records. */
const queriesWith = (include: string) => [
  `?include=${include}`,
  `?id=1&include=${include}`,
  `?as_of=${now()}&include=${include}`,
  `?id=1&as_of=${now()}&include=${include}`,
]

/** The includes that the tests request: for each resource, each include alone, and all includes combined. `embedded`:
 *  the resources whose records the include adds. */
const includes = resources.flatMap((resource) => {
  const single = filtersOf(resource, resources).includes.map(({ name, path }) => ({
    name,
    embedded: path.map(({ to }) => to),
  }))
  const combined = {
    name: single.map(({ name }) => name).join(','),
    embedded: single.flatMap(({ embedded }) => embedded),
  }
  return [...single, ...(single.length > 0 ? [combined] : [])].map((include) => ({
    resource: resource.name,
    ...include,
  }))
})

test('an include requires the read scope of every resource on its path, in lists, by id and with as_of', async () => {
  assert.ok(includes.length >= 3)
  for (const { resource, name, embedded } of includes) {
    for (const { readable, client } of readers) {
      if (!readable.includes(resource)) continue
      const missing = embedded.find((name) => !readable.includes(name))
      for (const query of queriesWith(name)) {
        const where = `${resource}${query} with ${readable}`
        const response = await client('GET', `/${resource}.php${query}`)
        assert.equal((await client('HEAD', `/${resource}.php${query}`)).status, missing ? 403 : 200, where)
        if (!missing) assert.equal(response.status, 200, where)
        else {
          assertRefused(response, 'forbidden', where)
          assert.match(response.body.error.message, new RegExp(`\\b${missing}:read\\b`), where)
        }
      }
    }
  }
})

test('*:read permits every include, and write scopes do not permit any', async () => {
  for (const { resource, name } of includes) {
    for (const query of queriesWith(name)) {
      assert.equal((await readAll('GET', `/${resource}.php${query}`)).status, 200)
    }
  }
  for (const query of queriesWith('employee')) assertRefused(await writer('GET', `/hardware.php${query}`), 'forbidden')
})

test('no documented parameter reveals records of a resource that the key may not read', async () => {
  const document: Document = JSON.parse((await service.request('GET', '/openapi.json', {})).text)
  for (const { readable, client } of readers.filter(({ readable }) => readable.length === 1)) {
    for (const resource of readable) {
      const parameters = document.paths[`/${resource}.php`]!.get!.parameters!.map((parameter) =>
        resolve(document, parameter),
      )
      const queries = parameters
        .filter(({ in: place }) => place === 'query')
        .flatMap(({ name, schema }) =>
          valuesOf(schema).map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
        )
      assert.ok(queries.length > 10)
      const variants = queries.flatMap((query) => [query, `id=1&${query}`, `as_of=${now()}&${query}`])
      const tested = engine === 'postgres' ? sample(variants, 100) : variants // on SQLite the test sends all queries
      for (const query of tested) {
        const { text } = await client('GET', `/${resource}.php?${query}`)
        const shown = names.filter((name) => text.includes(secretOf(name)))
        assert.deepEqual(
          shown.filter((name) => !readable.includes(name)),
          [],
          `${resource}?${query} with ${readable}`,
        )
      }
    }
  }
})

/** Returns a parameter's definition, which can be given by reference. */
function resolve(document: Document, parameter: object): Parameter {
  const { $ref } = parameter as { $ref?: string }
  return $ref ? document.components.parameters[$ref.split('/').at(-1)!]! : (parameter as Parameter)
}

/** Returns valid values for a parameter. */
function valuesOf(schema: Parameter['schema']): string[] {
  const { enum: words, items, type } = schema as { enum?: string[]; items?: { enum?: string[] }; type?: string }
  return (words ?? items?.enum ?? (type === 'boolean' ? ['true', 'false'] : ['1'])).map(String)
}

test('a missing scope for an include is reported before invalid parameters, including unknown includes', async () => {
  const { client } = readers.find(({ readable }) => readable.join() === 'hardware')!
  for (const query of [
    'include=employee&id=',
    'include=employee&id=x',
    'include=employee&limit=0',
    'include=employee&colour=red',
    'include=nothing,employee',
    'include=employee&include=employee',
    'include=employee&id=99',
    'include=employee&history=assignments',
  ]) {
    assertRefused(await client('GET', `/hardware.php?${query}`), 'forbidden', query)
  }
  for (const query of [
    'include=nothing',
    'include=',
    'include=constructor',
    'include=customer',
    'include=employee.hardware',
  ]) {
    assertRefused(await client('GET', `/hardware.php?${query}`), 'invalid_request', query)
  }
})

test('history=assignments shows the employees’ ids and the times, but no other fields of the employees', async () => {
  const { client } = readers.find(({ readable }) => readable.join() === 'hardware')!
  const { body } = await client('GET', '/hardware.php?id=1&history=assignments')
  assert.deepEqual(
    body.assignments.map((assignment: object) => Object.keys(assignment)),
    [['employee_id', 'from', 'to']],
  )
})

test('a conditional request gets 403 instead of 304 if the key may not read an included resource', async () => {
  const path = '/hardware.php?id=1&include=employee'
  const { etag } = (await fullAccess('GET', path)).headers
  const { client } = readers.find(({ readable }) => readable.join() === 'hardware')!
  assertRefused(await client('GET', path, undefined, { 'if-none-match': etag! }), 'forbidden')
})

test('the OpenAPI document names the scopes that each include requires', async () => {
  const document: Document = JSON.parse((await service.request('GET', '/openapi.json', {})).text)
  const include = document.components.parameters['hardware.include']!
  assert.deepEqual(include['x-include-scopes'], {
    employee: ['employees:read'],
    'employee.customer': ['employees:read', 'customers:read'],
  })
  assert.match(include.description, /`employee\.customer`: `employees:read` and `customers:read`/)
})
