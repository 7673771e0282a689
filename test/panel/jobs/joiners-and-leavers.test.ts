// Forms about people that also concern their equipment, and suggested tags, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const desk = await signIn(origin, 'desk@example.com')

const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id

const berlin = await create('/customers.php', { name: 'Berlin' })
const stock = await create('/employees.php', { customer_id: berlin, email: 's@a.de', name: 'Berlin', kind: 'storage' })
const newPerson = 'records.php?resource=employees&new=1'

async function person(name: string, holds = 0): Promise<number> {
  const id = await create('/employees.php', { customer_id: berlin, email: `${name}@example.com`, name })
  for (let index = 0; index < holds; index++)
    await create('/hardware.php', { employee_id: id, name: `${name} ${index}` })
  return id
}

const heldBy = async (id: number): Promise<Json[]> => (await read(`/hardware.php?employee_id=${id}&sort=id`)).data

test('one form creates a person with equipment from stock and new assets, in one change set', async () => {
  await client('PUT', '/settings.php', { tag_format: 'ND-{000}', next_tag_number: 98 })
  const spare = await create('/hardware.php', { employee_id: stock, name: 'Spare', status: 'spare' })
  const fields = { customer_id: String(berlin), email: 'zeynep@example.com', name: 'Zeynep' }
  const equipment = { ids: String(spare), 'new.0.model': 'X1', 'new.1.type': 'tablet', 'new.1.serial_number': 'S-1' }
  const response = await desk.submit(newPerson, { ...fields, ...equipment }, /^records/)
  assert.equal(response.status, 303, textIn(response.html))
  const { id } = (await read('/employees.php?q=zeynep')).data[0]
  assert.match(response.location!, new RegExp(`id=${id}$`))
  assert.match(textIn((await desk.get(response.location!)).html), /Zeynep added, with 3 assets\. Print the form Undo/)
  const held = await heldBy(id)
  assert.deepEqual(
    held.map(({ type, status, asset_tag }) => [type, status, asset_tag]),
    [
      ['other', 'in_use', null],
      ['laptop', 'in_use', 'ND-098'],
      ['tablet', 'in_use', 'ND-099'],
    ],
  )
  const { data } = await read('/changes.php?order=desc&limit=4')
  assert.equal(new Set(data.map(({ change_set }: Json) => change_set)).size, 1)
})

test('invalid input about a person or their equipment is explained next to its field, and no person is created', async () => {
  await create('/hardware.php', { employee_id: stock, name: 'Tagged', asset_tag: 'OWN-1' })
  const fields = { customer_id: String(berlin), email: 'broken@example.com', 'new.0.model': 'X1' }
  const cases: [Record<string, string>, RegExp][] = [
    [{ email: 'nonsense' }, /id="email-error"/],
    [{ 'new.0.asset_tag': 'OWN-1' }, /id="new\.0\.asset_tag-error"/],
    [{ 'new.0.model': 'x'.repeat(101) }, /id="new\.0\.model-error"/],
    [{ ids: '999999' }, /changed this in the meantime/],
  ]
  for (const [wrong, message] of cases) {
    const { status, html } = await desk.submit(newPerson, { ...fields, ...wrong }, /^records/)
    assert.equal(status, 422, JSON.stringify(wrong))
    assert.match(html, message)
  }
  assert.equal((await read('/employees.php?q=broken&total=true')).page.total, 0)
})

test('searching the stock keeps what has been typed and ticked', async () => {
  const ids = await Promise.all(
    ['Red phone', 'Blue phone'].map((name) => create('/hardware.php', { employee_id: stock, name, status: 'spare' })),
  )
  const fields = { name: 'Typed', ids: String(ids[0]), 'find.stock': 'blue', find: 'stock' }
  const { html } = await desk.submit(newPerson, fields, /^records/)
  const form = formsIn(html).find(({ action }) => /^records/.test(action))!
  assert.deepEqual(
    ['name', 'ids', 'find.stock'].map((name) =>
      form.fields.filter(([each]) => each === name).map(([, value]) => value),
    ),
    [['Typed'], [String(ids[0])], ['blue']],
  )
  assert.match(textIn(html), /Red phone .*Blue phone/)
  assert.doesNotMatch(html, /There is more in stock/)
  const operations = Array.from({ length: 30 }, (_, index) => ({
    method: 'POST',
    resource: 'hardware',
    body: { employee_id: stock, name: `Many ${index}`, status: 'spare' },
  }))
  const { change_set } = (await client('POST', '/bulk.php', { operations })).body
  assert.match((await desk.get(newPerson)).html, /There is more in stock/)
  await client('POST', '/undo.php', { change_set })
})

test('deactivating someone who holds equipment leads to offboarding, and saves the other changes', async () => {
  const id = await person('leaver', 1)
  const path = `records.php?resource=employees&id=${id}&edit=1`
  const redirect = await desk.submit(path, { is_active: '0', department: 'Sales' }, /^records/)
  assert.match(redirect.location!, /^offboard\.php\?person=\d+$/)
  const { is_active, department } = await read(`/employees.php?id=${id}`)
  assert.deepEqual([is_active, department], [true, 'Sales'])
  assert.match(textIn((await desk.get(redirect.location!)).html), /leaver still holds equipment/)

  const ended = await desk.submit(path, { end_date: '2020-01-31' }, /^records/)
  assert.match(ended.location!, /end_date=2020-01-31/)
  assert.equal(
    (await read(`/changes.php?resource=employees&id=${id}`)).data.length,
    2,
    'the form without other changes adds no history row',
  )
  assert.match((await desk.get(ended.location!)).html, /value="2020-01-31"/)
  assert.equal((await desk.submit(ended.location!, {}, /^offboard/)).status, 303)
  assert.deepEqual(await heldBy(id), [])
  assert.equal((await read(`/employees.php?id=${id}`)).is_active, false)
})

test('a person without equipment is deactivated directly, and a last day in the future is saved directly', async () => {
  const [empty, later] = [await person('empty'), await person('later', 1)]
  const edit = (id: number) => `records.php?resource=employees&id=${id}&edit=1`
  assert.match((await desk.submit(edit(empty), { is_active: '0' }, /^records/)).location!, /^records/)
  assert.match((await desk.submit(edit(later), { end_date: '2999-01-31' }, /^records/)).location!, /^records/)
  assert.equal((await read(`/employees.php?id=${empty}`)).is_active, false)
  assert.equal((await read(`/employees.php?id=${later}`)).end_date, '2999-01-31')
})

test('the form for a new asset suggests the next free tag; if another asset takes that tag first, the form suggests a new one', async () => {
  const path = 'records.php?resource=hardware&new=1'
  const tagIn = (html: string) => formsIn(html).flatMap(({ fields }) => fields.filter(([name]) => name === 'asset_tag'))
  const [first, second] = [await desk.get(path), await desk.get(path)]
  assert.deepEqual(tagIn(first.html), [['asset_tag', 'ND-100']])
  const send = (html: string) => {
    const { action, fields } = formsIn(html).find(({ action }) => /^records/.test(action))!
    const sent = new URLSearchParams(fields)
    sent.set('employee_id', String(stock))
    return desk.post(action, sent)
  }
  assert.equal((await send(first.html)).status, 303)
  const refused = await send(second.html)
  assert.deepEqual([refused.status, tagIn(refused.html)], [422, [['asset_tag', 'ND-101']]])
  assert.match(textIn(refused.html), /ND-100 has been taken/)
  assert.equal((await send(refused.html)).status, 303)
})

test('“Add another like this” starts with the asset’s values and a new tag', async () => {
  const id = await create('/hardware.php', {
    employee_id: stock,
    name: 'Batch',
    type: 'monitor',
    model: 'U27',
    purchase_cost: 129990,
    status: 'spare',
    asset_tag: 'ONE-1',
    serial_number: 'S-9',
  })
  const { html } = await desk.get(`records.php?resource=hardware&id=${id}`)
  const link = decodeHtml(/href="([^"]*)"[^>]*>(?:<span[^>]*><\/span>)?Add another like this/.exec(html)![1]!)
  const { fields } = formsIn((await desk.get(link)).html).find(({ action }) => /^records/.test(action))!
  const shown = ['name', 'type', 'model', 'purchase_cost', 'status', 'stock_customer_id', 'asset_tag', 'serial_number']
  assert.deepEqual(
    shown.map((name) => fields.findLast(([each]) => each === name)?.[1]),
    ['Batch', 'monitor', 'U27', '1299.90', 'spare', `place-${stock}`, 'ND-102', ''],
  )
})

test('suggested tags continue after the tags in use, even with more digits than the format; without a format, no tag is suggested', async () => {
  const operations = Array.from({ length: 899 }, (_, index) => ({
    method: 'POST',
    resource: 'hardware',
    body: { employee_id: stock, asset_tag: `ND-${String(index + 102)}` },
  }))
  assert.equal((await client('POST', '/bulk.php', { operations })).body.failed, 0)
  const tag = async () =>
    /name="asset_tag"[^>]*value="([^"]*)"/.exec((await desk.get('records.php?resource=hardware&new=1')).html)![1]
  assert.equal(await tag(), 'ND-1001')
  await client('PUT', '/settings.php', { tag_format: null })
  assert.equal(await tag(), '')
})

test('a form can have up to 50 rows for new assets, and adding a row keeps what has already been entered', async () => {
  await client('PUT', '/settings.php', { tag_format: 'R-{00}', next_tag_number: 1 })
  const name = 'rows@example.com'
  const fields = {
    customer_id: String(berlin),
    email: name,
    'new.0.model': 'A',
    'new.2.type': 'tablet',
    more_rows: '1',
  }
  const first = await desk.submit(newPerson, fields, /^records/)
  assert.match(first.html, /name="new\.3\.model"[^>]* autofocus/)
  let form = formsIn(first.html).find(({ action }) => /^records/.test(action))!
  const second = await desk.post(form.action, new URLSearchParams([...form.fields, ['more_rows', '1']]))
  form = formsIn(second.html).find(({ action }) => /^records/.test(action))!
  const shown = Object.fromEntries(form.fields)
  assert.deepEqual(
    ['email', 'new.0.model', 'new.3.type', 'new.4.type', 'new.4.asset_tag'].map((each) => shown[each]),
    [name, 'A', 'tablet', 'tablet', 'R-05'],
  )
  const saved = new URLSearchParams({ ...shown, 'new.3.model': 'D', 'new.4.model': 'E' })
  assert.equal((await desk.post(form.action, saved)).status, 303)
  const { id } = (await read('/employees.php?q=rows')).data[0]
  assert.deepEqual(
    (await heldBy(id)).map(({ type, model, asset_tag }) => [type, model, asset_tag]),
    [
      ['laptop', 'A', 'R-01'],
      ['tablet', 'D', 'R-04'],
      ['tablet', 'E', 'R-05'],
    ],
  )
  const maximum = await desk.post(form.action, new URLSearchParams({ ...shown, rows: '999', more_rows: '1' }))
  assert.deepEqual([/new\.49\./.test(maximum.html), /new\.50\.|more_rows/.test(maximum.html)], [true, false])
})
