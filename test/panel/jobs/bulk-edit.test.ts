// Changing many records at once in the panel, without scripts: select, preview, confirm, undo.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { createPanelUser, decodeHtml, formsIn, type PageResponse, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
await makeTenant(environment, 'zeta')
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'viewer@example.com', 'acme', 'viewer')
await createPanelUser(environment, 'zeta@example.com', 'zeta')
const manager = await signIn(origin, 'manager@example.com')

const hardware = 'bulk_edit.php?resource=hardware'
const people = 'bulk_edit.php?resource=employees'

/** Returns the visible text of a page. */
const textOf = ({ html }: PageResponse) => decodeHtml(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ')

async function create(resource: string, values: object): Promise<Json> {
  const { status, body, text } = await acme('POST', `/${resource}.php`, values)
  assert.equal(status, 201, text)
  return body
}

const read = async (resource: string, id: number): Promise<Json> =>
  (await acme('GET', `/${resource}.php?id=${id}`)).body

const berlin = (await create('customers', { name: 'Berlin' })).id
const munich = (await create('customers', { name: 'Munich' })).id
const createPerson = async (name: string, customer_id = berlin) =>
  (await create('employees', { name, customer_id, email: `${name.toLowerCase()}@a.test` })).id
const createItem = async (employee_id: number, values: object = {}) =>
  (await create('hardware', { employee_id, type: 'laptop', ...values })).id

/** Selects records in a list for a task. Returns the URL of the next page. */
async function select(list: string, task: string, ids: number[] | 'all'): Promise<string> {
  const resource = /resource=(\w+)/.exec(list)![1]!
  const fields: Record<string, string | string[]> = ids === 'all' ? { all: '1' } : { id: ids.map(String) }
  const response = await manager.submit(list, { do: task, ...fields }, /^bulk_edit/)
  assert.equal(response.status, 303, textOf(response))
  assert.match(response.location!, new RegExp(`resource=${resource}`))
  return response.location!
}

/** Submits the form that asks for the new values. Returns the URL of the preview. */
async function submitValues(path: string, fields: Record<string, string | string[]>): Promise<string> {
  const response = await manager.submit(path, fields, /^bulk_edit/)
  assert.equal(response.status, 303, textOf(response))
  return response.location!
}

/** Confirms a preview. Returns the page with the confirmation. */
async function confirm(path: string): Promise<PageResponse> {
  const { status, location, html } = await manager.submit(path, { run: '1' }, /^bulk_edit/)
  assert.equal(status, 303, html)
  return manager.get(location!)
}

async function undo(confirmation: PageResponse): Promise<void> {
  const form = formsIn(confirmation.html).find(({ action }) => /^activity/.test(action))!
  assert.equal((await manager.post(form.action, new URLSearchParams(form.fields))).status, 303)
}

const list = 'records.php?resource=hardware'

test('selected assets are returned to the stock of their branches in one change set; the confirmation page can undo it', async () => {
  const [ada, mia] = [await createPerson('Ada'), await createPerson('Mia', munich)]
  const items = [await createItem(ada), await createItem(mia, { due_back: '2027-01-01' })]
  const path = await select(list, 'return', items)
  const preview = await manager.get(path)
  assert.match(textOf(preview), /Return to stock: 2 assets.*2 will change/)
  assert.match(textOf(preview), /Ada → Stock · Berlin .*Mia → Stock · Munich/)
  assert.equal((await read('hardware', items[0]!)).status, 'in_use')

  const confirmation = await confirm(path)
  assert.match(textOf(confirmation), /Return to stock: 2 assets changed\./)
  for (const [id, branch] of [
    [items[0]!, 'Berlin'],
    [items[1]!, 'Munich'],
  ] as const) {
    const item = await read('hardware', id)
    const holder = await read('employees', item.employee_id)
    assert.deepEqual([item.status, item.due_back, holder.kind, holder.name], ['spare', null, 'storage', branch])
  }
  const { data } = (await acme('GET', '/changes.php?resource=hardware&order=desc&limit=2')).body
  assert.equal(new Set(data.map((change: Json) => change.change_set)).size, 1)
  await undo(confirmation)
  const { employee_id, due_back } = await read('hardware', items[1]!)
  assert.deepEqual([employee_id, due_back], [mia, '2027-01-01'])
  const stock = (await acme('GET', '/employees.php?kind=storage&total=true')).body.page
  assert.equal(stock.total, 2, 'the undo keeps the stock locations, which may contain other assets')
})

test('selected loans return to the stock that each came from; the preview names it', async () => {
  const location = { name: 'Loan room', customer_id: berlin, email: 'loans@a.test', kind: 'storage' }
  const room = (await create('employees', location)).id
  const borrower = await createPerson('Borrower', munich)
  const [loan, own] = [await createItem(room), await createItem(borrower)]
  await acme('PUT', `/hardware.php?id=${loan}`, { employee_id: borrower, due_back: '2999-01-01' })
  const path = await select(list, 'return', [loan, own])
  assert.match(textOf(await manager.get(path)), /Borrower → Stock · Loan room .*Borrower → Stock · Munich/)
  await confirm(path)
  assert.equal((await read('hardware', loan)).employee_id, room)
})

test('a task asks for a person or a branch, and continues only if the chosen one exists', async () => {
  const [from, to] = [await createPerson('From'), await createPerson('To')]
  const items = [await createItem(from), await createItem(from)]
  const path = await select(list, 'assign', items)
  const refused = await manager.submit(path, {}, /^bulk_edit/)
  assert.deepEqual([refused.status, /Choose a person/.test(textOf(refused))], [422, true])
  const found = await manager.submit(path, { 'find.employee_id': 'to@a', find: 'employee_id' }, /^bulk_edit/)
  assert.match(found.html, new RegExp(`name="employee_id" value="${to}"`))
  const assigned = await manager.get(await submitValues(path, { employee_id: String(to) }))
  assert.match(textOf(assigned), /Assign: 2 assets changed\..* Undo/)
  assert.equal((await read('hardware', items[1]!)).employee_id, to)

  const move = await select('records.php?resource=employees', 'move', [from, to])
  assert.match(textOf(await manager.get(await submitValues(move, { customer_id: String(munich) }))), /2 people changed/)
  assert.equal((await read('employees', from)).customer_id, munich)
  const unknown = await select('records.php?resource=employees', 'move', [from, to])
  assert.equal((await manager.submit(unknown, { customer_id: '99999' }, /^bulk_edit/)).status, 422)
})

test('the page that asks for a branch or a person lists up to 50 selected records, and is then their preview', async () => {
  const people: number[] = []
  for (let row = 0; row < 51; row++) people.push(await createPerson(`Row${row}`))
  const short = await manager.get(await select('records.php?resource=employees', 'move', people.slice(0, 50)))
  assert.match(
    textOf(short),
    /Move to branch \(50 people\) Discard People Branch Row0 Berlin Row1 Berlin .* Row49 Berlin/,
  )
  const path = await select('records.php?resource=employees', 'move', people)
  assert.match(textOf(await manager.get(path)), /Preview Discard/)
  const preview = await submitValues(path, { customer_id: String(munich) })
  assert.match(textOf(await manager.get(preview)), /51 will change .* Row0 Berlin → Munich/)
  assert.equal((await read('employees', people[0]!)).customer_id, berlin)
})

test('if some of the records cannot be changed, a preview says so before anything changes', async () => {
  const items = [
    await createItem(await createPerson('Keeps'), { status: 'retired' }),
    await createItem(await createPerson('Gives')),
  ]
  const path = await select(list, 'assign', items)
  const preview = await submitValues(path, { employee_id: String(await createPerson('Takes')) })
  assert.match(textOf(await manager.get(preview)), /1 will change 1 cannot be changed/)
  assert.equal((await read('hardware', items[1]!)).status, 'in_use')
  assert.match(textOf(await confirm(preview)), /Assign: 1 asset changed, 1 could not be changed\./)
})

test('assets are not moved to a closed branch, and a loan cannot end in the past', async () => {
  const closed = (await create('customers', { name: 'Closed', is_active: false })).id
  const [holder, items] = [await createPerson('Holds'), [await createItem(await createPerson('Has'))]]
  const move = await manager.submit(await select(list, 'move', items), { customer_id: String(closed) }, /^bulk_edit/)
  assert.deepEqual([move.status, /Choose a branch/.test(textOf(move))], [422, true])
  const loan = { employee_id: String(holder), due_back: '2020-01-01' }
  const lend = await manager.submit(await select(list, 'lend', items), loan, /^bulk_edit/)
  assert.deepEqual([lend.status, /Choose today or a later day/.test(textOf(lend))], [422, true])
})

test('only selected fields change, an empty field is cleared, and amounts are entered in the tenant’s currency', async () => {
  const holder = await createPerson('Edit')
  const items = [
    await createItem(holder, { model: 'A', manufacturer: 'M', purchase_cost: 5 }),
    await createItem(holder, { model: 'B', manufacturer: 'M', purchase_cost: 149950 }),
  ]
  const path = await select(list, 'edit', items)
  const fields = { change: ['model', 'purchase_cost'], model: '', purchase_cost: '1,499.50', manufacturer: 'ignored' }
  const wrong = await manager.submit(path, { ...fields, purchase_cost: 'x' }, /^bulk_edit/)
  assert.equal(wrong.status, 422)
  assert.match(textOf(wrong), /Enter an amount such as 1299\.90/)
  const preview = await submitValues(path, fields)
  assert.match(textOf(await manager.get(preview)), /€0\.05 → €1,499\.50/)
  await confirm(preview)
  for (const id of items) {
    const { model, manufacturer, purchase_cost } = await read('hardware', id)
    assert.deepEqual([model, manufacturer, purchase_cost], [null, 'M', 149950])
  }
  const none = await manager.submit(await select(list, 'edit', items), { change: [] }, /^bulk_edit/)
  assert.match(textOf(none), /Tick at least one field/)
})

test('after a task, the list has its filters, columns, page and selection, and no others', async () => {
  const ids = [await createPerson('One'), await createPerson('Two'), await createPerson('Three')]
  const people = 'records.php?resource=employees&employment=current&sort=-id&limit=25&columns=name%2Cemail'
  const path = await select(people, 'move', ids.slice(1))
  const discarded = await press(await manager.get(path), 'discard')
  assert.equal(discarded.location, `${people}&selected=${ids[1]}.${ids[2]}#selected`)
  const page = await manager.get(discarded.location!)
  const ticked = [...page.html.matchAll(/name="id" value="(\d+)"[^>]* checked/g)].map(([, id]) => Number(id))
  assert.deepEqual(ticked, [ids[2], ids[1]])
  assert.match(page.html, new RegExp(`<tr id="selected"><td class="select"><input [^>]*value="${ids[2]}"`))
  assert.doesNotMatch(page.html, /Remove filter: Kind/)
  const all = await select(people, 'move', 'all')
  const { location } = await press(await manager.get(all), 'discard')
  const everyone = (await manager.get(location!)).html
  assert.match(everyone, /name="all" value="1" checked/)
  assert.doesNotMatch(everyone, /name="id" value="\d+" aria-label="[^"]*">/, 'all rows are ticked')
})

test('until the edit is confirmed, the form can be submitted again with other answers', async () => {
  const items = [await createItem(await createPerson('Before'), { model: 'Before' })]
  const path = await select(list, 'edit', items)
  const { action, fields } = formsIn((await manager.get(path)).html).find((form) => /^bulk_edit/.test(form.action))!
  const answer = (model: string) =>
    manager.post(action, new URLSearchParams([...fields, ['change', 'model'], ['model', model]]))
  await acme('PUT', `/hardware.php?id=${items[0]}`, { notes: 'changed before the preview' })
  assert.match(textOf(await manager.get((await answer('First')).location!)), /Before → First/)
  assert.match(textOf(await manager.get((await answer('Second')).location!)), /Before → Second/)
  await confirm(path)
  await answer('First')
  assert.equal((await read('hardware', items[0]!)).model, 'Second')
})

test('a small edit is finished when its next page is shown, even while an import of the same tenant is running', async () => {
  const items = [await createItem(await createPerson('Impatient')), await createItem(await createPerson('Hasty'))]
  const csv = `name\n${Array.from({ length: 20_000 }, (_, index) => `Imported ${index}`).join('\n')}\n`
  const { body } = await acme('POST', '/imports.php?resource=customers', csv, { 'content-type': 'text/csv' })
  const path = await select(list, 'retire', items)
  assert.match(textOf(await manager.get(path)), /2 will change/)
  assert.match(textOf(await confirm(path)), /Retire: 2 assets changed\./)
  assert.equal((await acme('GET', `/imports.php?id=${body.id}`)).body.state, 'checking')
})

test('the preview lists records that cannot be changed, with reasons; the other records are changed', async () => {
  const [busy, free] = [await createPerson('Busy'), await createPerson('Free')]
  await createItem(busy)
  const preview = await manager.get(await select('records.php?resource=employees', 'delete', [busy, free]))
  assert.match(textOf(preview), /1 will be deleted 1 cannot be deleted.*Busy : Other records still refer to it/)
  const edit = await select('records.php?resource=employees', 'edit', [busy, free])
  const leaving = await submitValues(edit, { change: 'is_active', is_active: '0' })
  assert.match(textOf(await manager.get(leaving)), /Busy : This person still holds equipment/)
  await confirm(leaving)
  assert.deepEqual(
    [(await read('employees', busy)).is_active, (await read('employees', free)).is_active],
    [true, false],
  )

  const repair = await select(list, 'back_from_repair', [
    await createItem(busy),
    await createItem(busy, { status: 'in_repair' }),
  ])
  assert.match(textOf(await manager.get(repair)), /1 will change 1 no change needed/)
  const lost = await select(list, 'send_to_repair', [await createItem(busy, { status: 'lost' })])
  assert.match(textOf(await manager.get(lost)), /Not possible with its current status.*/)
  assert.match(textOf(await manager.get(lost)), /There is nothing to change/)
})

test('a record changed or deleted after the preview is skipped; submitting the form twice changes the others only once', async () => {
  const holder = await createPerson('Race')
  const items = [await createItem(holder), await createItem(holder), await createItem(holder)]
  const path = await select(list, 'retire', items)
  const form = formsIn((await manager.get(path)).html).find(({ action }) => /^bulk_edit/.test(action))!
  await acme('PUT', `/hardware.php?id=${items[0]}`, { notes: 'seen' })
  await acme('DELETE', `/hardware.php?id=${items[1]}`)
  const send = () => manager.post(form.action, new URLSearchParams([...form.fields, ['run', '1']]))
  const [first, second] = [await send(), await send()]
  assert.equal(first.location, second.location)
  assert.match(textOf(await manager.get(first.location!)), /1 asset changed, 2 could not be changed\./)
  assert.deepEqual(
    [(await read('hardware', items[0]!)).status, (await read('hardware', items[2]!)).status],
    ['in_use', 'retired'],
  )
})

/** Waits until a job has been checked or has ended, and returns its page. */
async function waitForJob(path: string): Promise<PageResponse> {
  return eventually('the job has been checked or has ended', async () => {
    const page = await manager.get(path)
    return page.html.includes('data-progress') ? undefined : page
  })
}

/** Presses the button with this name on a job's page. */
async function press(page: PageResponse, button: string): Promise<PageResponse> {
  const form = formsIn(page.html).find(({ action }) => /^bulk_edit/.test(action))!
  assert.match(page.html, new RegExp(`name="${button}"`))
  return manager.post(form.action, new URLSearchParams([...form.fields, [button, '1']]))
}

test('all records that match a filter are changed by a job in one change set, which can be undone', async () => {
  const holder = await createPerson('Many')
  const body = { employee_id: holder, type: 'monitor' }
  const operations = Array.from({ length: 260 }, () => ({ method: 'POST', resource: 'hardware', body }))
  assert.equal((await acme('POST', '/bulk.php', { operations })).status, 200)
  const filtered = `${list}&type=monitor`
  const path = await select(filtered, 'retire', 'all')
  assert.match(path, /job=\d+/)
  const checked = await waitForJob(path)
  assert.match(textOf(checked), /Retire: 260 assets.*260 will change.*and 210 more/)
  const [changedSince] = (await acme('GET', '/hardware.php?type=monitor&limit=1')).body.data
  await acme('PUT', `/hardware.php?id=${changedSince.id}`, { notes: 'changed' })
  assert.equal((await press(checked, 'run')).status, 303)
  const result = await waitForJob(path)
  assert.match(textOf(result), /All done\. 259 changed 1 could not be changed/)
  const retired = async () =>
    (await acme('GET', '/hardware.php?type=monitor&status=retired&total=true')).body.page.total
  assert.equal(await retired(), 259)
  await undo(result)
  assert.equal(await retired(), 0)
  assert.match(textOf(await manager.get(path)), /This has been undone/)
})

test('a large selection can be discarded before anything is changed', async () => {
  const path = await select(`${list}&type=monitor`, 'move', 'all')
  assert.match(textOf(await manager.get(path)), /Move to branch: 260 assets/)
  const form = await manager.get(path)
  assert.match(
    (await press(form, 'discard')).location!,
    /^records\.php\?resource=hardware&type=monitor&selected=all#selected$/,
  )
  assert.equal((await manager.get(path)).status, 404)
})

test('selected records, or all that match the filters, are exported in list order', async () => {
  const holder = await createPerson('Exported')
  const ids = [await createItem(holder, { asset_tag: 'EX-1' }), await createItem(holder, { asset_tag: 'EX-2' })]
  for (const selection of [ids, 'all'] as const) {
    const response = await manager.submit(
      `${list}&employee_id=${holder}`,
      { do: 'export', ...(selection === 'all' ? { all: '1' } : { id: ids.map(String) }) },
      /^bulk_edit/,
    )
    assert.match(response.location!, /^records\.php\?.*format=csv/)
    assert.equal(/id%5Bin%5D|id\[in\]/.test(response.location!), selection !== 'all', response.location!)
    const { html: csv, headers } = await manager.get(response.location!)
    assert.match(headers.get('content-type')!, /^text\/csv/)
    assert.deepEqual([...csv.matchAll(/EX-\d/g)].map(String), ['EX-1', 'EX-2'], response.location!)
  }
})

test('viewers have no checkboxes and no form, and a selection cannot change records of another tenant', async () => {
  const id = await createItem(await createPerson('Kept'))
  const viewer = await signIn(origin, 'viewer@example.com')
  const { html } = await viewer.get(list)
  assert.doesNotMatch(html, /name="id"|bulk_edit\.php/)
  assert.equal((await viewer.get(await select(list, 'delete', [id]))).status, 403)
  const other = await signIn(origin, 'zeta@example.com')
  const { fields } = formsIn((await other.get('profile.php')).html)[0]!
  const selection = new URLSearchParams([...fields, ['do', 'delete'], ['id', String(id)]])
  const path = (await other.post(hardware, selection)).location!
  assert.match(textOf(await other.get(path)), /cannot be deleted.*It has been deleted/)
  await other.post(path, new URLSearchParams([...fields, ['run', '1']]))
  assert.equal((await read('hardware', id)).id, id)
})

test('forged and invalid URLs and forms are refused', async () => {
  const { fields } = formsIn((await manager.get(list)).html).find(({ action }) => /^bulk_edit/.test(action))!
  const send = (extraFields: [string, string][], path = hardware) =>
    manager.post(path, new URLSearchParams([...fields.filter(([name]) => name !== 'do'), ...extraFields]))
  const none = await send([['do', 'retire']])
  assert.deepEqual([none.status, /Nothing is selected/.test(textOf(none))], [422, true])
  assert.equal(
    (
      await send([
        ['do', 'explode'],
        ['id', '1'],
      ])
    ).status,
    400,
  )
  assert.equal(
    (
      await send([
        ['do', 'retire'],
        ['id', 'x'],
      ])
    ).status,
    400,
  )
  assert.equal(
    (
      await send(
        [
          ['do', 'retire'],
          ['id', '1'],
        ],
        people,
      )
    ).status,
    400,
  )
  for (const [path, status] of [
    [`${hardware}&job=77777`, 404],
    [`${hardware}&job=1..2`, 404],
    ['bulk_edit.php?resource=nothing&job=1', 404],
  ] as const)
    assert.equal((await manager.get(path)).status, status, path)
})
