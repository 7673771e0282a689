// The question where an asset is, in a browser without scripts: in stock at a branch, or with a person.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type PageResponse, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const desk = await signIn(origin, 'desk@example.com')
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id

const newAsset = 'records.php?resource=hardware&new=1'
const editOf = (id: number) => `records.php?resource=hardware&id=${id}&edit=1`
const save = (path: string, fields: Record<string, string>) => desk.submit(path, fields, /records/)
const savedAsset = async ({ status, location, html }: PageResponse): Promise<Json> => {
  assert.equal(status, 303, html)
  const id = /[?&]id=(\d+)/.exec(location!)![1]
  return read(`/hardware.php?id=${id}&include=employee`)
}
const fieldsOf = (html: string) =>
  Object.fromEntries(formsIn(html).find(({ action }) => action.startsWith('records'))!.fields)
const offeredPlaces = (html: string) =>
  [...html.matchAll(/<option value="((?:place-)?\d+)"[^>]*>([^<]*)/g)].map(([, value, name]) => [
    value,
    decodeHtml(name!),
  ])

/** Created by the tests, one after another. */
let [berlin, paris, ada, shelf] = [0, 0, 0, 0]

test('a tenant without a branch is led to add one', async () => {
  const { html } = await desk.get(newAsset)
  assert.match(html, /Add a branch first/)
  assert.match(decodeHtml(html), /href="records\.php\?resource=customers&new=1"[^>]*>Add branch/)
})

test('a tenant without people fills its stock, which is created with the first asset and found again', async () => {
  berlin = await create('/customers.php', { name: 'Berlin' })
  const { html } = await desk.get(newAsset)
  const { where, stock_customer_id, status } = fieldsOf(html)
  assert.deepEqual([where, stock_customer_id, status], ['storage', String(berlin), 'spare'])
  const first = await savedAsset(await save(newAsset, { name: 'Laptop' }))
  assert.deepEqual(
    [first.status, first.employee.kind, first.employee.customer_id, first.employee.name],
    ['spare', 'storage', berlin, 'Berlin'],
  )
  assert.deepEqual(offeredPlaces((await desk.get(newAsset)).html), [[`place-${first.employee_id}`, 'Berlin']])
  const second = await savedAsset(await save(newAsset, { name: 'Phone' }))
  assert.equal(second.employee_id, first.employee_id)
  const { data } = await read(`/changes.php?resource=hardware&id=${first.id}`)
  const undone = await client('POST', '/undo.php', { change_set: data[0].change_set })
  assert.equal(undone.status, 200, 'undoing the first asset leaves the stock of the second')
})

test('every storage location and every branch without one is offered, and with several, one must be chosen', async () => {
  paris = await create('/customers.php', { name: 'Paris' })
  ada = await create('/employees.php', { customer_id: berlin, email: 'ada@a.de', name: 'Ada Sommer' })
  shelf = await create('/employees.php', { customer_id: berlin, email: 'r@a.de', name: 'Room 12', kind: 'storage' })
  const { html } = await desk.get(newAsset)
  assert.deepEqual(
    offeredPlaces(html).map(([, name]) => name),
    ['Berlin', 'Berlin · Room 12', 'Paris'],
  )
  const refused = await save(newAsset, { name: 'Nowhere', stock_customer_id: '', purchase_cost: '-1' })
  assert.equal(refused.status, 422)
  assert.match(refused.html, /<a href="#stock_customer_id">In stock at<\/a>: Choose a branch/)
  assert.match(refused.html, /<a href="#purchase_cost">/, 'the other errors are listed as well')
  const inRoom = await savedAsset(await save(newAsset, { stock_customer_id: `place-${shelf}` }))
  assert.equal(inRoom.employee_id, shelf)
})

test('an asset is with a person, in use, although the form started in stock', async () => {
  const fields = { where: 'person', 'find.employee_id': 'ada', stock_customer_id: String(paris) }
  const saved = await savedAsset(await save(newAsset, fields))
  assert.deepEqual([saved.employee_id, saved.status], [ada, 'in_use'])
  const refused = await save(newAsset, { where: 'person', 'find.employee_id': '' })
  assert.match(refused.html, /id="employee_id-error">Choose who has it/)
  assert.equal(fieldsOf(refused.html).where, 'person')
})

test('editing an asset in stock does not move it, and a new place ends a loan and changes a status that does not fit', async () => {
  const id = await create('/hardware.php', { employee_id: shelf, status: 'reserved' })
  const { where, stock_customer_id } = fieldsOf((await desk.get(editOf(id))).html)
  assert.deepEqual([where, stock_customer_id], ['storage', `place-${shelf}`])
  const renamed = await savedAsset(await save(editOf(id), { name: 'Renamed' }))
  assert.deepEqual([renamed.employee_id, renamed.status], [shelf, 'reserved'])
  const loan = await create('/hardware.php', { employee_id: ada, due_back: '2099-01-01' })
  const back = await savedAsset(await save(editOf(loan), { where: 'storage', stock_customer_id: String(paris) }))
  assert.deepEqual([back.employee.customer_id, back.status, back.due_back], [paris, 'spare', null])
})

test('“Save and add another” keeps the place, and Enter then means the same again', async () => {
  const name = 'Batch'
  const { location } = await save(newAsset, { name, stock_customer_id: `place-${shelf}`, add_another: '1' })
  const { html } = await desk.get(location!.replace(/^\//, ''))
  assert.equal(fieldsOf(html).stock_customer_id, `place-${shelf}`)
  assert.match(html, /<input id="serial_number"[^>]* autofocus/)
  assert.match(html, /<button hidden tabindex="-1" name="add_another"/)
})

test('an edit conflict about the place is decided like any other', async () => {
  const id = await create('/hardware.php', { employee_id: ada, name: 'Contested' })
  const { html } = await desk.get(editOf(id))
  await client('PUT', `/hardware.php?id=${id}`, { name: 'Changed' })
  const { action, fields } = formsIn(html).find((form) => form.action.startsWith('records'))!
  const mine = new URLSearchParams(fields)
  for (const [field, value] of [
    ['where', 'storage'],
    ['stock_customer_id', `place-${shelf}`],
  ])
    mine.set(field!, value!)
  const conflict = await desk.post(action, mine)
  assert.equal(conflict.status, 412)
  assert.match(conflict.html, /Room 12/)
  const decision = formsIn(conflict.html).find((form) => form.action.startsWith('records'))!
  const theirs = new URLSearchParams(decision.fields)
  theirs.set('take.employee_id', 'theirs')
  theirs.set('take.status', 'theirs')
  theirs.set('take.name', 'mine')
  assert.equal((await desk.post(decision.action, theirs)).status, 303)
  const { employee_id, status, name } = await read(`/hardware.php?id=${id}`)
  assert.deepEqual([employee_id, status, name], [ada, 'in_use', 'Contested'])
})

test('a bulk edit puts assets into the stock of a branch that has none yet', async () => {
  const lyon = await create('/customers.php', { name: 'Lyon' })
  const ids = [
    await create('/hardware.php', { employee_id: ada }),
    await create('/hardware.php', { employee_id: shelf }),
  ]
  const selection = new URLSearchParams([['do', 'edit'], ...ids.map((id) => ['id', String(id)])])
  selection.set(
    'form_token',
    formsIn((await desk.get(newAsset)).html)[0]!.fields.find(([name]) => name === 'form_token')![1],
  )
  const { location } = await desk.post('bulk_edit.php?resource=hardware', selection)
  const job = location!.replace(/^\//, '')
  const choice = { change: 'employee_id', where: 'storage', stock_customer_id: String(lyon) }
  assert.equal((await desk.submit(job, choice, /bulk_edit/)).status, 303)
  const preview = await desk.get(job)
  assert.match(preview.html, /Lyon/)
  assert.equal((await desk.submit(job, { run: '1' }, /bulk_edit/)).status, 303)
  for (const id of ids) {
    const { employee, status } = await read(`/hardware.php?id=${id}&include=employee`)
    assert.deepEqual([employee.customer_id, employee.kind, status], [lyon, 'storage', 'spare'])
  }
})

test('a person without equipment to choose from is led to add an asset to stock', async () => {
  const empty = networkClient(apiUrl, await makeTenant(environment, 'empty'))
  await empty('POST', '/customers.php', { name: 'Berlin' })
  await empty('POST', '/employees.php', { customer_id: 1, email: 'a@a.de' })
  await createPanelUser(environment, 'empty@example.com', 'empty')
  const { html } = await (await signIn(origin, 'empty@example.com')).get('assign.php?person=1')
  assert.match(decodeHtml(html), /Nothing in stock\.\s*<a href="records\.php\?resource=hardware&new=1">Add asset/)
})

test('a branch that cannot be deleted can be closed instead', async () => {
  const { html } = await desk.get(`records.php?resource=customers&id=${berlin}&delete=1`)
  assert.match(
    decodeHtml(html),
    new RegExp(`close this branch instead.*?href="close_branch\\.php\\?id=${berlin}"`, 's'),
  )
})

test('forms at the desk list every error with a link to its field, and mark what is required', async () => {
  const lend = `assign.php?do=lend&ids=${await create('/hardware.php', { employee_id: shelf })}`
  const { html } = await desk.submit(lend, { due_back: '' }, /^assign/)
  const [, box] = /<div class="error-summary"[^>]*>(.*?)<\/div>/s.exec(html)!
  assert.deepEqual(
    [...box!.matchAll(/<a href="#(\w+)">/g)].map(([, field]) => field),
    ['employee_id', 'due_back'],
  )
  assert.match(html, /<label for="due_back">Due back <small>required<\/small>/)
})

test('a note about a repair can have several lines', async () => {
  const id = await create('/hardware.php', { employee_id: shelf })
  const repair = `assign.php?do=send_to_repair&ids=${id}`
  assert.match((await desk.get(repair)).html, /<textarea id="note"/)
  assert.equal((await desk.submit(repair, { note: 'Screen\r\nTicket 7' }, /^assign/)).status, 303)
  assert.match((await read(`/hardware.php?id=${id}`)).notes, /^\d{4}-\d\d-\d\d: Screen\nTicket 7$/)
})

test('a refused form lists the missing holder, the tag that is taken and the other errors at once', async () => {
  await create('/hardware.php', { employee_id: shelf, asset_tag: 'T-77', name: 'Owner of the tag' })
  const fields = { where: 'person', 'find.employee_id': '', asset_tag: 'T-77', purchase_cost: '-1' }
  const { html } = await save(newAsset, fields)
  const [, box] = /<div class="error-summary"[^>]*>(.*?)<\/div>/s.exec(html)!
  assert.deepEqual([...box!.matchAll(/<a href="#(\w+)">/g)].map(([, field]) => field).toSorted(), [
    'asset_tag',
    'employee_id',
    'purchase_cost',
  ])
  const both = await save(newAsset, { asset_tag: 'T-77', purchase_cost: '-1' })
  assert.match(both.html, /id="asset_tag-error">.*Already used by Owner of the tag/s)
  assert.match(both.html, /id="purchase_cost-error"/)
})

test('the page of an asset asks where it is if it is in stock, and says to whom it is assigned if it is with a person', async () => {
  const headings = async (holder: number) => {
    const id = await create('/hardware.php', { employee_id: holder })
    const today = new Date().toISOString()
    const pages = [`records.php?resource=hardware&id=${id}`, `records.php?resource=hardware&id=${id}&as_of=${today}`]
    const shown = await Promise.all(pages.map(async (page) => (await desk.get(page)).html))
    return shown.map((html) => /<h2[^>]*>(Where is it\?|Assigned to)<\/h2>/.exec(html)?.[1])
  }
  assert.deepEqual(await headings(shelf), ['Where is it?', 'Where is it?'])
  assert.deepEqual(await headings(ada), ['Assigned to', 'Assigned to'])
})

test('among what a person is given, a new asset can be put into stock instead', async () => {
  const cologne = await create('/customers.php', { name: 'Cologne' })
  const give = `assign.php?person=${ada}`
  const { html } = await desk.get(give)
  const choices = [
    .../<select id="new\.0\.place".*?<\/select>/s.exec(html)![0].matchAll(/value="([^"]*)"[^>]*>([^<]*)/g),
  ]
  assert.deepEqual(
    choices.slice(0, 3).map(([, value, label]) => [value, decodeHtml(label!)]),
    [
      ['', 'With Ada Sommer'],
      [choices[1]![1], 'In stock: Berlin'],
      [`place-${shelf}`, 'In stock: Berlin · Room 12'],
    ],
    'the person’s branch comes first',
  )
  const rows = {
    'new.0.model': 'Given',
    'new.1.model': 'On the shelf',
    'new.1.place': `place-${shelf}`,
    'new.2.model': 'In Cologne',
    'new.2.place': String(cologne),
  }
  const { location, status } = await desk.submit(give, rows, /^assign/)
  assert.equal(status, 303)
  assert.match((await desk.get(location!)).html, /1 asset assigned to Ada Sommer\. 2 assets added to stock\./)
  const { data } = await read('/hardware.php?sort=-id&limit=3&include=employee')
  assert.deepEqual(
    data.map(({ model, status: state, employee }: Json) => [model, state, employee.kind, employee.customer_id]),
    [
      ['In Cologne', 'spare', 'storage', cologne],
      ['On the shelf', 'spare', 'storage', berlin],
      ['Given', 'in_use', 'person', berlin],
    ],
  )
  const refused = await desk.submit(give, { 'new.0.model': 'Nowhere', 'new.0.place': 'place-999999' }, /^assign/)
  assert.match(refused.html, /id="new\.0\.place-error">Choose a branch/)
})

test('after a person with equipment, “Save and add another” keeps the branch and the department', async () => {
  const fields = { name: 'First', email: 'first@a.de', department: 'IT', 'find.customer_id': 'Paris' }
  const sent = { ...fields, 'new.0.model': 'X1', 'new.1.model': 'Spare X1', 'new.1.place': `place-${shelf}` }
  const { location } = await save('records.php?resource=employees&new=1', { ...sent, add_another: '1' })
  const { html } = await desk.get(location!)
  assert.match(html, /First added, with 1 asset\. 1 asset added to stock\./)
  const { department, customer_id: branch } = fieldsOf(html)
  assert.deepEqual([department, branch], ['IT', String(paris)])
})

test('the form for the next asset starts with the place of the one added last', async () => {
  await save(newAsset, { name: 'On the shelf', stock_customer_id: `place-${shelf}` })
  await save(newAsset, { where: 'person', 'find.employee_id': 'ada' })
  assert.equal(fieldsOf((await desk.get(newAsset)).html).stock_customer_id, `place-${shelf}`)
  await client('PUT', `/employees.php?id=${shelf}`, { is_active: false })
  assert.equal(fieldsOf((await desk.get(newAsset)).html).stock_customer_id, '')
  await client('PUT', `/employees.php?id=${shelf}`, { is_active: true })
})

test('with too many branches for a list, the branch is found by its name', async () => {
  const operations = Array.from({ length: 200 }, (_, index) => ({
    method: 'POST',
    resource: 'customers',
    body: { name: `Branch ${index}` },
  }))
  await client('POST', '/bulk.php', { operations })
  const saved = await savedAsset(await save(newAsset, { 'find.stock_customer_id': 'Branch 77' }))
  assert.equal((await read(`/customers.php?id=${saved.employee.customer_id}`)).name, 'Branch 77')
  const refused = await save(newAsset, { 'find.stock_customer_id': 'Berlin' })
  assert.match(refused.html, /There are several storage locations/)
  assert.deepEqual(
    offeredPlaces(refused.html).map(([, name]) => name),
    ['Berlin', 'Berlin · Room 12'],
  )
  const located = { 'find.stock_customer_id': 'Berlin', stock_location: `place-${shelf}` }
  const onShelf = await savedAsset(await save(newAsset, located))
  assert.equal(onShelf.employee_id, shelf)
  const next = fieldsOf((await desk.get(newAsset)).html)
  assert.deepEqual([next['find.stock_customer_id'], next.stock_location], ['Berlin', `place-${shelf}`])
})

test('with too many branches for a list, a new asset of a person can be in stock at a branch found by its name', async () => {
  const path = `assign.php?person=${ada}`
  const give = (branch: string) => {
    const row = { 'new.0.model': 'Spare part', 'new.0.place': 'elsewhere', 'find.new.0.branch': branch }
    return desk.submit(path, row, /^assign/)
  }
  const refused = await give('No such branch')
  assert.deepEqual([refused.status, /id="new\.0\.branch-error"/.test(refused.html)], [422, true])
  const saved = await give('Branch 150')
  assert.equal(saved.status, 303, saved.html)
  const { data } = await read('/hardware.php?model=Spare%20part&include=employee,employee.customer')
  assert.deepEqual([data[0].employee.kind, data[0].employee.customer.name], ['storage', 'Branch 150'])
})
