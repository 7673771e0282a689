// Record pages: assets, people, storage locations and branches.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const clock = { now: new Date('2026-07-01T08:00:00.000Z') }
const { environment, listen } = await startService({}, { now: () => clock.now })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await createPanelUser(environment, 'viewer@example.com', 'north', 'viewer')
const manager = await signIn(origin, 'manager@example.com')
await client('POST', '/customers.php', { name: 'Berlin', country: 'DE', phone: '+49 (0)30 1234' })
const ada = { customer_id: 1, email: 'ada@example.com', name: 'Ada', title: 'Engineer', end_date: '2026-07-20' }
await client('POST', '/employees.php', ada)
await client('POST', '/employees.php', { customer_id: 1, email: 's@example.com', name: 'Berlin', kind: 'storage' })
const laptop = { name: 'Laptop', type: 'laptop', asset_tag: 'TD-1', warranty_end: '2026-07-24', purchase_cost: 79900 }
await client('POST', '/hardware.php', { employee_id: 2, status: 'spare', ...laptop })

const asset = 'records.php?resource=hardware&id=1'
const main = async (path: string, person = manager) => {
  const { html, status } = await person.get(path)
  assert.equal(status, 200)
  return html.slice(html.indexOf('<main'), html.indexOf('</main>'))
}
const textOf = async (path: string, person = manager) =>
  decodeHtml((await main(path, person)).replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')
const mainActions = async (path: string) =>
  [...(await main(path)).matchAll(/class="(?:button )?main"[^>]*>(?:<span[^>]*><\/span>)?([^<]+)</g)].map(
    ([, label]) => label,
  )

test('an asset’s page shows its state, identification and place, and only fields with values', async () => {
  const text = await textOf(asset)
  assert.match(
    text,
    /Assets Berlin In stock: Berlin Laptop In stock Return|Assets Berlin In stock: Berlin Laptop Spare/,
  )
  assert.match(text, /Asset tag: TD-1/)
  assert.match(text, /Warranty ends 24 Jul 2026 ends in 23 days/)
  assert.match(text, /Purchase cost €799\.00/)
  const facts = [...(await main(asset)).matchAll(/<dt>([^<]+)/g)].map(([, label]) => label)
  assert.deepEqual(facts, ['Type', 'Purchase cost', 'Warranty ends'])
  assert.match(text, /Added to stock in Berlin/)
})

test('the primary action depends on the asset’s state, and viewers are not offered any action', async () => {
  assert.deepEqual(await mainActions(asset), ['Assign'])
  await client('PUT', '/hardware.php?id=1', { employee_id: 1, status: 'in_use' })
  assert.deepEqual(await mainActions(asset), ['Return to stock'])
  await client('PUT', '/hardware.php?id=1', { status: 'in_repair' })
  assert.deepEqual(await mainActions(asset), ['Back from repair'])
  const viewer = await signIn(origin, 'viewer@example.com')
  assert.doesNotMatch(await main(asset, viewer), /<form|edit=1|delete=1|assign\.php/)
})

test('one timeline shows the holders and changes of an asset, and names the time zone only once', async () => {
  await client('PUT', '/hardware.php?id=1', { model: 'X1', notes: 'Scratched' })
  const text = await textOf(asset)
  const sentences = ['Model and Notes changed', 'Sent to repair', 'Assigned to Ada', 'Added to stock in Berlin']
  assert.deepEqual(
    sentences.filter((sentence) => !text.includes(sentence)),
    [],
    text,
  )
  assert.match(text, /Model was – now X1/)
  assert.equal(text.match(/UTC/g)?.length, 1)
  assert.match(text, /Ada · Berlin since 1 Jul 2026 Engineer · ada@example.com Assignment history/)
})

test('notes show web addresses as links and dates in words, and nothing else as markup', async () => {
  const notes =
    'See https://wiki.example.com/a?b=c&d=(e), <b>bold</b>. Checked 2026-06-30; javascript:alert(1) 2026-13-01'
  await client('PUT', '/hardware.php?id=1', { notes })
  const card = /<p class="notes">.*?<\/p>/s.exec((await manager.get(asset)).html)![0]
  assert.deepEqual(
    [...card.matchAll(/<a href="([^"]*)" rel/g)].map(([, to]) => decodeHtml(to!)),
    ['https://wiki.example.com/a?b=c&d=(e'],
  )
  assert.match(card, /<time datetime="2026-06-30">30 Jun 2026<\/time>; javascript:alert\(1\) 2026-13-01/)
  assert.match(card, /&#60;b&#62;bold/)
})

test('the page of an asset on loan shows when the asset is due back, or that it is overdue', async () => {
  await client('PUT', '/hardware.php?id=1', { status: 'in_use', due_back: '2026-07-04' })
  assert.match(await textOf(asset), /Due back in 3 days/)
  await client('PUT', '/hardware.php?id=1', { due_back: '2026-06-29' })
  assert.match(await textOf(asset), /2 days overdue/)
})

test('a person’s page lists their equipment, and a storage location is shown as a place', async () => {
  const person = await textOf('records.php?resource=employees&id=1')
  assert.match(person, /People Berlin Ada Leaves on 20 Jul 2026 Engineer/)
  assert.match(person, /Laptop/)
  assert.deepEqual(await mainActions('records.php?resource=employees&id=1'), ['Give equipment'])
  const place = 'records.php?resource=employees&id=2'
  assert.match(await main(place), /<h1>.*In stock: Berlin.*<\/h1>/s)
  assert.deepEqual(await mainActions(place), [])
})

test('the counts on a branch’s page link to lists with that number of records', async () => {
  await client('POST', '/hardware.php', { employee_id: 2, status: 'spare', purchase_cost: 100 })
  await client('POST', '/hardware.php', { employee_id: 2, status: 'lost', warranty_end: '2026-07-02' })
  const html = await main('records.php?resource=customers&id=1')
  const figures = [...html.matchAll(/<a href="([^"]+)"><b>([^<]+)<\/b> ([^<]+)</g)]
  assert.deepEqual(
    figures.map(([, , figure]) => figure),
    ['1', '3', '1', '1', '€800'],
  )
  for (const [, url, figure] of figures.slice(0, 4)) {
    const list = (await manager.get(decodeHtml(url!))).html
    const rows = list.match(/<th scope="row"/g)?.length ?? 0
    assert.equal(rows, Number(figure), decodeHtml(url!))
  }
  assert.match(decodeHtml(html), /Country.*Germany/s)
  assert.match(html, /href="tel:\+49301234"/)
})

test('the link that calls a phone number on a record’s page ends with the extension; a phone text without digits is not a link', async () => {
  for (const [phone, shown] of [
    ['020 7946 0018 ext. 4', '<a href="tel:02079460018;ext=4"><bdi>020 7946 0018 ext. 4</bdi></a>'],
    ['ask Ada', '<bdi>ask Ada</bdi>'],
  ] as const) {
    await client('PUT', '/customers.php?id=1', { phone })
    assert.ok(decodeHtml(await main('records.php?resource=customers&id=1')).includes(`<dd>${shown}`), phone)
  }
})

test('names in other scripts are isolated from the text around them', async () => {
  await client('PUT', '/hardware.php?id=1', { name: 'شركة (دبي) TD-1' })
  assert.match(await main('records.php?resource=employees&id=1'), /<bdi>شركة \(دبي\) TD-1<\/bdi>/)
  assert.match(await main(asset), /<span dir="auto">شركة \(دبي\) TD-1<\/span>/)
})

test('the page of someone who has left offers to return their equipment, but not to give them more', async () => {
  const gone = { customer_id: 1, email: 'gone@example.com', name: 'Gone', is_active: false }
  const { id } = (await client('POST', '/employees.php', gone)).body
  await client('POST', '/hardware.php', { employee_id: id, name: 'Their phone' })
  const page = `records.php?resource=employees&id=${id}`
  assert.deepEqual(await mainActions(page), [])
  assert.match(await textOf(page), /Their phone .* Return to stock/)
})

test('an asset’s page lists its repairs with dates, users and notes', async () => {
  const { body } = await client('POST', '/hardware.php', { employee_id: 1, name: 'Broken', notes: 'Old note' })
  const path = `records.php?resource=hardware&id=${body.id}`
  assert.doesNotMatch(await textOf(path), /Repairs/)
  const note = 'Keyboard, Dell #123'
  await manager.submit(`assign.php?do=send_to_repair&ids=${body.id}`, { note }, /^assign/)
  clock.now = new Date('2026-07-10T08:00:00.000Z')
  const later = await signIn(origin, 'manager@example.com')
  const textLater = async () =>
    decodeHtml((await main(path, later)).replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')
  assert.match(
    await textLater(),
    /Repairs Sent 1 Jul 2026 · 9 days so far · by manager@example\.com Keyboard, Dell #123 /,
  )
  await later.submit(`assign.php?do=back_from_repair&ids=${body.id}`, { note: 'Replaced' }, /^assign/)
  await client('PUT', `/hardware.php?id=${body.id}`, { status: 'in_repair' })
  await client('PUT', `/hardware.php?id=${body.id}`, { status: 'retired' })
  const text = await textLater()
  assert.match(text, /Repairs Sent 10 Jul 2026 · by an API key Retired 10 Jul 2026 · by an API key/)
  assert.match(
    text,
    /Sent 1 Jul 2026 · by manager@example\.com Keyboard, Dell #123 Back 10 Jul 2026 · after 9 days .* Replaced /,
  )
  assert.match(text, / Notes Old note Repairs /, 'the notes do not repeat the repairs')
  const form = await later.get(`${path}&edit=notes`)
  assert.match(form.html, /Old note\n2026-07-01: Keyboard, Dell #123\n2026-07-10: Replaced/)
})

test('a person’s page shows the value of their equipment, and past equipment with dates', async () => {
  const start = clock.now.getTime()
  const daysLater = (days: number) => new Date(start + days * 86_400_000)
  const date = (days: number) => daysLater(days).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  const grace = (await client('POST', '/employees.php', { customer_id: 1, email: 'grace@example.com', name: 'Grace' }))
    .body
  const itemOfGrace = { employee_id: grace.id, purchase_cost: 150000 }
  const page = `records.php?resource=employees&id=${grace.id}`
  const ids = []
  for (const name of ['Tablet', 'Mouse', 'Old phone', 'Kept'])
    ids.push((await client('POST', '/hardware.php', { ...itemOfGrace, name })).body.id)
  const [tablet, mouse, phone] = ids
  assert.doesNotMatch(await main(page, await signIn(origin, 'manager@example.com')), /Past equipment/)
  clock.now = daysLater(4)
  await client('PUT', `/hardware.php?id=${tablet}`, { employee_id: 1 })
  await client('PUT', `/hardware.php?id=${mouse}`, { notes: 'Returned', employee_id: 2 })
  clock.now = daysLater(8)
  await client('PUT', `/hardware.php?id=${mouse}`, { employee_id: grace.id })
  await client('DELETE', `/hardware.php?id=${phone}`)
  const text = await textOf(page, await signIn(origin, 'manager@example.com'))
  assert.match(text, /Assets 2 · Purchase value: €3,000 Kept/)
  const past = text.slice(text.indexOf('Past equipment'), text.indexOf('Details'))
  const before = ['Mouse', 'Tablet'].map((name) => `${name} ${date(0)} – ${date(4)}`)
  assert.equal(past.trim(), `Past equipment 3 #${phone} ${date(0)} – ${date(8)} ${before.join(' ')}`)
})

test('a person’s history names the assets that they received and gave back', async () => {
  const tina = (await client('POST', '/employees.php', { customer_id: 1, email: 'tina@example.com', name: 'Tina' }))
    .body
  const item = (await client('POST', '/hardware.php', { employee_id: 2, status: 'spare', name: 'Tablet <7>' })).body
  const gone = (await client('POST', '/hardware.php', { employee_id: tina.id, name: 'Gone' })).body
  await client('PUT', `/hardware.php?id=${item.id}`, { employee_id: tina.id, status: 'in_use' })
  await client('PUT', `/hardware.php?id=${item.id}`, { notes: 'No change of holder' })
  await client('PUT', `/hardware.php?id=${item.id}`, { employee_id: 1 })
  await client('PUT', `/employees.php?id=${tina.id}`, { title: 'Buyer' })
  await client('DELETE', `/hardware.php?id=${gone.id}`)
  const reader = await signIn(origin, 'manager@example.com')
  const text = await textOf(`records.php?resource=employees&id=${tina.id}`, reader)
  const history = text.slice(text.indexOf('History'))
  const sentences = [
    'Gone · Deleted',
    'Job title changed',
    'Tablet <7> · Handed over from Tina to Ada',
    'Tablet <7> · Assigned to Tina',
    'Gone · Added and assigned to Tina',
    'Added',
  ]
  const positions = sentences.map((sentence) => history.indexOf(sentence))
  assert.ok(!positions.includes(-1), history)
  assert.deepEqual(
    positions,
    positions.toSorted((one, other) => one - other),
  )
  assert.doesNotMatch(history, /No change of holder/)
  assert.doesNotMatch(
    await textOf('records.php?resource=employees&id=2', reader),
    /Tablet <7> · /,
    'a stock has no such list',
  )
})

test('a storage location has no fields of a person, neither on its page nor in its form nor in lists nor in searches', async () => {
  const north = (await client('POST', '/customers.php', { name: 'Nord' })).body
  const nora = { customer_id: north.id, email: 'nora@example.com', name: 'Nora' }
  const { id: holder } = (await client('POST', '/employees.php', nora)).body
  const item = (await client('POST', '/hardware.php', { employee_id: holder })).body
  const desk = await signIn(origin, 'manager@example.com')
  await desk.submit(`assign.php?do=return&ids=${item.id}`, {}, /^assign/)
  const [stock] = (await client('GET', `/employees.php?customer_id=${north.id}&kind=storage`)).body.data
  const page = `records.php?resource=employees&id=${stock.id}`
  for (const path of [page, `${page}&edit=1`]) {
    assert.doesNotMatch(await main(path, desk), /tenantdesk\.invalid/, path)
    assert.doesNotMatch(await textOf(path, desk), /Phone|Job title|Employee number|Start date|End date|Remote/, path)
  }
  const saved = await desk.submit(`${page}&edit=1`, { name: 'North shelf' }, /edit=1/)
  assert.equal(saved.status, 303)
  const { name, email } = (await client('GET', `/employees.php?id=${stock.id}`)).body
  assert.deepEqual([name, email], ['North shelf', stock.email])
  assert.doesNotMatch(await main('records.php?resource=employees&kind=storage', desk), /tenantdesk\.invalid/)
  const found = await main('search.php?q=North+shelf', desk)
  assert.match(found, /North<\/mark> <mark>shelf|North shelf/)
  assert.doesNotMatch(found, /tenantdesk\.invalid/)
  await client('PUT', `/employees.php?id=${stock.id}`, { phone: '+49 30 1234' })
  assert.match(await textOf(page, desk), /Phone \+49 30 1234/, 'a value that somebody gave it is shown')
})
