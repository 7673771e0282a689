// tenantdesk erase-person removes a person's data from everywhere in the tenant's database, including the record and
// its history.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { importFile } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { command, engine, type Json, startService } from '../support/service.ts'

const service = await startService()
const { environment } = service
const acme = await service.tenant('acme')
await acme('POST', '/customers.php', { name: 'Office' })

const person = {
  customer_id: 1,
  email: 'wilhelmina@quux.example',
  name: 'Wilhelmina Quux',
  phone: '+49 30 5550199',
  employee_no: 'E-77341',
  notes: 'Prefers Wilma',
  start_date: '2020-02-03',
  external_id: 'hr-wilhelmina',
}
const traces = ['Wilhelmina', 'wilhelmina', 'quux', 'Quux', 'Wilma', '5550199', 'E-77341']
const placeholders = { email: 'erased-ID@erased.invalid', name: '[erased]', phone: '[erased]', notes: '[erased]' }

const placeholdersFor = (id: number) => ({ ...placeholders, email: placeholders.email.replace('ID', String(id)) })
const pick = (values: Json, names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, values[name]]))
const eraseCommand = (id: number, ...options: string[]) =>
  command(environment, 'erase-person', String(id), '--tenant', 'acme', ...options)

async function createPerson(fields: object = {}): Promise<number> {
  const created = await acme('POST', '/employees.php', { ...person, ...fields })
  assert.equal(created.status, 201, created.text)
  return created.body.id
}

test('erase-person requires --yes and the id of a person who exists or existed in the tenant', async () => {
  const id = await createPerson({ external_id: 'hr-first' })
  const unconfirmed = await eraseCommand(id)
  assert.deepEqual([unconfirmed.exitCode, unconfirmed.stdout], [1, ''])
  assert.match(unconfirmed.stderr, /add --yes\.\n$/)
  assert.equal((await acme('GET', `/employees.php?id=${id}`)).body.name, person.name)
  for (const [argument, message] of [
    ['4711', /has never had an employee 4711/],
    ['x', /whole number/],
    ['0', /whole number/],
    ['9007199254740993', /whole number/],
  ] as const) {
    const { exitCode, stderr } = await command(environment, 'erase-person', argument, '--tenant', 'acme', '--yes')
    assert.equal(exitCode, 1)
    assert.match(stderr, message)
  }
  assert.equal((await eraseCommand(id, '--yes')).exitCode, 0)
})

test('after the erasure, the record, history, as_of, exports and replays show placeholders, and the customer and equipment stay assigned', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const created = await acme('POST', '/employees.php', person, key)
  const { id } = created.body
  await acme('PUT', `/employees.php?id=${id}`, { name: 'Wilhelmina Quux-Meyer', end_date: '2026-12-31' })
  await acme('POST', '/hardware.php', { employee_id: id, name: 'Laptop' })
  const bulk = { 'idempotency-key': crypto.randomUUID() }
  const others = Array.from({ length: 20 }, () => ({ method: 'POST', resource: 'customers', body: { name: 'C' } }))
  const operations = [{ method: 'PUT', resource: 'employees', id, body: { notes: 'Wilma again' } }, ...others]
  await acme('POST', '/bulk.php', { operations }, bulk)
  await wait(5)
  const before = new Date().toISOString()
  await wait(5)

  const erased = await eraseCommand(id, '--yes', '--json')
  assert.equal(erased.exitCode, 0, erased.stderr)
  assert.deepEqual(JSON.parse(erased.stdout), { id, changes: 3, stored_responses: 2, import_rows: 0 })

  const now = (await acme('GET', `/employees.php?id=${id}`)).body
  assert.deepEqual(pick(now, placeholders), placeholdersFor(id))
  const emptyFields = { external_id: null, start_date: null, end_date: null }
  assert.deepEqual(pick(now, emptyFields), emptyFields)
  const past = (await acme('GET', `/employees.php?id=${id}&as_of=${before}`)).body
  assert.deepEqual(pick(past, placeholders), placeholdersFor(id))
  assert.equal(past.customer_id, 1)

  const history: Json[] = (await acme('GET', `/changes.php?resource=employees&id=${id}`)).body.data
  assert.deepEqual(
    history.map(({ action }) => action),
    ['create', 'update', 'update', 'update'],
  )
  const last = history.at(-1)
  assert.deepEqual(last.before, last.after, 'the history row of the erasure contains no personal data')
  assert.deepEqual(pick(last.after, placeholders), placeholdersFor(id))
  assert.equal((await acme('GET', '/hardware.php?include=employee')).body.data.at(-1).employee.name, '[erased]')
  assert.match((await acme('GET', '/employees.php?format=csv')).text, /\[erased\]/)
  assert.equal((await acme('POST', '/employees.php', person, key)).body.name, '[erased]')
  assert.equal((await acme('POST', '/bulk.php', { operations }, bulk)).body.results[0].body.notes, '[erased]')
  assert.deepEqual((await acme('GET', '/employees.php?q=wilhelmina')).body.data, [])
  const undone = await acme('POST', '/undo.php', { change_set: created.headers['change-set'] })
  assertRefused(undone, 'conflict')
})

test('a deleted person can be erased, and an erased person can be erased again', async () => {
  const id = await createPerson()
  await acme('DELETE', `/employees.php?id=${id}`)
  const first = await eraseCommand(id, '--yes', '--json')
  assert.deepEqual(JSON.parse(first.stdout), { id, changes: 2, stored_responses: 0, import_rows: 0 })
  const history = (await acme('GET', `/changes.php?resource=employees&id=${id}`)).body.data
  assert.deepEqual(
    history.map(({ action }: Json) => action),
    ['create', 'delete'],
  )
  const second = await eraseCommand(id, '--yes', '--json')
  assert.deepEqual(JSON.parse(second.stdout), { id, changes: 0, stored_responses: 0, import_rows: 0 })
})

test('a stored error that quotes what identifies the person no longer does after the erasure', async () => {
  const email = 'wilhelmina.later@quux.example'
  const key = { 'idempotency-key': crypto.randomUUID() }
  const early = { employee_external_id: 'hr-Quux-later' }
  const create = () => acme('POST', '/hardware.php', { ...early, name: 'Early' }, key)
  const refused = await create()
  assert.match(refused.text, /hr-Quux-later/)
  const id = await createPerson({ email, employee_no: null, external_id: 'hr-Quux-later' })
  const bulk = { 'idempotency-key': crypto.randomUUID() }
  const operations = [{ method: 'POST', resource: 'hardware', body: { employee_external_id: 'hr-quux-LATER' } }]
  const send = () => acme('POST', '/bulk.php', { operations, mode: 'each' }, bulk)
  assert.match((await send()).text, /hr-quux-LATER/)
  const erased = await eraseCommand(id, '--yes', '--json')
  assert.equal(JSON.parse(erased.stdout).stored_responses, 2)
  for (const replayed of [await create(), await send()]) {
    assert.equal(replayed.headers['idempotent-replayed'], 'true')
    assert.doesNotMatch(replayed.text, /quux/i)
    assert.match(replayed.text, /\[erased\]/)
  }
})

test('rows about the person in imported files are erased, and other rows are kept', async () => {
  const id = await createPerson({ email: 'Import@quux.example' })
  const file = 'customer_id,email,name\n99,import@quux.example,Wilhelmina Import\n99,other@example.com,Other Person\n'
  const created = await acme('POST', '/imports.php?resource=employees', file, { 'content-type': 'text/csv' })
  const given = 'set[employee_email]=import@quux.example&value[notes][Import@Quux.example]=import@quux.example'
  const assets = await acme('POST', `/imports.php?resource=hardware&${given}`, 'notes\nx\n', {
    'content-type': 'text/csv',
  })
  assert.equal(assets.status, 202, assets.text)
  let job: Json
  do job = (await acme('GET', `/imports.php?id=${created.body.id}`)).body
  while (job.state === 'checking')
  const erased = await eraseCommand(id, '--yes', '--json')
  assert.equal(JSON.parse(erased.stdout).import_rows, 2) // in the uploaded file and among the failed rows
  const failed = (await acme('GET', `/imports.php?id=${created.body.id}&format=csv`)).text
  assert.match(failed, /\[erased\],\[erased\],\[erased\]/)
  assert.match(failed, /99,other@example\.com,Other Person/)
  assert.doesNotMatch(failed, /Wilhelmina/)
})

test('saved views and mappings of imports no longer name the person, and neither does their history', async () => {
  const id = await createPerson({ external_id: 'hr-saved' })
  const query = `email=${person.email}&name=Wilhelmina%20Quux&department=IT&q=wilhelmina+quux,x&sort=name`
  const { body: view } = await acme('POST', '/views.php', { name: 'Hers', resource: 'employees', query })
  await acme('PUT', `/views.php?id=${view.id}`, { name: 'Of the person' })
  const other = { name: 'Others', resource: 'employees', query: 'email=other@example.org' }
  const { body: kept } = await acme('POST', '/views.php', other)
  const values = `set[employee_email]=${person.email}&value[name][Wilhelmina Quux]=${person.employee_no}&value[name][x]=y`
  const saved = await importFile(acme, `resource=hardware&${values}&save_as=Hers`, 'name\nx\n')
  assert.equal(saved.created, 1, JSON.stringify(saved))
  const before = (await acme('GET', `/changes.php?order=desc&limit=1`)).body.page.latest
  assert.equal((await eraseCommand(id, '--yes')).exitCode, 0)
  const after = (await acme('GET', `/views.php?id=${view.id}`)).body
  const email = `erased-${id}@erased.invalid`
  assert.equal(decodeURIComponent(after.query), `email=${email}&name=[erased]&department=IT&q=[erased],x&sort=name`)
  assert.deepEqual((await acme('GET', `/views.php?id=${kept.id}`)).body, kept)
  const { data } = (await acme('GET', '/import_mappings.php')).body
  const mapping = data.find(({ name }: Json) => name === 'Hers')
  assert.deepEqual(mapping.set, { employee_email: email })
  assert.deepEqual(mapping.value, { name: { '[erased]': '[erased]', x: 'y' } })
  const changes = (await acme('GET', `/changes.php?since=${before}`)).body.data
  const rewritten = changes.map(({ resource, action }: Json) => `${resource} ${action}`).toSorted()
  assert.deepEqual(rewritten, ['employees update', 'import_mappings update', 'views update'])
})

test('the tenant’s database, including its write-ahead log, contains no trace of the person', async () => {
  const database = await tenantDatabaseOf(environment, 'acme')
  const dump = await database.dump()
  assert.ok(dump.includes('[erased]'))
  assert.deepEqual(
    traces.filter((trace) => dump.includes(trace)),
    [],
  )
})

test('requests of another tenant succeed while a person with a long history is erased', async () => {
  const id = await createPerson()
  const database = await tenantDatabaseOf(environment, 'acme')
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)`
  const text = `'{"notes":"Wilma ' || n || '"}'`
  await database.run(`insert into changes (seq, at, resource, record_id, action, before, after, request_id)
    ${numbers} select (select max(seq) from changes) + n, '2026-01-01T00:00:00.000Z', 'employees', ${id}, 'update', ${text}, ${text}, 'r'
    from numbers`)
  const other = await service.tenant(`other-${engine}`)
  const [erased] = await Promise.all([
    eraseCommand(id, '--yes', '--json'),
    ...Array.from({ length: 5 }, () => other('POST', '/customers.php', { name: 'C' })),
  ])
  assert.equal(JSON.parse(erased.stdout).changes, 5001)
  assert.equal((await other('GET', '/customers.php?total=true')).body.page.total, 5)
  const dump = await database.dump()
  assert.equal(dump.includes('Wilma'), false)
})
