// The sync script of docs/guide/getting-your-data-in.md.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { createKey, type Json, startService, temporaryDirectory } from '../support/service.ts'

const { environment, listen, tenant } = await startService()
const baseUrl = await listen()

/** The requests of the latest run of the script. */
const requests: string[] = []
const counter = createServer(async (request, response) => {
  requests.push(`${request.method} ${request.url!.split('?')[0]}`)
  const { method, headers, url } = request
  const forwarded = httpRequest(baseUrl.replace('/api/v1', url!), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  request.pipe(forwarded)
}).listen(0, '127.0.0.1')
await once(counter, 'listening')
after(() => counter.close().closeAllConnections())
const countedUrl = `http://127.0.0.1:${(counter.address() as AddressInfo).port}/api/v1`
const acme = await tenant('acme')
const scopes = ['employees:read', 'employees:write', 'customers:read', 'changes:read']
const key = await createKey(environment, 'acme', scopes)
const directory = temporaryDirectory()

/** Runs the script with these people. Returns its exit code and output. */
async function sync(people: object[]): Promise<{ code: number; changes: Json[]; errors: string }> {
  writeFileSync(join(directory, 'people.json'), JSON.stringify(people))
  requests.length = 0
  const script = resolve('docs/guide/sync-employees.ts')
  const options = { cwd: directory, env: { ...process.env, URL: countedUrl, KEY: key } }
  return new Promise((settle) => {
    const child = execFile(process.execPath, [script, 'people.json'], options, (_, output, errors) => {
      const changes = output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
      settle({ code: child.exitCode!, changes, errors })
    })
  })
}

test('the sync script in the guide creates, updates and deactivates people, and prints changes made by other clients', async () => {
  const branch = (await acme('POST', '/customers.php', { name: 'Warehouse', external_id: 'erp-7' })).body
  const ada = { id: 'hr-1', name: 'Ada', email: 'ada@example.com', branch: 'erp-7' }
  const bob = { id: 'hr-2', name: 'Bob', email: 'bob@example.com', branch: 'erp-7' }
  const wrong = { ...ada, id: 'hr-3', email: 'nobody' }

  const first = await sync([ada, wrong, bob])
  assert.deepEqual([first.code, first.changes], [1, []])
  assert.match(first.errors, /^hr-3: .*invalid_email/)
  const readEmployees = async () => (await acme('GET', '/employees.php')).body.data as Json[]
  assert.deepEqual(
    (await readEmployees()).map((employee) => [
      employee.external_id,
      employee.name,
      employee.customer_id,
      employee.is_active,
    ]),
    [
      ['hr-1', 'Ada', branch.id, true],
      ['hr-2', 'Bob', branch.id, true],
    ],
  )

  await acme('PUT', '/employees.php?external_id=hr-1', { title: 'Head of research' })
  const second = await sync([{ ...ada, name: 'Ada L.' }])
  assert.deepEqual([second.code, second.errors], [0, ''])
  assert.deepEqual(
    second.changes.map(({ action, after }) => [action, after]),
    [['update', { title: 'Head of research' }]],
  )
  assert.deepEqual(
    (await readEmployees()).map(({ name, is_active }) => [name, is_active]),
    [
      ['Ada L.', true],
      ['Bob', false],
    ],
  )

  const { latest } = (await acme('GET', '/changes.php')).body.page
  assert.deepEqual(await sync([{ ...ada, name: 'Ada L.' }]), { code: 0, changes: [], errors: '' })
  assert.equal((await acme('GET', '/changes.php')).body.page.latest, latest, 'unchanged people are not sent')
})

test('the sync script refuses a list that is empty or has a person without a text id, and deactivates nobody', async () => {
  const isActive = async () => (await acme('GET', '/employees.php?is_active=true')).body.data.length
  const before = await isActive()
  assert.ok(before > 0)
  const ada = { name: 'Ada L.', email: 'ada@example.com', branch: 'erp-7' }
  for (const people of [[], [ada], [{ ...ada, ID: 'hr-1' }], [{ ...ada, id: 1 }], [null]]) {
    const { code, errors } = await sync(people as object[])
    assert.deepEqual([code, requests], [2, []], JSON.stringify(people))
    assert.match(errors, /people\.json must be a list of people, .* Nothing was changed\./)
  }
  assert.equal(await isActive(), before)
})

test('the sync script needs as many requests for 500 unchanged people as for one', async () => {
  const people = Array.from({ length: 500 }, (_, index) => {
    return { id: `many-${index}`, name: `Person ${index}`, email: `p${index}@example.com`, branch: 'erp-7' }
  })
  await sync(people)
  await sync(people) // reads the changes of the first run
  assert.deepEqual(await sync(people), { code: 0, changes: [], errors: '' })
  const unchanged = ['GET /api/v1/employees.php', 'GET /api/v1/me.php', 'GET /api/v1/changes.php']
  assert.deepEqual(requests, unchanged)
  await sync(people.slice(0, 1))
  assert.deepEqual(await sync(people.slice(0, 1)), { code: 0, changes: [], errors: '' })
  await sync(people.slice(0, 1))
  assert.deepEqual(requests, unchanged)
})
