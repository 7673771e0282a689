// A change set's page, in a browser without scripts. It shows what an undo would do, and can undo the change set.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, type Person, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
const south = networkClient(apiUrl, await makeTenant(environment, 'south'))
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'north@example.com', 'north')
const [root, manager] = [await signIn(origin, 'root@example.com'), await signIn(origin, 'north@example.com')]

const pageOf = (set: string) => `activity.php?change_set=${set}`
const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))

/** Changes something through the API. Returns the change set's id. */
async function change(method: string, path: string, body?: object): Promise<string> {
  const { headers, text } = await client(method, path, body)
  assert.ok(headers['change-set'], text)
  return headers['change-set']
}

/** Submits the form that undoes a change set. */
async function undo(person: Person, page: string) {
  return person.submit(page, {}, /change_set/)
}

test('the activity page and a record’s history link to a change set’s page, where the change set can be undone', async () => {
  const set = await change('POST', '/customers.php', { name: 'Made' })
  await change('PUT', '/customers.php?id=1', { city: 'Kiel' })
  await manager.submit('records.php?resource=customers&id=1&edit=1', { city: 'Jena' })
  for (const path of ['activity.php', 'records.php?resource=customers&id=1', './']) {
    const { html } = await manager.get(path)
    assert.match(decodeHtml(html), new RegExp(`href="activity.php\\?change_set=${set}"`), path)
  }
  const [latest] = (await client('GET', '/changes.php?order=desc&limit=1')).body.data
  const shown = textIn((await manager.get(pageOf(latest.change_set))).html)
  assert.match(shown, /1 record will be as it was before\./)
  assert.match(shown, /Changes changed branch Made by north@example\.com, .* City was Kiel now Jena/)
  const done = await undo(manager, pageOf(latest.change_set))
  assert.equal(done.status, 303)
  assert.match(done.location!, /^activity\.php\?change_set=[0-9a-f-]{36}$/)
  assert.equal((await client('GET', '/customers.php?id=1')).body.city, 'Kiel')
  const undone = textIn((await manager.get(done.location!)).html)
  assert.match(undone, /1 branch restored\..*What was restored restored: branch Made .* City was Jena now Kiel/)
  const [entry] = (await client('GET', '/changes.php?order=desc&limit=1')).body.data
  assert.deepEqual([entry.after, typeof entry.user_id], [{ city: 'Kiel' }, 'string'])
})

test('the page of a deletion says what was deleted, and the page of its undo what was created again', async () => {
  const { id } = (await client('POST', '/customers.php', { name: 'Gone & <b>' })).body
  const deletion = await change('DELETE', `/customers.php?id=${id}`)
  assert.match(textIn((await manager.get(pageOf(deletion))).html), /Changes deleted branch Gone & <b> by/)
  const { location } = await undo(manager, pageOf(deletion))
  assert.equal((await client('GET', `/customers.php?id=${id}`)).status, 200)
  assert.match(textIn((await manager.get(location!)).html), /created again: branch Gone & <b>/)
})

test('undoing the creation of a record says that it was removed, and redoing it that it was restored', async () => {
  const created = await change('POST', '/customers.php', { name: 'By mistake' })
  const { location: undone } = await undo(manager, pageOf(created))
  assert.match(textIn((await manager.get(undone!)).html), /1 branch removed\./)
  const { location: redone } = await undo(manager, undone!)
  assert.match(textIn((await manager.get(redone!)).html), /1 branch restored\./)
})

test('an undo and what it undid lead to each other, and stay linked after later changes', async () => {
  const created = await client('POST', '/customers.php', { name: 'Linked', city: 'Ulm' })
  const path = `/customers.php?id=${created.body.id}`
  const set = await change('PUT', path, { city: 'Bonn' })
  const undoing = (await undo(manager, pageOf(set))).location!
  const page = await manager.get(undoing)
  assert.match(textIn(page.html), /This undid what an API key changed on \d+ .* View Redo What was restored/)
  assert.doesNotMatch(textIn(page.html), /will be|restores the previous state/)
  assert.equal(page.html.match(/<h[12][^>]*>Undo</g)?.length, 1, 'the title is not repeated')
  assert.ok(decodeHtml(page.html).includes(`href="${pageOf(set)}"`))
  await change('PUT', path, { city: 'Kiel' })
  const original = await manager.get(pageOf(set))
  assert.match(textIn(original.html), /has been undone Undone by/)
  assert.ok(decodeHtml(original.html).includes(`href="${undoing}"`))
  assert.match(textIn((await manager.get(undoing)).html), /This undid what an API key/)
})

test('an undo can be redone; its page then says so', async () => {
  const { body } = await client('POST', '/customers.php', { name: 'Redone', city: 'Ulm' })
  const path = `/customers.php?id=${body.id}`
  const undoing = (await undo(manager, pageOf(await change('PUT', path, { city: 'Bonn' })))).location!
  const redoing = (await undo(manager, undoing)).location!
  const redone = textIn((await manager.get(redoing)).html)
  assert.equal((await client('GET', path)).body.city, 'Bonn')
  const page = await manager.get(undoing)
  assert.match(textIn(page.html), /Redone by north@example\.com/)
  assert.ok(decodeHtml(page.html).includes(`href="${redoing}"`))
  assert.equal(formsIn(page.html).filter(({ action }) => /change_set/.test(action)).length, 0)
  assert.match(redone, /1 branch changed again\. .*This redid what north@example\.com undid on .* View Undo Changes/)
  assert.match(redone, /changed branch Redone by north@example\.com, .* City was Ulm now Bonn/)
  const again = textIn((await manager.get((await undo(manager, redoing)).location!)).html)
  assert.match(
    again,
    /1 branch restored\. .*This undid what north@example\.com changed on .* View Redo What was restored/,
  )
})

test('the activity page tells a redo from an undo, and what was undone from what was redone', async () => {
  const { body } = await client('POST', '/customers.php', { name: 'Twice', city: 'Ulm' })
  const set = await change('PUT', `/customers.php?id=${body.id}`, { city: 'Bonn' })
  const undoing = (await undo(manager, pageOf(set))).location!
  const listed = async (language: string) => {
    const { html } = await manager.get(`activity.php?resource=customers&id=${body.id}`, { 'accept-language': language })
    return [...html.matchAll(/<p class="hint">(<time.*?)<\/p>/g)].map(([, facts]) =>
      textIn(facts!).split(' · ').slice(2),
    )
  }
  assert.deepEqual(await listed('en'), [['undid a change', 'View or redo '], ['undone', 'View '], ['View or undo ']])
  await undo(manager, undoing)
  assert.deepEqual(await listed('en'), [
    ['redid a change', 'View or undo '],
    ['undid a change', 'redone', 'View '],
    ['undone', 'View '],
    ['View or undo '],
  ])
  assert.deepEqual((await listed('de')).slice(0, 2), [
    ['hat eine Änderung wiederholt', 'Ansehen oder rückgängig machen '],
    ['hat eine Änderung rückgängig gemacht', 'wiederholt', 'Ansehen '],
  ])
  assert.deepEqual((await listed('tr')).slice(0, 2), [
    ['bir değişikliği yineledi', 'Görüntüle veya geri al '],
    ['bir değişikliği geri aldı', 'yinelendi', 'Görüntüle '],
  ])
})

test('the first change to the settings is shown as a change from the defaults, and so is its undo', async () => {
  const set = await change('PUT', '/settings.php', { time_zone: 'Europe/Berlin', tag_format: 'TD-{000}' })
  assert.match(textIn((await manager.get('activity.php')).html), /Settings · Time zone and Asset tag format changed/)
  const made = textIn((await manager.get(pageOf(set))).html)
  assert.match(made, /Changes changed Settings .*Time zone was UTC now Europe\/Berlin/)
  assert.doesNotMatch(made, /Currency/)
  const undoing = await manager.get((await undo(manager, pageOf(set))).location!)
  assert.match(textIn(undoing.html), /restored: Settings/)
  assert.equal((await client('GET', '/settings.php')).body.time_zone, 'UTC')
})

test('a change set that cannot be undone shows every conflicting record, and no form', async () => {
  const { id } = (await client('POST', '/customers.php', { name: 'Blocked' })).body
  const created = (await client('GET', `/changes.php?resource=customers&id=${id}`)).body.data[0].change_set
  const stale = await manager.get(pageOf(created))
  await client('POST', '/employees.php', { customer_id: id, email: 'a@b.c' })
  await change('PUT', `/customers.php?id=${id}`, { name: 'Renamed' })
  const { status, html } = await manager.get(pageOf(created))
  assert.deepEqual([status, formsIn(html).filter(({ action }) => /change_set/.test(action)).length], [200, 0])
  assert.match(textIn(html), /cannot be undone .*branch Renamed : changed since then.*: other records refer to it/)
  const form = formsIn(stale.html).find(({ action }) => /change_set/.test(action))!
  const late = await manager.post(form.action, new URLSearchParams(form.fields))
  assert.deepEqual([late.status, /changed since then/.test(late.html)], [409, true])
  assert.equal((await client('GET', `/customers.php?id=${id}`)).status, 200)
})

test('a second undo of a change set is refused, with a link to the first undo and the name of the user who made it', async () => {
  const set = await change('POST', '/customers.php', { name: 'Contested' })
  const form = formsIn((await manager.get(pageOf(set))).html).find(({ action }) => /change_set/.test(action))!
  const done = await undo(root, `${pageOf(set)}&tenant=north`)
  const late = await manager.post(form.action, new URLSearchParams(form.fields))
  assert.deepEqual([late.status, /changed since then/.test(late.html)], [409, false])
  assert.match(textIn(late.html), /Undone by Administrator on \d+ \w+ \d{4}/)
  const undoing = /change_set=([\w-]+)/.exec(done.location!)![1]!
  assert.ok(decodeHtml(late.html).includes(`href="${pageOf(undoing)}"`))
})

test('a change set that was reverted only in part, or to other values, is not shown as undone', async () => {
  const ids = await Promise.all(
    ['One', 'Two'].map(async (name) => (await client('POST', '/customers.php', { name, city: 'Izmir' })).body.id),
  )
  const operations = ids.map((id) => ({ method: 'PUT', resource: 'customers', id, body: { city: 'Ankara' } }))
  const set = await change('POST', '/bulk.php', { operations })
  await change('PUT', `/customers.php?id=${ids[0]}`, { city: 'Izmir' })
  const isShownAsUndone = async () => /Already undone/.test((await manager.get(pageOf(set))).html)
  assert.equal(await isShownAsUndone(), false, 'the second record has not been reverted')
  await change('POST', '/bulk.php', {
    operations: operations.map((operation, index) => ({
      ...operation,
      body: { city: index === 0 ? 'Bursa' : 'Izmir' },
    })),
  })
  assert.equal(await isShownAsUndone(), false, 'one record has another value')
})

test('submitting the form twice undoes the change set only once', async () => {
  const set = await change('POST', '/customers.php', { name: 'Twice' })
  const form = formsIn((await manager.get(pageOf(set))).html).find(({ action }) => /change_set/.test(action))!
  const send = () => manager.post(form.action, new URLSearchParams(form.fields))
  const [first, second] = [await send(), await send()]
  assert.deepEqual([first.status, second.status, second.location], [303, 303, first.location])
})

test('administrators can undo change sets of the tenant named in the URL; managers cannot reach other tenants’ change sets', async () => {
  const own = await change('POST', '/customers.php', { name: 'By root' })
  const foreign = (await south('POST', '/customers.php', { name: 'Southern' })).headers['change-set']!
  assert.match((await undo(root, `${pageOf(own)}&tenant=north`)).location!, /tenant=north/)
  for (const path of [pageOf(foreign), `${pageOf(foreign)}&tenant=south`]) {
    assert.equal((await manager.get(path)).status, 404)
    const { fields } = formsIn((await manager.get('profile.php')).html)[0]!
    assert.equal((await manager.post(path, new URLSearchParams(fields))).status, 404)
  }
  assert.equal((await south('GET', '/customers.php?id=1')).status, 200)
  for (const [path, status] of [
    [pageOf('x'), 400],
    [pageOf('00000000-0000-7000-8000-000000000000'), 404],
  ] as const)
    assert.equal((await manager.get(path)).status, status, path)
})
