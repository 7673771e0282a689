// Forms submitted after their session has expired are filled in again, but not submitted, once the user signs in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type Person, password, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const clock = { now: new Date('2026-07-01T08:00:00.000Z') }
const { environment, listen } = await startService({}, { now: () => clock.now })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await client('POST', '/customers.php', { name: 'Berlin' })

const page = 'records.php?resource=customers&id=1&edit=1'
const recordForm = (html: string) =>
  new URLSearchParams(formsIn(html).find(({ action }) => action.startsWith('records'))!.fields)
const nameOf = async () => (await client('GET', '/customers.php?id=1')).body.name

/** Opens the form, enters values, and submits it after the session has expired. */
async function submitTooLate(person: Person, values: Record<string, string>) {
  const sent = recordForm((await person.get(page)).html)
  for (const [name, value] of Object.entries(values)) sent.set(name, value)
  clock.now = new Date(clock.now.getTime() + 31 * 60_000)
  return { sent, response: await person.post(page, sent) }
}

test('signing in fills in a form from an expired session only once; the form is saved only when it is submitted', async () => {
  const person = await signIn(origin, 'manager@example.com')
  const { response } = await submitTooLate(person, { name: 'Hamburg', notes: 'بغداد\nzwei' })
  assert.deepEqual([response.status, response.location], [303, `login.php?next=${encodeURIComponent(page)}`])
  const { html } = await person.get(response.location!)
  assert.match(html, /Your session has ended/)
  const back = await person.submit(response.location!, { email: 'manager@example.com', password })
  assert.equal(back.location, page)
  assert.equal(await nameOf(), 'Berlin')
  const filled = (await person.get(back.location!)).html
  assert.match(filled, /before signing in/)
  const form = recordForm(filled)
  assert.deepEqual([form.get('name'), form.get('notes')], ['Hamburg', 'بغداد\nzwei'])
  assert.equal((await person.post(page, form)).status, 303)
  assert.equal(await nameOf(), 'Hamburg')
  assert.doesNotMatch((await person.get(page)).html, /before signing in/)
})

test('a kept form is refused if the record has changed since the form was opened', async () => {
  const person = await signIn(origin, 'manager@example.com')
  await submitTooLate(person, { name: 'Old' })
  await client('PUT', '/customers.php?id=1', { name: 'New' })
  await person.submit(`login.php?next=${encodeURIComponent(page)}`, { email: 'manager@example.com', password })
  assert.equal((await person.post(page, recordForm((await person.get(page)).html))).status, 412)
  assert.equal(await nameOf(), 'New')
})

test('the form that saves a view is kept, and is already open after signing in', async () => {
  const person = await signIn(origin, 'manager@example.com')
  const list = 'records.php?resource=customers&sort=name'
  const formOf = (html: string) => formsIn(html).find(({ action }) => action.includes('save_view'))!
  const { action, fields } = formOf((await person.get(list)).html)
  clock.now = new Date(clock.now.getTime() + 31 * 60_000)
  const sent = new URLSearchParams([...fields])
  sent.set('name', 'Branches by name')
  sent.set('is_shared', '1')
  const { location } = await person.post(action, sent)
  const back = await person.submit(location!, { email: 'manager@example.com', password })
  const { html } = await person.get(back.location!)
  assert.match(
    html,
    /<details class="menu end panel" open>.*?before signing in.*?value="Branches by name".*?value="1" checked/s,
  )
  assert.doesNotMatch((await person.get(list)).html, /Branches by name/)
  assert.deepEqual((await client('GET', '/views.php?resource=customers')).body.data, [])
})

test('the tenant settings form is kept and filled in again after signing in', async () => {
  const person = await signIn(origin, 'manager@example.com')
  const settings = 'tenant_settings.php'
  const formOf = (html: string) => new URLSearchParams(formsIn(html).find(({ action }) => action === settings)!.fields)
  const sent = formOf((await person.get(settings)).html)
  sent.set('currency', 'TRY')
  clock.now = new Date(clock.now.getTime() + 31 * 60_000)
  const { location } = await person.post(settings, sent)
  await person.submit(location!, { email: 'manager@example.com', password })
  const filled = (await person.get(settings)).html
  assert.match(filled, /before signing in/)
  assert.equal(formOf(filled).get('currency'), 'TRY')
  assert.equal((await person.post(settings, formOf(filled))).status, 303)
  assert.equal((await client('GET', '/settings.php')).body.currency, 'TRY')
})

test('a form from another session is refused, with a link to the filled-in form', async () => {
  const person = await signIn(origin, 'manager@example.com')
  const sent = recordForm((await person.get(page)).html)
  sent.set('name', 'Kept')
  sent.set(
    'form_token',
    recordForm((await (await signIn(origin, 'manager@example.com')).get(page)).html).get('form_token')!,
  )
  const refused = await person.post(page, sent)
  assert.equal(refused.status, 403)
  assert.ok(decodeHtml(refused.html).includes(`href="${page}"`))
  assert.equal(recordForm((await person.get(page)).html).get('name'), 'Kept')
})

test('forms that are too large, lack a token, or come from other sites or pages are not kept; signing out deletes kept forms', async () => {
  const person = await signIn(origin, 'manager@example.com')
  const { sent } = await submitTooLate(person, {})
  person.cookies.delete('tenantdesk-kept')
  const random = Array.from({ length: 8000 }, () => Math.random().toString(36)[2]).join('')
  const attempts: [string, URLSearchParams, Record<string, string>][] = [
    [page, sent, { 'sec-fetch-site': 'cross-site' }],
    [page, new URLSearchParams([...sent, ['notes', random]]), {}],
    ['profile.php', sent, {}],
    [page, new URLSearchParams({ name: 'without a token' }), {}],
  ]
  for (const [path, form, headers] of attempts) {
    assert.equal((await person.post(path, form, headers)).status, 403, path)
    assert.equal(person.cookies.get('tenantdesk-kept'), undefined, path)
  }
  assert.equal((await person.post(page, sent)).status, 303)
  assert.ok(person.cookies.get('tenantdesk-kept'))
  const second = await signIn(origin, 'manager@example.com')
  second.cookies.set('tenantdesk-kept', person.cookies.get('tenantdesk-kept')!)
  await second.submit('profile.php', {}, /logout/)
  assert.equal(second.cookies.get('tenantdesk-kept'), undefined)
})

function replaceCharacter(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)
}

test('a cookie that is forged, modified or more than an hour old does not fill in any form', async () => {
  const person = await signIn(origin, 'manager@example.com')
  await submitTooLate(person, { name: 'Late' })
  const kept = person.cookies.get('tenantdesk-kept')!
  const later = await signIn(origin, 'manager@example.com')
  const middle = Math.floor(kept.length / 2)
  for (const forged of ['x', replaceCharacter(kept, 0), replaceCharacter(kept, middle)]) {
    later.cookies.set('tenantdesk-kept', forged)
    assert.notEqual(recordForm((await later.get(page)).html).get('name'), 'Late')
  }
  clock.now = new Date(clock.now.getTime() + 25 * 60_000)
  later.cookies.set('tenantdesk-kept', kept)
  await later.get('profile.php')
  clock.now = new Date(clock.now.getTime() + 29 * 60_000)
  await later.get('profile.php')
  clock.now = new Date(clock.now.getTime() + 10 * 60_000)
  assert.notEqual(recordForm((await later.get(page)).html).get('name'), 'Late')
})
