// Deleting records in the panel: what prevents a deletion, and what a deleted record's page shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService({}, { now: () => new Date('2026-07-01T08:00:00.000Z') })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await createPanelUser(environment, 'viewer@example.com', 'north', 'viewer')
const manager = await signIn(origin, 'manager@example.com')
await client('POST', '/customers.php', { name: 'Berlin' })
await client('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', name: 'Ada <b>' })

const person = 'records.php?resource=employees&id=1'
const deletionForms = (html: string) => formsIn(html).filter(({ action }) => action.includes('delete=1'))

test('if other records refer to a record, its deletion page links to them and has no delete button', async () => {
  for (let index = 1; index <= 12; index++)
    await client('POST', '/hardware.php', { employee_id: 1, name: `Laptop ${index}` })
  const { status, html } = await manager.get(`${person}&delete=1`)
  assert.deepEqual([status, deletionForms(html)], [200, []])
  assert.match(html, /Ada &#60;b&#62; can’t be deleted yet/)
  assert.match(html, /<h2>12 assets<\/h2>/)
  assert.equal(decodeHtml(html).match(/href="records\.php\?resource=hardware&id=\d+"/g)?.length, 10)
  assert.ok(decodeHtml(html).includes('href="records.php?resource=hardware&employee_id=1"'))
})

test('a record is not deleted if a reference was added after the page was opened; the page then lists the references', async () => {
  await client('POST', '/customers.php', { name: 'Hamburg' })
  const page = 'records.php?resource=customers&id=2'
  const [form] = deletionForms((await manager.get(`${page}&delete=1`)).html)
  await client('POST', '/employees.php', { customer_id: 2, email: 'late@example.com' })
  const refused = await manager.post(`${page}&delete=1`, new URLSearchParams(form!.fields))
  assert.deepEqual([refused.status, deletionForms(refused.html)], [409, []])
  assert.match(refused.html, /<h2>1 person<\/h2>.*late@example\.com/s)
})

test('storage locations are not counted as people', async () => {
  await client('POST', '/customers.php', { name: 'Köln' })
  await client('POST', '/employees.php', { customer_id: 3, email: 'eva@example.com', name: 'Eva' })
  for (const name of ['Shelf', 'Room']) {
    const email = `${name.toLowerCase()}@example.com`
    await client('POST', '/employees.php', { customer_id: 3, email, name, kind: 'storage' })
  }
  const { html } = await manager.get('records.php?resource=customers&id=3&delete=1')
  assert.match(html, /<h2>1 person<\/h2>.*Eva.*<h2>2 storage locations<\/h2>.*Room/s)
})

test('a record that was changed since the page was opened is deleted only after confirmation', async () => {
  const page = 'records.php?resource=hardware&id=1'
  const [form] = deletionForms((await manager.get(`${page}&delete=1`)).html)
  await client('PUT', '/hardware.php?id=1', { name: 'Changed' })
  const refused = await manager.post(`${page}&delete=1`, new URLSearchParams(form!.fields))
  assert.equal(refused.status, 409)
  assert.match(refused.html, /Someone else has just changed this record/)
  const [confirmation] = deletionForms(refused.html)
  assert.equal((await manager.post(`${page}&delete=1`, new URLSearchParams(confirmation!.fields))).status, 303)
  assert.equal((await client('GET', '/hardware.php?id=1')).status, 404)
})

test('a deleted record’s page shows its values, who deleted it, and a button to restore it', async () => {
  const page = 'records.php?resource=hardware&id=1'
  const { status, html } = await manager.get(page)
  assert.equal(status, 404)
  assert.match(html, /<h1>Changed<\/h1>/)
  assert.match(html, /Deleted on 1 Jul 2026, 08:00 UTC by manager@example\.com\./)
  assert.match(html, /Ada &#60;b&#62;/)
  const undo = /href="(activity\.php\?change_set=[^"]+)"[^>]*>Restore/.exec(decodeHtml(html))![1]!
  assert.equal((await manager.submit(undo, {}, /^activity/)).status, 303)
  assert.equal((await manager.get(page)).status, 200)
})

test('viewers see a deleted record without a button to restore it; an id that never existed leads to “Page not found”', async () => {
  await client('DELETE', '/hardware.php?id=2')
  const viewer = await signIn(origin, 'viewer@example.com')
  const { status, html } = await viewer.get('records.php?resource=hardware&id=2')
  assert.equal(status, 404)
  assert.match(html, /Deleted on .* by an API key/)
  assert.doesNotMatch(html, /Restore/)
  assert.match((await manager.get('records.php?resource=hardware&id=99')).html, /Page not found/)
})
