// The page that closes a branch, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type PageResponse, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
const zeta = service.client(await makeTenant(environment, 'zeta'))
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'viewer@example.com', 'acme', 'viewer')
const manager = await signIn(origin, 'manager@example.com')

const textOf = ({ html }: PageResponse) => decodeHtml(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ')

async function create(resource: string, values: object): Promise<number> {
  const { status, body, text } = await acme('POST', `/${resource}.php`, values)
  assert.equal(status, 201, text)
  return body.id
}

const read = async (resource: string, id: number): Promise<Json> =>
  (await acme('GET', `/${resource}.php?id=${id}`)).body

/** Creates a branch with two active people, two who have left, and stock. */
async function createBranch(name: string) {
  const branch = await create('customers', { name })
  const person = (email: string, fields = {}) =>
    create('employees', { customer_id: branch, email, name: email.split('@')[0], ...fields })
  const people = [await person(`ada@${name}.test`), await person(`bob@${name}.test`)]
  const gone = await person(`gone@${name}.test`, { is_active: false })
  const keeps = await person(`keeps@${name}.test`, { is_active: false })
  const stock = await person(`stock@${name}.test`, { kind: 'storage' })
  const item = (employee_id: number, status: string) => create('hardware', { employee_id, status })
  const held = [await item(people[0]!, 'in_use'), await item(keeps, 'in_use')]
  const stored = [await item(stock, 'spare'), await item(stock, 'in_repair')]
  return { branch, people, gone, keeps, stock, held, stored }
}

const formOf = (page: PageResponse) => formsIn(page.html).find(({ action }) => /^close_branch/.test(action))!

test('closing a branch deactivates it, moves its stock and everyone who is active or holds equipment, and can be undone', async () => {
  const target = await create('customers', { name: 'Target' })
  const { branch, people, gone, keeps, stock, held, stored } = await createBranch('first')
  const { html } = await manager.get(`records.php?resource=customers&id=${branch}`)
  assert.match(decodeHtml(html), /close_branch\.php\?id=/)
  const page = `close_branch.php?id=${branch}`
  const chosen = await manager.submit(page, { customer_id: String(target) }, /^close_branch/)
  assert.equal(chosen.location, `${page}&to=${target}`)
  const preview = await manager.get(chosen.location!)
  assert.match(textOf(preview), /3 people will move with what they hold 2 assets in stock will move\b/)
  assert.match(textOf(preview), /People who move ada bob keeps Equipment that moves to stock/)
  assert.equal((await read('employees', people[0]!)).customer_id, branch)

  const done = await manager.submit(chosen.location!, {}, /^close_branch/)
  assert.equal(done.status, 303)
  const confirmation = await manager.get(done.location!)
  assert.match(textOf(confirmation), /first is closed\. 3 people moved, 2 assets moved to stock\. Undo/)
  for (const id of [...people, keeps]) assert.equal((await read('employees', id)).customer_id, target)
  assert.equal((await read('employees', gone)).customer_id, branch)
  assert.equal((await read('employees', stock)).is_active, false)
  assert.equal((await read('customers', branch)).is_active, false)
  const items = await Promise.all(stored.map((id) => read('hardware', id)))
  assert.deepEqual(
    items.map(({ status }) => status),
    ['spare', 'in_repair'],
  )
  const place = await read('employees', items[0].employee_id)
  assert.deepEqual([place.kind, place.customer_id], ['storage', target])
  assert.equal((await read('hardware', held[0]!)).employee_id, people[0])
  const closedPage = await manager.get(page)
  assert.deepEqual([closedPage.status, /already closed/.test(textOf(closedPage))], [409, true])

  const form = formsIn(confirmation.html).find(({ action }) => /^activity/.test(action))!
  assert.equal((await manager.post(form.action, new URLSearchParams(form.fields))).status, 303)
  assert.deepEqual(
    [(await read('customers', branch)).is_active, (await read('hardware', stored[0]!)).employee_id],
    [true, stock],
  )
  assert.equal((await read('employees', place.id)).customer_id, target)
})

test('changes since the preview are shown, and nothing moves until they are confirmed', async () => {
  const target = await create('customers', { name: 'Other' })
  const { branch, people, stored } = await createBranch('second')
  const page = `close_branch.php?id=${branch}&to=${target}`
  const changes = [
    () => acme('PUT', `/hardware.php?id=${stored[0]}`, { notes: 'x' }),
    () => acme('PUT', `/employees.php?id=${people[0]}`, { customer_id: target }),
    () => acme('POST', '/employees.php', { customer_id: branch, email: 'new@a.test' }),
    () => acme('PUT', `/customers.php?id=${branch}`, { notes: 'x' }),
  ]
  for (const change of changes) {
    const { action, fields } = formOf(await manager.get(page))
    await change()
    const refused = await manager.post(action, new URLSearchParams(fields))
    assert.deepEqual([refused.status, /has changed since the preview/.test(textOf(refused))], [409, true])
    assert.equal((await read('customers', branch)).is_active, true)
    assert.ok(formOf(refused))
  }
})

test('submitting the form twice closes the branch only once', async () => {
  const target = await create('customers', { name: 'Twice' })
  const { branch } = await createBranch('third')
  const { action, fields } = formOf(await manager.get(`close_branch.php?id=${branch}&to=${target}`))
  const send = () => manager.post(action, new URLSearchParams(fields))
  const [first, second] = [await send(), await send()]
  assert.deepEqual([first.status, first.location], [303, second.location])
})

test('if two people close a branch at the same time, the second request reports that it is already closed', async () => {
  const { branch } = await createBranch('fourth')
  const targets = await Promise.all(['North', 'South'].map((name) => create('customers', { name })))
  const forms = await Promise.all(
    targets.map(async (to) => formOf(await manager.get(`close_branch.php?id=${branch}&to=${to}`))),
  )
  const responses = await Promise.all(
    forms.map(({ action, fields }) => manager.post(action, new URLSearchParams(fields))),
  )
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [303, 409])
  assert.match(textOf(responses.find(({ status }) => status === 409)!), /This branch is already closed/)
})

test('when a branch is closed, its people and stock can only move to another branch that exists and is active', async () => {
  const closed = await create('customers', { name: 'Closed', is_active: false })
  const branch = await create('customers', { name: 'Open' })
  for (const to of [branch, closed, 99999]) {
    const page = await manager.get(`close_branch.php?id=${branch}&to=${to}`)
    assert.deepEqual([page.status, /Choose an active branch/.test(textOf(page))], [422, true], String(to))
    const sent = await manager.submit(`close_branch.php?id=${branch}`, { customer_id: String(to) }, /^close_branch/)
    assert.equal(sent.status, 422)
    const { fields } = formOf(page)
    const forced = new URLSearchParams([...fields, ['seq', '99999'], ['people', '0'], ['items', '0']])
    assert.equal((await manager.post(`close_branch.php?id=${branch}&to=${to}`, forced)).status, 422)
  }
  assert.equal((await read('customers', branch)).is_active, true)
})

test('viewers and users of other tenants cannot close a branch', async () => {
  const branch = await create('customers', { name: 'Guarded' })
  const viewer = await signIn(origin, 'viewer@example.com')
  assert.equal((await viewer.get(`close_branch.php?id=${branch}`)).status, 403)
  assert.doesNotMatch((await viewer.get(`records.php?resource=customers&id=${branch}`)).html, /close_branch/)
  await zeta('POST', '/customers.php', { name: 'Theirs' })
  for (const [path, status] of [
    ['close_branch.php?id=99999', 404],
    ['close_branch.php?id=1&tenant=zeta', 404],
  ] as const)
    assert.equal((await manager.get(path)).status, status, path)
})
