// The hand-over and return forms that people sign, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type PageResponse, signIn } from '../../support/panel/panel-client.ts'
import { command, type Json, makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'viewer@example.com', 'acme', 'viewer')
const manager = await signIn(origin, 'manager@example.com')

/** Returns the text of each sheet on a page. */
const sheetsOf = ({ html }: PageResponse) =>
  [...html.matchAll(/<article class="paper".*?<\/article>/gs)].map(([sheet]) =>
    decodeHtml(sheet.replaceAll('<wbr>', '').replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' '),
  )

async function send(method: string, path: string, body: object): Promise<Json> {
  const { status, body: responseBody, text, headers } = await acme(method, path, body)
  assert.ok(status < 300, text)
  return { ...responseBody, set: headers['change-set'] }
}

const branch = (await send('POST', '/customers.php', { name: 'Berlin' })).id
const createPerson = async (name: string, fields = {}): Promise<number> =>
  (await send('POST', '/employees.php', { name, customer_id: branch, email: `${name}@a.test`, ...fields })).id
const stock = await createPerson('Stock', { kind: 'storage' })
const createItem = async (employee_id: number, fields = {}): Promise<Json> =>
  send('POST', '/hardware.php', { employee_id, type: 'laptop', purchase_cost: 149900, ...fields })

/** Returns the sequence number of the newest change. */
const latestSeq = async (): Promise<number> => (await acme('GET', '/changes.php?limit=1')).body.page.latest

test('a form shows both parties and every item, but no costs; its number is that of the newest change in its change set', async () => {
  const ada = await createPerson('Ada', { employee_no: 'P-7', title: 'Engineer' })
  const operations = ['A-1', 'A-2'].map((asset_tag) => ({
    method: 'POST',
    resource: 'hardware',
    body: { employee_id: ada, type: 'laptop', asset_tag, manufacturer: 'Dell', model: 'XPS', purchase_cost: 1 },
  }))
  const { change_set: set } = await send('POST', '/bulk.php', { operations })
  const number = await latestSeq()
  const [sheet, ...others] = sheetsOf(await manager.get(`hand_over.php?change_set=${set}`))
  assert.equal(others.length, 0)
  assert.match(sheet!, new RegExp(`Form no\\. HO-${number} Date .* Equipment hand-over form`))
  assert.match(sheet!, /Issued by acme Issued to Ada Employee no\.: P-7 Job title: Engineer Branch: Berlin/)
  assert.match(sheet!, /1 A-1 Laptop Dell XPS – 1 2 A-2 Laptop Dell XPS – 1 HO-\d+ · Ada Condition: New · Good/)
  assert.match(sheet!, new RegExp(`HO-${number} · Ada .* HO-${number} $`), 'the number is also on the following pages')
  assert.doesNotMatch(sheet!, /0\.01|cost/i)
  const german = sheetsOf(await manager.get(`hand_over.php?change_set=${set}&lang=de`))[0]!
  assert.match(german, new RegExp(`Formular-Nr\\. ÜP-${number} Datum \\d+\\. \\S+ \\d{4} Übergabeprotokoll`))
  const turkish = sheetsOf(await manager.get(`hand_over.php?change_set=${set}&lang=tr`))[0]!
  assert.match(turkish, new RegExp(`Tutanak no ZT-${number} Tarih \\d\\d\\.\\d\\d\\.\\d{4} ZİMMET TESLİM TUTANAĞI`))
})

test('a transfer produces a return form and a hand-over form; loan forms show the due date, and return forms show where the item goes', async () => {
  const [from, to] = [await createPerson('From'), await createPerson('To')]
  const { id } = await createItem(from)
  const moved = (await send('PUT', `/hardware.php?id=${id}`, { employee_id: to })).set
  const both = sheetsOf(await manager.get(`hand_over.php?change_set=${moved}`))
  assert.deepEqual(
    both.map((sheet) => /(Equipment [\w-]+ form) (?:Issued|Returned) by (\w+)/.exec(sheet)!.slice(1)),
    [
      ['Equipment return form', 'From'],
      ['Equipment hand-over form', 'acme'],
    ],
  )
  assert.equal(sheetsOf(await manager.get(`hand_over.php?change_set=${moved}&person=${to}`)).length, 1)

  const lent = (await send('PUT', `/hardware.php?id=${id}`, { due_back: '2027-02-03' })).set
  const [loan] = sheetsOf(await manager.get(`hand_over.php?change_set=${lent}`))
  assert.match(loan!, /LN-\d+ .*Due back: 3 February 2027 Purpose: .*is due back on 3 February 2027\./)

  const back = (await send('PUT', `/hardware.php?id=${id}`, { employee_id: stock, status: 'spare' })).set
  const [returned] = sheetsOf(await manager.get(`hand_over.php?change_set=${back}`))
  assert.match(returned!, /Returned by To .*Received by acme Stock Stock .*Condition on return Missing\/damaged/)
  const { location } = await manager.get(`hand_over.php?item=${id}`)
  assert.equal(location, `hand_over.php?change_set=${back}&person=${to}`)
})

test('the history records the first printing with the form’s number, and each later printing as a copy', async () => {
  const person = await createPerson('Printed')
  const { set } = await createItem(person)
  const number = await latestSeq()
  const page = `hand_over.php?change_set=${set}`
  const before = (await acme('GET', '/changes.php?resource=hand_over_forms&limit=200')).body.data.length
  const printed = await manager.submit(page, {}, /^hand_over/)
  assert.equal(printed.location, `${page}&print=1`)
  assert.match((await manager.get(printed.location!)).html, /data-print/)
  await manager.submit(page, {}, /^hand_over/)
  const { data } = (await acme('GET', '/changes.php?resource=hand_over_forms&limit=200')).body
  const [first, second] = data.slice(before)
  assert.deepEqual(
    [first.action, first.after, typeof first.user_id],
    ['create', { kind: 'hand_over', number, items: 1, employee_id: person, change_set: set, copies: 1 }, 'string'],
  )
  assert.deepEqual([second.id, second.action, second.after], [first.id, 'update', { copies: 2 }])
  assert.equal(data.length, before + 2)
  const activity = decodeHtml((await manager.get('./')).html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ')
  assert.match(activity, new RegExp(`Printed hand-over form HO-${number} for Printed`))
})

test('a form that has changed since the user opened it is shown again before it is printed', async () => {
  const person = await createPerson('Changing')
  await createItem(person)
  const page = `hand_over.php?person=${person}`
  const { action, fields } = formsIn((await manager.get(page)).html).find((form) => /^hand_over/.test(form.action))!
  await createItem(person)
  const number = await latestSeq()
  const late = await manager.post(action, new URLSearchParams(fields))
  assert.deepEqual([late.location, await latestSeq()], [page, number])
  const shown = await manager.get(page)
  assert.match(shown.html, /in the meantime/)
  assert.doesNotMatch(shown.html, /data-print/)
  assert.equal((await manager.submit(page, {}, /^hand_over/)).location, `${page}&print=1`)
  assert.equal(await latestSeq(), number + 1)
})

test('a person’s equipment is printed as a statement, or as one form to sign', async () => {
  const person = await createPerson('Holder')
  assert.match((await manager.get(`hand_over.php?person=${person}`)).html, /holds no equipment/)
  await createItem(person, { name: 'First' })
  await createItem(person, { name: 'Second' })
  const number = await latestSeq()
  const [statement] = sheetsOf(await manager.get(`hand_over.php?person=${person}`))
  assert.match(statement!, new RegExp(`ES-${number}-2 As of .*Assigned to Holder .*Laptop: First .*Laptop: Second`))
  assert.doesNotMatch(statement!, /Received by|Two copies/)
  const [form] = sheetsOf(await manager.get(`hand_over.php?person=${person}&kind=hand_over`))
  assert.match(form!, new RegExp(`HO-${number}-2 .*Issued by manager@example\\.com , acme Issued to Holder`))
})

test('the number of a statement stays the same until the equipment changes', async () => {
  const person = await createPerson('Returning')
  const [first] = [await createItem(person), await createItem(person)]
  const page = `hand_over.php?person=${person}`
  const numberNow = async () => /ES-\S+/.exec(sheetsOf(await manager.get(page))[0]!)![0]
  const print = async () => {
    await manager.submit(page, {}, /^hand_over/)
    const { data } = (await acme('GET', '/changes.php?resource=hand_over_forms&order=desc&limit=1')).body
    return [data[0].action, data[0].after.copies]
  }
  const both = await numberNow()
  assert.deepEqual([await print(), await numberNow(), await print()], [['create', 1], both, ['update', 2]])
  await send('PUT', `/hardware.php?id=${first.id}`, { employee_id: stock })
  const one = await numberNow()
  assert.notEqual(one, both)
  assert.deepEqual([await print(), await numberNow()], [['create', 1], one])
  assert.match(decodeHtml((await manager.get('activity.php')).html), new RegExp(one))
})

test('the form for a change set and the form for all of a person’s equipment are recorded separately, even if they have the same number', async () => {
  const person = await createPerson('Twice')
  const { set } = await createItem(person)
  for (const page of [`hand_over.php?change_set=${set}`, `hand_over.php?person=${person}&kind=hand_over`])
    await manager.submit(page, {}, /^hand_over/)
  const { data } = (await acme('GET', '/changes.php?resource=hand_over_forms&order=desc&limit=2')).body
  assert.deepEqual(
    data.map(({ action, after }: Json) => [action, after.change_set ?? null, after.copies]),
    [
      ['create', null, 1],
      ['create', set, 1],
    ],
  )
})

test('forms show the company’s text and the cost of each asset if the settings say so', async () => {
  const { set } = await createItem(await createPerson('Priced'), { purchase_cost: 149950 })
  const page = `hand_over.php?change_set=${set}`
  const text = 'Private use is allowed.\r\nİzmir & <b>'
  const form = { form_text: text, form_shows_cost: ['0', '1'], currency: 'TRY' }
  assert.equal((await manager.submit('tenant_settings.php', form)).status, 303)
  assert.equal((await acme('GET', '/settings.php')).body.form_text, text.replace('\r', ''))
  const [sheet] = sheetsOf(await manager.get(`${page}&lang=tr`))
  assert.match(sheet!, /Adet Bedeli Durumu .* 1 ₺1\.499,50 /)
  assert.match(sheet!, /iade edilir\. Private use is allowed\. İzmir & <b> Teslim eden/)
  const tooLong = await manager.submit('tenant_settings.php', { form_text: 'x'.repeat(2001) })
  assert.equal(tooLong.status, 422)
  await manager.submit('tenant_settings.php', { form_text: '', form_shows_cost: '0' })
  assert.doesNotMatch(sheetsOf(await manager.get(page))[0]!, /Private use|Cost|1,499/)
})

test('an erased person is also erased from forms that are printed again', async () => {
  const person = await createPerson('Forgotten', { title: 'Secret title' })
  const { set } = await createItem(person)
  await manager.submit(`hand_over.php?change_set=${set}`, {}, /^hand_over/)
  const erased = await command(environment, 'erase-person', String(person), '--tenant', 'acme', '--yes')
  assert.equal(erased.exitCode, 0, erased.stderr)
  const [sheet] = sheetsOf(await manager.get(`hand_over.php?change_set=${set}`))
  assert.match(sheet!, /\[erased\]/)
  assert.doesNotMatch(sheet!, /Forgotten|Secret/)
})

test('viewers can see forms but cannot record that one was printed; requests for records that do not exist or belong to another tenant are refused', async () => {
  const { set, id } = await createItem(await createPerson('Seen'))
  const viewer = await signIn(origin, 'viewer@example.com')
  const page = await viewer.get(`hand_over.php?change_set=${set}`)
  assert.equal(sheetsOf(page).length, 1)
  assert.doesNotMatch(page.html, /<form[^>]*action="hand_over/)
  const deleted = (await send('DELETE', `/hardware.php?id=${id}`, {})).set
  assert.match((await manager.get(`hand_over.php?change_set=${deleted}`)).html, /Nobody received or returned/)
  for (const [path, status] of [
    ['hand_over.php?change_set=x', 400],
    ['hand_over.php?person=999', 404],
    [`hand_over.php?person=${stock}`, 404],
    ['hand_over.php?item=x', 404],
    [`hand_over.php?change_set=${set}&tenant=other`, 404],
  ] as const)
    assert.equal((await manager.get(path)).status, status, path)
})
