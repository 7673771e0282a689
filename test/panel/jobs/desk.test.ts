// Actions on equipment (hand over, return, repair), in a browser without scripts. Each action is one form and one
// change set.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
await createPanelUser(environment, 'reader@example.com', 'north', 'viewer')
const desk = await signIn(origin, 'desk@example.com')
const reader = await signIn(origin, 'reader@example.com')

const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const create = async (path: string, body: object): Promise<number> => {
  const { body: created, text } = await client('POST', path, body)
  assert.ok(created.id, text)
  return created.id
}

const berlin = await create('/customers.php', { name: 'Berlin' })
const munich = await create('/customers.php', { name: 'Munich' })
const person = (name: string, fields: object = {}) =>
  create('/employees.php', { customer_id: berlin, email: `${name.toLowerCase()}@example.com`, name, ...fields })
const item = (name: string, holder: number, fields: object = {}) =>
  create('/hardware.php', { employee_id: holder, name, ...fields })
const ada = await person('Ada')
const jonas = await person('Jonas')

/** Submits an action's form for these assets. */
const perform = (verb: string, ids: number[], fields: Record<string, string> = {}) =>
  desk.submit(`assign.php?do=${verb}&ids=${ids.join(',')}`, fields, /^assign/)

async function latestChange(id: number): Promise<Json> {
  return (await read(`/changes.php?resource=hardware&id=${id}&order=desc&limit=1`)).data[0]
}

/** Returns an asset's holder, status and due date. */
async function stateOf(id: number): Promise<Json[]> {
  const { employee_id, status, due_back } = await read(`/hardware.php?id=${id}`)
  const holder = await read(`/employees.php?id=${employee_id}`)
  return [`${holder.kind} ${holder.name}`, status, due_back]
}

test('each action sets an asset’s holder, status and due date, and the history names the user', async () => {
  const laptop = await item('Laptop', ada)
  const steps: [verb: string, fields: Record<string, string>, state: Json[]][] = [
    ['hand_over', { employee_id: String(jonas) }, ['person Jonas', 'in_use', null]],
    ['send_to_repair', { note: 'Keyboard' }, ['person Jonas', 'in_repair', null]],
    ['return', {}, ['storage Berlin', 'in_repair', null]],
    ['back_from_repair', {}, ['storage Berlin', 'spare', null]],
    ['move', { customer_id: String(munich) }, ['storage Munich', 'spare', null]],
    ['lend', { employee_id: String(ada), due_back: '2999-12-03' }, ['person Ada', 'in_use', '2999-12-03']],
    ['return', { customer_id: String(berlin) }, ['storage Berlin', 'spare', null]],
    ['assign', { employee_id: String(ada) }, ['person Ada', 'in_use', null]],
    ['report_lost', {}, ['storage Berlin', 'lost', null]],
    ['return', {}, ['storage Berlin', 'spare', null]],
    ['retire', {}, ['storage Berlin', 'retired', null]],
  ]
  for (const [verb, fields, state] of steps) {
    const response = await perform(verb, [laptop], fields)
    assert.equal(response.status, 303, textIn(response.html))
    assert.deepEqual(await stateOf(laptop), state, verb)
    assert.equal(typeof (await latestChange(laptop)).user_id, 'string')
  }
  const { notes } = await read(`/hardware.php?id=${laptop}`)
  assert.match(notes, /^\d{4}-\d\d-\d\d: Keyboard$/)
  const undo = await desk.submit(`activity.php?change_set=${(await latestChange(laptop)).change_set}`, {}, /change_set/)
  assert.equal(undo.status, 303)
  assert.deepEqual(await stateOf(laptop), ['storage Berlin', 'spare', null])
})

test('the first assets returned to a branch create one stock location, even if they are returned concurrently', async () => {
  const branch = await create('/customers.php', { name: 'Köln' })
  const holders = await Promise.all([1, 2, 3].map((number) => person(`Holder${number}`, { customer_id: branch })))
  const items = await Promise.all(holders.map((holder) => item('Phone', holder)))
  const responses = await Promise.all(items.map((id) => perform('return', [id])))
  assert.deepEqual(
    responses.map(({ status }) => status),
    [303, 303, 303],
  )
  const { data } = await read(`/employees.php?customer_id=${branch}&kind=storage`)
  assert.deepEqual(
    data.map(({ name, email }: Json) => [name, email]),
    [['Köln', `stock+${branch}@tenantdesk.invalid`]],
  )
  const set = (await latestChange(items[0]!)).change_set
  const undo = await desk.submit(`activity.php?change_set=${set}`, {}, /change_set/)
  assert.equal(undo.status, 303, 'the undo keeps the location while other assets are there')
})

test('a loan returns to the stock that it came from, and the message names the place', async () => {
  const [pool, shanghai] = [
    await create('/customers.php', { name: 'Pool' }),
    await create('/customers.php', { name: 'Shanghai' }),
  ]
  const [shelf, room] = [
    await person('Shelf', { customer_id: pool, kind: 'storage' }),
    await person('Loan room', { customer_id: pool, kind: 'storage', email: 'room@example.com' }),
  ]
  const [umit, elif] = [
    await person('Umit', { customer_id: shanghai }),
    await person('Elif', { customer_id: shanghai }),
  ]
  const loan = { employee_id: String(umit), due_back: '2999-12-04' }
  const [phone, tablet, camera, bulky] = await Promise.all(['P', 'T', 'C', 'B'].map((name) => item(name, room)))
  for (const id of [phone!, tablet!, camera!, bulky!]) assert.equal((await perform('lend', [id], loan)).status, 303)
  await perform('lend', [tablet!], { employee_id: String(elif), due_back: '2999-12-11' })
  const returned = await perform('return', [phone!, tablet!])
  assert.match(textIn((await desk.get(returned.location!)).html), /2 assets returned to stock in Pool · Loan room\./)
  for (const id of [phone!, tablet!]) assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, room)
  await perform('report_lost', [bulky!])
  assert.deepEqual(await stateOf(bulky!), ['storage Loan room', 'lost', null])
  await client('PUT', `/employees.php?id=${room}`, { is_active: false })
  await perform('return', [camera!])
  assert.equal((await read(`/hardware.php?id=${camera}`)).employee_id, shelf, 'the branch has another stock')
  const owned = await item('Owned', room)
  await perform('assign', [owned], { employee_id: String(umit) })
  await perform('return', [owned])
  assert.deepEqual(await stateOf(owned), ['storage Shanghai', 'spare', null], 'only a loan goes back')
})

test('messages name the asset with its tag, the person or place, the day, and what was restored', async () => {
  const id = await item('Projector', ada, { asset_tag: 'PR-1' })
  const messageOf = async (response: { location: string | null }) => textIn((await desk.get(response.location!)).html)
  const lent = await perform('lend', [id], { employee_id: String(jonas), due_back: '2999-12-04' })
  assert.match(await messageOf(lent), /Projector \(PR-1\) lent to Jonas until 4 Dec 2999\./)
  const returned = await perform('return', [id])
  assert.match(await messageOf(returned), /Projector \(PR-1\) returned to stock in Berlin\./)
  const undone = await desk.submit(`activity.php?change_set=${(await latestChange(id)).change_set}`, {}, /change_set/)
  assert.match(await messageOf(undone), /1 asset restored\./)
})

test('the first field of an action has the focus', async () => {
  const id = await item('Focused', ada)
  for (const [verb, field] of [
    ['lend', 'employee_id'],
    ['move', 'customer_id'],
    ['send_to_repair', 'note'],
  ] as const)
    assert.match((await desk.get(`assign.php?do=${verb}&ids=${id}`)).html, new RegExp(`id="${field}"[^>]* autofocus`))
})

test('returned assets go to the branch’s existing storage location, unless that location’s name was erased', async () => {
  const branch = await create('/customers.php', { name: 'Bonn' })
  const room = await person('Room', { customer_id: branch, kind: 'storage' })
  const mover = await person('Mover', { customer_id: branch })
  const id = await item('Screen', mover)
  await perform('return', [id])
  assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, room)
  assert.equal((await desk.submit(`records.php?resource=employees&id=${room}&erase=1`, {}, /erase=1/)).status, 303)
  const next = await item('Next screen', mover)
  await perform('return', [next])
  assert.deepEqual(await stateOf(next), ['storage Bonn', 'spare', null], 'a location whose name was erased is not used')
})

test('an action on several assets is one change set; assets with the wrong status are listed and skipped', async () => {
  const holder = await person('Several')
  const [one, two] = [await item('One', holder), await item('Two', holder)]
  const retired = await item('Old', holder, { status: 'retired' })
  const page = await desk.get(`assign.php?do=send_to_repair&ids=${one},${two},${retired}`)
  assert.match(textIn(page.html), /Left out because of their status Old .*Retired/)
  assert.equal((await perform('send_to_repair', [one, two, retired])).status, 303)
  const sets = await Promise.all([one, two].map(async (id) => (await latestChange(id)).change_set))
  assert.equal(sets[0], sets[1])
  assert.equal((await read(`/hardware.php?id=${retired}`)).status, 'retired')
  const none = await desk.get(`assign.php?do=assign&ids=${retired}`)
  assert.deepEqual([none.status, formsIn(none.html).some(({ action }) => /^assign/.test(action))], [200, false])
  assert.match(textIn(none.html), /nothing left to do here\. This is the current state: Old .*Retired Open/)
})

test('missing or invalid input is refused with an explanation, and nothing changes', async () => {
  const id = await item('Camera', ada)
  const storage = (await read('/employees.php?kind=storage&limit=1')).data[0].id
  const closed = await create('/customers.php', { name: 'Closed', is_active: false })
  const cases: [string, Record<string, string>, RegExp][] = [
    ['hand_over', {}, /Choose a person/],
    ['hand_over', { employee_id: String(storage) }, /Choose a person/],
    ['hand_over', { employee_id: '999999' }, /Choose a person/],
    ['lend', { employee_id: String(jonas), due_back: '2020-01-01' }, /Choose today or a later day/],
    ['lend', { employee_id: String(jonas), due_back: '' }, /date/],
    ['move', { customer_id: '' }, /Choose a branch/],
    ['move', { customer_id: String(closed) }, /Choose a branch/],
    ['send_to_repair', { note: 'x'.repeat(501) }, /at most 500 characters/],
  ]
  for (const [verb, fields, message] of cases) {
    const { status, html } = await perform(verb, [id], fields)
    assert.equal(status, 422, verb)
    assert.match(textIn(html), message)
  }
  assert.deepEqual(await stateOf(id), ['person Ada', 'in_use', null])
})

test('someone who has left cannot be given equipment, even with a form opened earlier or a forged URL', async () => {
  const id = await item('Late gift', ada)
  const [inactive, ended] = [
    await person('Gone', { is_active: false }),
    await person('Over', { end_date: '2020-01-31' }),
  ]
  for (const leaver of [inactive, ended]) {
    for (const [path, send] of [
      [`assign.php?do=hand_over&ids=${id}`, /^assign/],
      [`records.php?resource=hardware&id=${id}&edit=1`, /^records/],
    ] as const) {
      const refused = await desk.submit(path, { employee_id: String(leaver) }, send)
      assert.deepEqual([refused.status, /has left and cannot be given equipment/.test(refused.html)], [422, true], path)
    }
    const page = await desk.get(`assign.php?person=${leaver}`)
    assert.deepEqual([page.status, /has left/.test(page.html), /name="ids"/.test(page.html)], [409, true, false])
  }
  const leaving = await person('Leaving')
  const opened = formsIn((await desk.get(`assign.php?person=${leaving}`)).html).find(({ action }) =>
    /^assign/.test(action),
  )!
  await client('PUT', `/employees.php?id=${leaving}`, { is_active: false })
  const late = await desk.post(opened.action, new URLSearchParams([...opened.fields, ['new.0.model', 'X1']]))
  assert.equal(late.status, 409)
  assert.equal((await read(`/hardware.php?employee_id=${leaving}&total=true`)).page.total, 0)
  assert.deepEqual(await stateOf(id), ['person Ada', 'in_use', null])
  const kept = await item('Kept by a leaver', inactive)
  const edited = await desk.submit(`records.php?resource=hardware&id=${kept}&edit=1`, { model: 'M' }, /^records/)
  assert.equal(edited.status, 303, 'an asset of someone who has left can be edited without changing its holder')
})

test('if an asset was changed since the form was opened, the form is shown again and can be resubmitted', async () => {
  const id = await item('Tablet', ada)
  const path = `assign.php?do=hand_over&ids=${id}`
  const form = formsIn((await desk.get(path)).html).find(({ action }) => /^assign/.test(action))!
  await client('PUT', `/hardware.php?id=${id}`, { model: 'Changed' })
  const sent = new URLSearchParams(form.fields)
  sent.set('employee_id', String(jonas))
  const late = await desk.post(form.action, sent)
  assert.deepEqual([late.status, /changed this in the meantime/.test(textIn(late.html))], [409, true])
  const resubmitted = new URLSearchParams(formsIn(late.html).find(({ action }) => /^assign/.test(action))!.fields)
  resubmitted.set('employee_id', String(jonas))
  assert.equal((await desk.post(form.action, resubmitted)).status, 303)
  assert.deepEqual(await stateOf(id), ['person Jonas', 'in_use', null])
})

test('a form submitted twice takes effect only once', async () => {
  const id = await item('Router', ada)
  const form = formsIn((await desk.get(`assign.php?do=return&ids=${id}`)).html).find(({ action }) =>
    /^assign/.test(action),
  )!
  const [first, second] = [
    await desk.post(form.action, new URLSearchParams(form.fields)),
    await desk.post(form.action, new URLSearchParams(form.fields)),
  ]
  assert.deepEqual([first.status, second.status], [303, 303])
  assert.equal((await read(`/changes.php?resource=hardware&id=${id}`)).data.length, 2)
})

test('a form submitted again with other values is refused, and can then be saved with these values', async () => {
  const leaver = await person('Changeable')
  const path = `offboard.php?person=${leaver}`
  const { action, fields } = formsIn((await desk.get(path)).html).find((form) => /^offboard/.test(form.action))!
  const lastDay = (day: string) =>
    new URLSearchParams([...fields.filter(([name]) => name !== 'end_date'), ['end_date', day]])
  assert.equal((await desk.post(action, lastDay('2999-01-01'))).status, 303)
  const again = await desk.post(action, lastDay('2999-02-01'))
  assert.deepEqual([again.status, /already saved with other values/.test(textIn(again.html))], [422, true])
  const shown = formsIn(again.html).find((form) => /^offboard/.test(form.action))!
  assert.equal((await desk.post(shown.action, new URLSearchParams(shown.fields))).status, 303)
  assert.equal((await read(`/employees.php?id=${leaver}`)).end_date, '2999-02-01')
})

test('an action on a person’s page applies only to the selected assets', async () => {
  const holder = await person('Holder')
  const ids = [await item('Mouse', holder), await item('Headset', holder), await item('Dock', holder)]
  const ticked = ids.slice(0, 2).map(String)
  const path = `records.php?resource=employees&id=${holder}`
  const done = await desk.submit(path, { ids: ticked, do: 'return' }, /^assign/)
  assert.deepEqual([done.status, done.location!.startsWith(path)], [303, true])
  const statuses = await Promise.all(ids.map(async (id) => (await read(`/hardware.php?id=${id}`)).status))
  assert.deepEqual(statuses, ['spare', 'spare', 'in_use'])
  const handOver = await desk.submit(path, { ids: String(ids[2]), do: 'hand_over' }, /^assign/)
  assert.deepEqual(
    [handOver.status, /Choose a person/.test(handOver.html)],
    [200, false],
    'the page asks for the new holder',
  )
  const nothing = await desk.submit(path, { do: 'return' }, /^assign/)
  assert.equal(nothing.status, 303)
})

test('giving a person both assets from stock and new assets is one change set', async () => {
  await client('PUT', '/settings.php', { tag_format: 'ND-{000}', next_tag_number: 7 })
  const spare = await item('Spare laptop', ada)
  await perform('return', [spare])
  const holder = await person('Zeynep')
  const path = `assign.php?person=${holder}`
  assert.match(textIn((await desk.get(path)).html), /From stock .*Spare laptop/)
  const fields = { ids: String(spare), 'new.0.model': 'ThinkPad', 'new.0.serial_number': 'PF-1' }
  assert.equal((await desk.submit(path, fields, /^assign/)).status, 303)
  const { data } = await read(`/hardware.php?employee_id=${holder}&sort=id`)
  assert.deepEqual(
    data.map(({ model, asset_tag, status }: Json) => [model, asset_tag, status]),
    [
      [null, null, 'in_use'],
      ['ThinkPad', 'ND-007', 'in_use'],
    ],
  )
  const sets = await Promise.all(data.map(async ({ id }: Json) => (await latestChange(id)).change_set))
  assert.equal(new Set(sets).size, 1)
  const nothing = await desk.submit(path, {}, /^assign/)
  assert.deepEqual([nothing.status, /at least one asset/.test(textIn(nothing.html))], [422, true])
})

test('if two forms suggest the same tag, the second form to be submitted is refused and suggests the next tag', async () => {
  const [one, two] = [await person('First'), await person('Second')]
  const formOf = async (holder: number) =>
    formsIn((await desk.get(`assign.php?person=${holder}`)).html).find(({ action }) => /^assign/.test(action))!
  const forms = [await formOf(one), await formOf(two)]
  const send = ({ action, fields }: { action: string; fields: [string, string][] }) => {
    const sent = new URLSearchParams(fields)
    sent.set('new.0.model', 'Phone')
    return desk.post(action, sent)
  }
  assert.equal((await send(forms[0]!)).status, 303)
  const refused = await send(forms[1]!)
  assert.deepEqual([refused.status, /ND-008 has been taken/.test(refused.html)], [422, true])
  const again = formsIn(refused.html).find(({ action }) => /^assign/.test(action))!
  assert.equal((await send(again)).status, 303)
  const tags = await Promise.all(
    [one, two].map(async (holder) => (await read(`/hardware.php?employee_id=${holder}`)).data[0].asset_tag),
  )
  assert.deepEqual(tags, ['ND-008', 'ND-009'])
})

test('offboarding does what was chosen for each asset and deactivates the person, in one change set', async () => {
  const leaver = await person('Leaver')
  const ids = await Promise.all(['A', 'B', 'C', 'D'].map((name) => item(name, leaver)))
  const fields = {
    [`fate.${ids[1]}`]: 'hand_over',
    [`fate.${ids[2]}`]: 'report_lost',
    [`fate.${ids[3]}`]: 'keep',
    employee_id: String(jonas),
    end_date: '2020-01-31',
  }
  const path = `offboard.php?person=${leaver}`
  const refused = await desk.submit(path, { ...fields, employee_id: String(leaver) }, /^offboard/)
  assert.deepEqual([refused.status, /Choose who receives/.test(refused.html)], [422, true])
  const done = await desk.submit(path, fields, /^offboard/)
  assert.equal(done.status, 303)
  assert.match(textIn((await desk.get(done.location!)).html), /offboarded; 1 asset is not back yet\./)
  assert.deepEqual(await Promise.all(ids.map(stateOf)), [
    ['storage Berlin', 'spare', null],
    ['person Jonas', 'in_use', null],
    ['storage Berlin', 'lost', null],
    ['person Leaver', 'in_use', null],
  ])
  const { is_active, end_date } = await read(`/employees.php?id=${leaver}`)
  assert.deepEqual([is_active, end_date], [false, '2020-01-31'])
  const set = (await latestChange(ids[0]!)).change_set
  assert.equal((await read(`/changes.php?change_set=${set}`)).data.length, 4)
})

test('offboarding with a last day in the future keeps the person active, and returns today only what is chosen', async () => {
  const leaver = await person('Later')
  const id = await item('E', leaver)
  await desk.submit(`offboard.php?person=${leaver}`, { end_date: '2999-01-31' }, /^offboard/)
  const { is_active, end_date } = await read(`/employees.php?id=${leaver}`)
  assert.deepEqual([is_active, end_date, (await stateOf(id))[1]], [true, '2999-01-31', 'spare'])
  const other = await item('F', leaver)
  const path = `offboard.php?person=${leaver}`
  assert.match((await desk.get(path)).html, new RegExp(`name="fate.${other}" value="keep" checked`))
  const { location } = await desk.submit(path, {}, /^offboard/)
  assert.match(textIn((await desk.get(location!)).html), /Later leaves on 31 Jan 2999; 1 asset is not back yet\./)
  assert.deepEqual(await stateOf(other), ['person Later', 'in_use', null])
})

test('going back to the form of somebody who has been offboarded says so, and leads to the person', async () => {
  const leaver = await person('Finished')
  const path = `offboard.php?person=${leaver}`
  assert.equal((await desk.submit(path, {}, /^offboard/)).status, 303)
  const { status, html } = await desk.get(path)
  assert.equal(status, 200)
  assert.match(textIn(html), /Offboard Finished Finished has been offboarded\. Open/)
})

test('an offboarding form is refused if the person was given an asset after the form was opened', async () => {
  const leaver = await person('Quick')
  const form = formsIn((await desk.get(`offboard.php?person=${leaver}`)).html).find(({ action }) =>
    /^offboard/.test(action),
  )!
  const id = await item('Late', leaver)
  const late = await desk.post(form.action, new URLSearchParams(form.fields))
  assert.deepEqual([late.status, /Late/.test(late.html)], [422, true])
  assert.deepEqual(await stateOf(id), ['person Quick', 'in_use', null])
})

test('viewers cannot open forms for actions on equipment; unknown records are refused with 404, and invalid parameters with 400', async () => {
  const id = await item('Kept', ada)
  for (const path of [`assign.php?do=return&ids=${id}`, `assign.php?person=${ada}`, `offboard.php?person=${ada}`])
    assert.equal((await reader.get(path)).status, 403, path)
  for (const path of [`records.php?resource=hardware&id=${id}`, `records.php?resource=employees&id=${ada}`])
    assert.doesNotMatch((await reader.get(path)).html, /assign\.php|offboard\.php/)
  for (const [path, status] of [
    [`assign.php?do=explode&ids=${id}`, 400],
    ['assign.php?do=return&ids=x', 400],
    ['assign.php?do=return&ids=999999', 404],
    ['assign.php?person=999999', 404],
    ['offboard.php?person=x', 404],
  ] as const)
    assert.equal((await desk.get(path)).status, status, path)
})

test('if the URL of a page about a person or branch does not name one, the page asks the user to choose', async () => {
  for (const page of ['assign.php', 'offboard.php', 'hand_over.php', 'close_branch.php']) {
    const { html, status } = await desk.get(page)
    assert.deepEqual([status, html.includes(`<form action="${page}"`)], [200, true], page)
  }
  const found = await desk.get('offboard.php?find.person=jonas&was.person=')
  assert.deepEqual([found.status, found.location], [303, `offboard.php?person=${jonas}`])
  const chosen = await desk.get(`offboard.php?find.person=ada&was.person=ada&person=${ada}`)
  assert.equal(chosen.location, `offboard.php?person=${ada}`)
  const searched = await desk.get('assign.php?find.person=jon&was.person=&find=person')
  assert.match(searched.html, new RegExp(`type="radio" name="person" value="${jonas}"`))
  const unknown = await desk.get('close_branch.php?find.id=Atlantis&was.id=')
  assert.deepEqual([unknown.status, /aria-invalid/.test(unknown.html)], [422, true])
  assert.equal((await reader.get('offboard.php')).status, 403)
})

test('a page without a tenant in its URL asks administrators to choose one', async () => {
  await createPanelUser(environment, 'root@example.com')
  const root = await signIn(origin, 'root@example.com')
  for (const page of ['offboard.php', 'records.php', 'activity.php', 'tenant_settings.php']) {
    const { html, status } = await root.get(page)
    assert.deepEqual([status, html.includes(`${page}?tenant`)], [200, true], page)
  }
})
