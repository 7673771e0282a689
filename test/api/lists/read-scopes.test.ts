// Whatever shows, counts, filters by or copies a record needs the read scope of its resource, on every declared path.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Document, Parameter } from '../../../src/api/openapi/types.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { type Client, createKey, makeTenant, type Response, startService } from '../../support/service.ts'

const now = new Date('2026-06-01T10:00:00.000Z')
const service = await startService({}, { now: () => now })
const document: Document = JSON.parse((await service.request('GET', '/openapi.json', {})).text)

/** Two tenants whose records have the same ids. What they contain differs, except in the resource that is read. */
const contents = {
  one: {
    customers: { name: 'Secret one', city: 'Secret-city-one', country: 'DE', is_active: true },
    employees: { name: 'Secret Ada', email: 'secret.one@example.com', department: 'Secret sales', kind: 'person' },
    hardware: { name: 'Secret laptop', status: 'in_use', type: 'laptop', asset_tag: 'SECRET-1' },
  },
  two: {
    customers: { name: 'Secret two', city: 'Secret-city-two', country: 'TR', is_active: false },
    employees: {
      name: 'Secret Zoe',
      email: 'secret.two@example.com',
      department: 'Secret legal',
      kind: 'storage',
      is_active: false,
      end_date: '2020-01-01',
    },
    hardware: { name: 'Secret phone', status: 'lost', type: 'phone', asset_tag: 'SECRET-2' },
  },
}
type Name = keyof typeof contents.one
const names = resources.map(({ name }) => name as Name)
const references = { customers: {}, employees: { customer_id: 1 }, hardware: { employee_id: 1 } }

/** Returns a client for each tenant, with a key that may only read this resource. */
async function readersOf(name: Name): Promise<[Client, Client]> {
  const clients: Client[] = []
  for (const version of ['one', 'two'] as const) {
    const slug = `${name}-${version}`
    const full = service.client(await makeTenant(service.environment, slug))
    for (const each of names) {
      const values = contents[each === name ? 'one' : version][each]
      const created = await full('POST', `/${each}.php`, { ...values, ...references[each] })
      assert.equal(created.status, 201, created.text)
    }
    clients.push(service.client(await createKey(service.environment, slug, [`${name}:read`])))
  }
  return clients as [Client, Client]
}

/** Returns the resources that a parameter reads besides the list's own, by the words in its name or value. */
function readBy(name: string, value: string): string[] {
  const [path = ''] = name.split('[')
  const words =
    name === 'include'
      ? value.split('.')
      : name === 'fields'
        ? [value.replace(/_name$/, '')]
        : path.split('.').slice(0, -1)
  return resources.filter(({ singular }) => words.includes(singular.replace(' record', ''))).map(({ name }) => name)
}

/** Returns the values of a parameter that the test sends: those that it lists, and those of the records. */
function valuesOf(name: string, schema: Parameter['schema'], own: Name): string[] {
  const { enum: words, items, type } = schema as { enum?: string[]; items?: { enum?: string[] }; type?: string }
  const titles = { customers: [], employees: ['customer_name'], hardware: ['employee_name', 'customer_name'] }[own]
  const fields = name === 'fields' ? ['id', ...titles] : []
  const member = name.replace(/\[.*/, '').split('.').at(-1)!
  const stored = Object.values(contents).flatMap((content) =>
    Object.entries(content).flatMap(([resource, values]) =>
      name.includes('.') || resource === own ? ((values as Record<string, unknown>)[member] ?? []) : [],
    ),
  )
  const listed = words ?? items?.enum ?? (type === 'boolean' ? ['true', 'false'] : ['1', 'secret'])
  return [...new Set([...fields, ...listed, ...stored].map(String))]
}

function parametersOf(path: string): Parameter[] {
  const { parameters = [] } = document.paths[path]!.get!
  return parameters
    .map((parameter) => {
      const { $ref } = parameter as { $ref?: string }
      return $ref ? document.components.parameters[$ref.split('/').at(-1)!]! : (parameter as Parameter)
    })
    .filter(({ in: place }) => place === 'query')
}

const textOf = ({ status, text }: Response) => `${status} ${text}`

for (const name of names)
  test(`with ${name}:read alone, a parameter that reads another resource is refused, and no answer depends on what others contain`, async () => {
    const [one, two] = await readersOf(name)
    const refused = new Set<string>()
    for (const { name: parameter, schema } of parametersOf(`/${name}.php`)) {
      for (const value of valuesOf(parameter, schema, name)) {
        const query = `${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`
        const needed = readBy(parameter, value).filter((other) => other !== name)
        for (const prefix of [
          '',
          'id=1&',
          'total=true&',
          `as_of=${now.toISOString()}&`,
          'format=csv&',
          'format=ndjson&',
        ]) {
          const path = `/${name}.php?${prefix}${query}`
          const [first, second] = await Promise.all([one('GET', path), two('GET', path)])
          assert.equal(textOf(first), textOf(second), path)
          if (needed.length === 0) {
            if (parameter !== 'fields') assert.notEqual(first.status, 403, path)
            continue
          }
          refused.add(parameter)
          const { error } = first.body
          assert.deepEqual([first.status, error.code], [403, 'forbidden'], path)
          const header = first.headers['www-authenticate']!
          for (const other of needed) {
            assert.ok(error.message.includes(`${other}:read`), error.message)
            assert.ok(header.includes(`${other}:read`), header)
          }
        }
      }
    }
    if (name !== 'customers') assert.ok(refused.size >= 2, [...refused].join())
  })

test('no other endpoint shows a record to a key that has only the scope of this endpoint, except the history', async () => {
  const full = service.client(await makeTenant(service.environment, 'others'))
  for (const name of names) {
    await full('POST', `/${name}.php`, { ...contents.one[name], ...references[name] })
    await full('POST', `/imports.php?resource=${name}`, 'name,city\nsecret,secret\n', { 'content-type': 'text/csv' })
  }
  const others = Object.entries(document.paths).filter(([path, { get }]) => {
    const isRecords = names.some((name) => path === `/${name}.php`)
    return get && path.endsWith('.php') && !isRecords && path !== '/changes.php'
  })
  assert.ok(others.length >= 4)
  for (const [path, { get }] of others) {
    const [scope = 'settings:read'] = get!['x-required-scopes'] ?? []
    const client = service.client(await createKey(service.environment, 'others', [scope]))
    for (const { name, schema } of [{ name: 'limit', schema: {} }, ...parametersOf(path)]) {
      for (const value of [...valuesOf(name, schema, 'hardware'), '1', '2', '3']) {
        const { text } = await client('GET', `${path}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
        const quoted = text.replaceAll(JSON.stringify(JSON.stringify(value)).slice(1, -1), '')
        assert.doesNotMatch(quoted, /secret/i, `${path}?${name}=${value} with ${scope}`)
      }
    }
  }
})

test('the description of API keys says which two things are grants by their nature', () => {
  const { description } = document.components.securitySchemes.apiKey as { description: string }
  assert.match(description, /`changes:read` reads the history of every resource, but not the private views of others\./)
  assert.match(description, /The response to a write, even if it is replayed, contains the written record/)
})
