// Fields that choose a record, in a browser without scripts. The tests with scripts are in test/browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type PageResponse, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
const other = networkClient(apiUrl, await makeTenant(environment, 'south'))
await createPanelUser(environment, 'manager@example.com', 'north')
const manager = await signIn(new URL(apiUrl).origin, 'manager@example.com')
await client('POST', '/customers.php', { name: 'Şişli' })
const people = ['Jonas Weber', 'Zeynep Kaya', 'Jonas Weberling', 'Ada Lovelace', 'Ada Lovelace']
for (const [index, name] of people.entries())
  await client('POST', '/employees.php', { customer_id: 1, name, email: `${index}@example.com` })
await client('POST', '/employees.php', { customer_id: 1, name: 'Şişli', email: 'stock@example.com', kind: 'storage' })
await other('POST', '/customers.php', { name: 'Hidden' })

const page = 'records.php?resource=hardware&new=1'
const choose = (typed: string, fields: Record<string, string> = {}) =>
  manager.submit(page, { where: 'person', 'find.employee_id': typed, serial_number: 'S', ...fields }, /new=1/)
const holderOf = async ({ location }: PageResponse) =>
  (await client('GET', `/hardware.php?id=${/id=(\d+)/.exec(location ?? '')?.[1]}`)).body.employee_id
/** Returns the titles of the records that the page offers. */
const offered = ({ html }: PageResponse) =>
  [...html.matchAll(/data-title="([^"]*)"/g)].map(([, title]) => decodeHtml(title!)).toSorted()

test('typed text that matches exactly one record chooses that record', async () => {
  assert.equal(await holderOf(await choose('zeynep')), 2)
  assert.equal(await holderOf(await choose('  JONAS WEBER ')), 1)
  assert.equal((await choose('sisli stock')).status, 422, 'a storage location is not a person')
})

test('typed text that matches several records or none does not choose a record; the form explains why and keeps all input', async () => {
  for (const [typed, message, titles] of [
    ['jonas', 'Several people match', ['Jonas Weber', 'Jonas Weberling']],
    ['ada lovelace', 'Several people match', ['Ada Lovelace', 'Ada Lovelace']],
    ['nobody', 'No person matches', []],
  ] as const) {
    const response = await choose(typed)
    assert.equal(response.status, 422, typed)
    assert.match(response.html, new RegExp(message))
    assert.deepEqual(offered(response), titles)
    const fields = Object.fromEntries(formsIn(response.html).find(({ action }) => /new=1/.test(action))!.fields)
    assert.deepEqual([fields['find.employee_id'], fields.serial_number, fields.employee_id], [typed, 'S', undefined])
  }
  const empty = await choose('')
  assert.equal(empty.status, 422)
  assert.match(empty.html, /id="employee_id-error"/)
})

test('the search button shows the results, and one of the results can then be submitted', async () => {
  const searched = await choose('jonas', { find: 'employee_id' })
  assert.equal(searched.status, 200)
  assert.deepEqual(offered(searched), ['Jonas Weber', 'Jonas Weberling'])
  const { action, fields } = formsIn(searched.html).find((form) => /new=1/.test(form.action))!
  const response = await manager.post(action, new URLSearchParams([...fields, ['employee_id', '3']]))
  assert.equal(await holderOf(response), 3)
})

test('a name typed after choosing a record replaces the choice', async () => {
  assert.equal(await holderOf(await choose('Zeynep', { employee_id: '1', 'was.employee_id': 'Jonas Weber' })), 2)
  const edited = await manager.submit('records.php?resource=hardware&id=1&edit=1', { 'find.employee_id': 'ad' }, /id=1/)
  assert.deepEqual([edited.status, offered(edited)], [422, ['Ada Lovelace', 'Ada Lovelace']])
  await manager.submit('records.php?resource=hardware&id=1&edit=1', { serial_number: 'T' }, /id=1/)
  const { body } = await client('GET', '/hardware.php?id=1')
  assert.deepEqual([body.employee_id, body.serial_number], [2, 'T'])
})

test('the options loaded by scripts are limited to the tenant and the filter, and come with an announcement for screen readers', async () => {
  const options = (query: string) => manager.get(`search.php?${query}`)
  const found = await options('for=employees&q=jonas')
  assert.deepEqual(offered(found), ['Jonas Weber', 'Jonas Weberling'])
  assert.match(found.html, /class="announcement">2 people</)
  assert.deepEqual(offered(await options('for=employees&kind=storage&q=')), ['Şişli'])
  assert.deepEqual(offered(await options('for=employees&kind=person&q=stock')), [])
  assert.equal(
    offered(await options('for=employees&kind=person&q=sisli')).length,
    5,
    'people are found by the name of their branch',
  )
  const nothing = await options('for=customers&q=hidden')
  assert.deepEqual([offered(nothing), /No matches/.test(nothing.html)], [[], true])
  assert.equal((await options('for=settings&q=')).status, 404)
  assert.equal((await options('for=employees&tenant=south&q=')).status, 404)
})
