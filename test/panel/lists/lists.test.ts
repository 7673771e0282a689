// Lists in the panel: filters, views, columns, pages, past days and CSV files.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

let now = new Date('2026-06-01T10:00:00.000Z')
const service = await startService({}, { now: () => now })
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'other@example.com', 'acme')
await createPanelUser(environment, 'viewer@example.com', 'acme', 'viewer')
let manager = await signIn(origin, 'manager@example.com')
const viewer = await signIn(origin, 'viewer@example.com')

for (const name of ['Berlin', 'München'])
  assert.equal((await acme('POST', '/customers.php', { name, city: name })).status, 201)
for (const person of [
  { customer_id: 1, email: 'ada@example.com', name: 'Ada', department: 'Sales' },
  { customer_id: 2, email: 'stock@example.com', name: 'Stock', kind: 'storage' },
])
  await acme('POST', '/employees.php', person)
for (let index = 1; index <= 60; index++) {
  const item = {
    name: `Item ${String(index).padStart(2, '0')}`,
    asset_tag: `TD-${index}`,
    type: index % 2 ? 'laptop' : 'phone',
  }
  const rest = {
    employee_id: index === 60 ? 2 : 1,
    purchase_cost: index * 100,
    warranty_end: index === 1 ? '2026-07-01' : null,
  }
  await acme('POST', '/hardware.php', { ...item, ...rest })
}

const list = 'records.php?resource=hardware'

/** Opens a list. Returns its records' names, heading and filter labels, and a function that finds links by text. */
async function open(path: string, person = manager) {
  const { status, html, location } = await person.get(path)
  const names = [...html.matchAll(/<th scope="row">.*?<a [^>]*>(.*?)<\/a>/gs)].map(([, name]) => name!)
  const hrefOf = (text: string) => {
    const found = [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].find(([, , label]) =>
      label!.replace(/<.*?>/g, '').includes(text),
    )
    return found ? decodeHtml(found[1]!) : undefined
  }
  const set = [...html.matchAll(/aria-label="Remove filter: (.*?)"/gs)].map(([, label]) => decodeHtml(label!))
  const heading = /<h1>(.*?)<\/h1>/s.exec(html)![1]!.replace(/<.*?>/g, '')
  return { status, html, location, names, hrefOf, set, heading }
}

test('a list shows a removable chip for each filter that is set, and the number of matching records', async () => {
  const query = 'type%5Bin%5D=laptop&customer_id=1&warranty=60d&purchase_cost%5Blte%5D=5000&updated_at%5Bgte%5D=-7d'
  const page = await open(`${list}&${query}`)
  assert.equal(page.heading, 'Assets 1 of 60')
  assert.deepEqual(page.names, ['Item 01'])
  assert.deepEqual(page.set, [
    'Type: Laptop',
    'Branch: Berlin',
    'Warranty: ends within 60 days',
    'Cost: up to €50.00',
    'Changed: in the last 7 days',
  ])
  const removed = /href="([^"]*)" aria-label="Remove filter: Warranty/.exec(page.html)![1]!
  assert.equal((await open(decodeHtml(removed))).heading, 'Assets 25 of 60')
  assert.equal((await open(list)).heading, 'Assets 60')
  assert.equal((await open('records.php?resource=employees&q=nobody')).heading, 'People 0 of 1') // no storage locations
})

test('submitting a filter form without scripts redirects to a URL with amounts in minor units and without empty filters', async () => {
  const sent = `${list}&type%5Bin%5D=laptop&type%5Bin%5D=phone&manufacturer%5Bcontains%5D=&purchase_cost%5Bgte%5D_typed=59%2C50+%E2%82%AC`
  const { status, location } = await manager.get(sent)
  assert.equal(status, 303)
  const clean = new URL(location!, `${origin}/`).searchParams
  assert.deepEqual(Object.fromEntries(clean), {
    resource: 'hardware',
    'type[in]': 'laptop,phone',
    'purchase_cost[gte]': '5950',
  })
  assert.deepEqual((await open(location!)).names, ['Item 60'])
})

test('a person filter accepts a typed name; if nobody matches the text, the list is searched for it', async () => {
  const parametersAfter = async (sent: string) => {
    const { location } = await manager.get(`${list}&${sent}`)
    return Object.fromEntries(new URL(location!, `${origin}/`).searchParams)
  }
  const typed = await parametersAfter('find.employee_id=ada&was.employee_id=&type=laptop')
  assert.deepEqual(typed, { resource: 'hardware', employee_id: '1', type: 'laptop' })
  assert.deepEqual(await parametersAfter('find.employee_id=zoe'), { resource: 'hardware', q: 'zoe' })
  assert.deepEqual(await parametersAfter('find.employee_id=&employee_id=1'), { resource: 'hardware' })
  assert.deepEqual((await open(`${list}&employee_id=1`)).set, ['Person: Ada'])
})

test('filters offer the values that the tenant uses', async () => {
  const offered = async (path: string, filter: string) => {
    const { html } = await open(path)
    const options = html.split(`id="filter-${filter}-list"`)[1]!.split('</datalist>')[0]!
    return [...options.matchAll(/value="(.*?)"/g)].map(([, value]) => value)
  }
  await acme('PUT', '/hardware.php?id=2', { manufacturer: 'Dell & Co', model: 'XPS' })
  assert.deepEqual(await offered(list, 'manufacturer[contains]'), ['Dell &#38; Co'])
  assert.deepEqual(await offered(list, 'employee.department'), ['Sales'])
  assert.deepEqual(await offered('records.php?resource=employees', 'department[contains]'), ['Sales'])
  await acme('PUT', '/hardware.php?id=2', { manufacturer: null, model: null })
})

test('filters that do not fit the list are explained, and can be removed', async () => {
  const page = await open(`${list}&status=gone`)
  assert.equal(page.status, 400)
  assert.match(page.html, /These filters don’t fit this list/)
  assert.equal(page.set.length, 1)
  for (const query of ['constructor=x', 'missing=constructor', 'status=toString', 'warranty=valueOf']) {
    const unknown = await open(`${list}&${query}`)
    assert.deepEqual([unknown.status, /native code|\[object/.test(unknown.html)], [400, false], query)
  }
})

test('pages link to the next and previous page, show their position, and have the chosen size', async () => {
  const first = await open(`${list}&sort=-name&limit=25&type=laptop`)
  assert.match(first.html, /1–25 of 30/)
  assert.equal(first.hrefOf('Previous'), undefined)
  const second = await open(first.hrefOf('Next')!)
  assert.match(second.html, /26–30 of 30/)
  assert.equal(second.hrefOf('Next'), undefined)
  const back = await open(second.hrefOf('Previous')!)
  assert.deepEqual(back.names, first.names)
  const middle = await open((await open(`${list}&limit=25`)).hrefOf('Next')!)
  const last = await open(middle.hrefOf('Next')!)
  assert.deepEqual((await open(last.hrefOf('Previous')!)).names, middle.names)
  assert.match((await open(last.hrefOf('Previous')!)).html, /26–50 of 60/)
  assert.equal((await open(first.hrefOf('100')!)).names.length, 30)
})

test('a list that fits on the smallest page offers no page sizes', async () => {
  const sizes = async (query: string) => (await open(`${list}${query}`)).html.includes('Rows per page')
  assert.deepEqual([await sizes('&id[in]=1,2'), await sizes('&type=laptop')], [false, true])
})

test('a list of assets ends with the total cost of the assets on the page and of all matching assets', async () => {
  const totals = async (query: string) => {
    const { html, hrefOf } = await open(`${list}${query}`)
    const [, line] = /<p class="hint total">(Purchase value.*?)<\/p>/s.exec(html) ?? []
    return { line: line?.replaceAll(/<.*?>/g, ''), hrefOf }
  }
  const cost = '€1,830' // 1 + … + 60 euros
  assert.equal((await totals('&limit=100')).line, `Purchase value: ${cost}`)
  assert.equal((await totals('&limit=25')).line, `Purchase value · On this page (25): €325 · All (60): ${cost}`)
  const laptops = await totals('&limit=25&type=laptop')
  assert.equal(laptops.line, `Purchase value · On this page (25): €625 · All (30): €900`)
  assert.equal((await totals('&q=nothing')).line, undefined)
  assert.doesNotMatch((await open('records.php?resource=customers')).html, /Purchase value/)
})

test('chosen columns are stored per user, and the default columns can be restored', async () => {
  const defaultColumns = ['Name', 'Status', 'Holder', 'Branch', 'Asset tag', 'Serial number', 'Warranty ends']
  const columns = async (person = manager) =>
    [...(await open(list, person)).html.matchAll(/<th scope="col".*?>(?:<a.*?>)?(.*?)</g)].map(([, label]) => label)
  assert.deepEqual(await columns(), defaultColumns)
  await manager.get(`${list}&columns=name&columns=purchase_cost&columns=customer_name&keep_columns=1`)
  assert.deepEqual(await columns(), ['Name', 'Purchase cost', 'Branch'])
  assert.deepEqual(await columns(viewer), defaultColumns)
  viewer.cookies.set('tenantdesk-columns', manager.cookies.get('tenantdesk-columns')!)
  assert.deepEqual(await columns(viewer), defaultColumns) // the cookie is valid for one user
  await manager.get(`${list}&keep_columns=1`)
  assert.deepEqual(await columns(), defaultColumns)
})

test('a stock location is shown as a place in the list of assets, and not in the list of people', async () => {
  assert.match((await open(`${list}&sort=-name&limit=25`)).html, /Item 60.*?In stock/s)
  const people = await open('records.php?resource=employees')
  assert.deepEqual([people.heading, people.names], ['People 1', ['Ada']])
  const branches = await open('records.php?resource=customers')
  const counts = [...branches.html.matchAll(/<td class="number"[^>]*>(?:<a[^>]*>)?<span[^>]*>(\d+)/g)].map(
    ([, count]) => count,
  )
  assert.deepEqual(counts, ['1', '59', '0', '1'])
})

test('the history records the user who saves or deletes a view; other users see shared views; viewers cannot save views', async () => {
  const shown = `${list}&type=phone&sort=-name&columns=name,purchase_cost`
  const saved = await manager.submit(shown, { name: 'Phones', is_shared: '1' }, /save_view/)
  assert.equal(saved.status, 303)
  const unnamed = await manager.submit(shown, { name: ' ' }, /save_view/)
  assert.match((await manager.get(unnamed.location!)).html, /Enter a name for the view/)
  const [{ action, user_id }] = (await acme('GET', '/changes.php?resource=views')).body.data
  assert.deepEqual([action, typeof user_id], ['create', 'string'])
  const other = await signIn(origin, 'other@example.com')
  const tab = (await open(list, other)).hrefOf('Phones')!
  const view = await open(tab, other)
  assert.match(view.html, /aria-current="page"[^>]*>Phones</)
  assert.equal(view.names[0], 'Item 60')
  // Saving a view under an existing name replaces that view.
  await manager.submit(shown.replace('phone', 'laptop'), { name: 'Phones', is_shared: [] }, /save_view/)
  assert.equal((await open(list, other)).hrefOf('Phones'), undefined)
  const mine = (await open(list)).hrefOf('Phones')!
  assert.match(mine, /type=laptop/)
  await manager.submit(mine, {}, /delete_view/)
  assert.equal((await open(list)).hrefOf('Phones'), undefined)
  assert.doesNotMatch((await open(list, viewer)).html, /Save view/)
})

test('the activity shows the changes of a view that is not shared to its owner alone, who alone can undo them', async () => {
  await createPanelUser(environment, 'root@example.com')
  const administrator = await signIn(origin, 'root@example.com')
  const other = await signIn(origin, 'other@example.com')
  await manager.submit(`${list}&type=phone`, { name: 'Secret phones' }, /save_view/)
  await manager.submit((await open(list)).hrefOf('Secret phones')!, {}, /delete_view/)
  const activity = 'activity.php?resource=views&from=2026-06-01'
  const html = decodeHtml((await manager.get(activity)).html)
  const sets = [...html.matchAll(/change_set=([0-9a-f-]{36})/g)].map(([, set]) => set)
  const page = `activity.php?change_set=${sets[0]}`
  assert.equal(sets.length, 5)
  assert.match(html, /Saved views: <bdi>Secret phones<\/bdi>/, 'the entry names the view')
  for (const person of [other, viewer, administrator]) {
    const tenant = person === administrator ? '&tenant=acme' : ''
    const shown = decodeHtml((await person.get(activity + tenant)).html)
    const ofPrivateView = sets.slice(0, 2) // the others are of a view that was shared for a while
    assert.deepEqual(
      ofPrivateView.filter((set) => shown.includes(set!)),
      [],
    )
    assert.equal((await person.get(page + tenant)).status, 404)
    assert.ok(!(await person.get(`./?${tenant}`)).html.includes(sets[0]!))
  }
  const { fields } = formsIn((await other.get('activity.php')).html).find(({ action }) => action === 'logout.php')!
  assert.equal((await other.post(page, new URLSearchParams(fields))).status, 404)
  assert.equal((await open(list)).hrefOf('Secret phones'), undefined)
  await manager.submit(page, {}, /change_set/)
  assert.notEqual((await open(list)).hrefOf('Secret phones'), undefined)
  assert.equal((await open(list, other)).hrefOf('Secret phones'), undefined)
})

test('a list for a past day and its CSV file show the inventory of that day', async () => {
  now = new Date('2026-06-10T10:00:00.000Z')
  await acme('PUT', '/hardware.php?id=1', { name: 'Item 00' })
  now = new Date('2026-06-11T10:00:00.000Z')
  manager = await signIn(origin, 'manager@example.com')
  const past = await open(`${list}&as_of=2026-06-09&sort=name`)
  assert.equal(past.names[0], 'Item 01')
  assert.match(past.html, /inventory as of 9 Jun 2026/)
  assert.doesNotMatch(past.html, /type="checkbox" name="id"/)
  assert.deepEqual((await open(`${list}&as_of=2026-05-01`)).names, [])
  assert.doesNotMatch((await open('records.php?resource=customers&as_of=2026-06-09')).html, /<td class="number"/)
  const file = await manager.get(past.hrefOf('This list, as shown')!)
  assert.match(file.html, /Item 01/)
  assert.doesNotMatch(file.html, /Item 00/)
  assert.match((await open(past.hrefOf('Back to today')!)).html, /Item 00/)
  const future = await open(`${list}&as_of=2030-01-01`)
  assert.equal(future.set.length, 0)
  assert.match(future.html, /1 Jan 2030 is in the future\. This is the inventory of today\./)
  const record = await manager.get('records.php?resource=hardware&id=1&as_of=2030-01-01')
  assert.match(record.html, /1 Jan 2030 is in the future\. This is the record of today\./)
})

test('the files of a list have names that tell their columns and the day apart', async () => {
  const nameOf = async (path: string) => {
    const { headers } = await manager.get(path)
    return /filename="(.*)"/.exec(headers.get('content-disposition')!)![1]
  }
  const [today, past] = [await open(list), await open(`${list}&as_of=2026-06-09`)]
  const labels = ['This list, as shown', 'Finance list', 'All fields']
  const names = (page: typeof today) => Promise.all(labels.map((label) => nameOf(page.hrefOf(label)!)))
  assert.deepEqual(await names(today), [
    'hardware-list-2026-06-11.csv',
    'hardware-finance-2026-06-11.csv',
    'hardware-2026-06-11.csv',
  ])
  assert.equal((await names(past))[0], 'hardware-list-as-of-2026-06-09.csv')
})

test('a record opened from a list for a past day shows the values of that day, and so do its links', async () => {
  const past = await open(`${list}&as_of=2026-06-09&sort=name`)
  const path = past.hrefOf('Item 01')!
  assert.match(path, /as_of=2026-06-09/)
  const page = await open(path)
  assert.match(page.html, /This is the record as of 9 Jun 2026\. Nothing can be changed here\./)
  assert.match(page.heading, /Item 01/)
  assert.match(page.html, /in 22 days/, 'the end of the warranty is counted from that day')
  assert.doesNotMatch(page.html.slice(page.html.indexOf('<main')), /<form|edit=|class="pencil"/)
  const holder = await open(page.hrefOf('Ada')!)
  assert.match(holder.html, /as of 9 Jun 2026/)
  const main = decodeHtml(holder.html.slice(holder.html.indexOf('<main')))
  const [, itemsUrl] = /<h2><a href="([^"]*)">Assets/.exec(main)!
  assert.match(itemsUrl!, /as_of=2026-06-09/)
  assert.match(itemsUrl!, /employee_id=1/)
  assert.match((await open(page.hrefOf('Back to today')!)).heading, /Item 00/)
  const none = await open(path.replace('2026-06-09', '2026-05-01'))
  assert.deepEqual([none.status, /did not exist on 1 May 2026/.test(none.html)], [404, true])
  assert.match(past.html, />in 22 days</)
})

test('a list’s CSV file has the columns shown and the total; the “Finance list” file has amounts and their currency', async () => {
  await acme('PUT', '/hardware.php?id=9', { manufacturer: 'Dell', model: 'U27', warranty_end: '2027-01-31' })
  const page = await open(`${list}&sort=name&q=Item+0&columns=name,purchase_cost,customer_name,status`)
  const shown = (await manager.get(page.hrefOf('This list, as shown')!)).html.split('\r\n')
  assert.equal(shown[0], 'Name,Model,Purchase cost,Currency,Branch,Status,id,created_at')
  assert.equal(shown[1], 'Item 00,,1.00,EUR,Berlin,In use,1,2026-06-01T10:00:00.000Z')
  assert.match(shown.at(-2)!, /^Total,,255\.00,EUR,,,,$/)
  const finance = (await manager.get(page.hrefOf('Finance list')!)).html
  const [titles] = finance.split('\r\n')
  assert.equal(
    titles,
    'Asset tag,Name,Manufacturer,Model,Serial number,Purchase date,Purchase cost,Currency,Warranty ends,Branch,Holder,In stock at,Status,id,created_at',
  )
  assert.match(finance, /\r\nTD-9,Item 09,Dell,U27,,,9\.00,EUR,2027-01-31,Berlin,Ada,,In use,9,2026/)
  const german = await signIn(origin, 'manager@example.com')
  const { html } = await german.get(list, { 'accept-language': 'de' })
  const link = /href="([^"]*sheet=finance[^"]*)"/.exec(decodeHtml(html))![1]!
  assert.match(
    (await german.get(link, { 'accept-language': 'de' })).html,
    /\r\nTD-9;Item 09;Dell;U27;;;"9,00";EUR;.*;Berlin;Ada;/,
  )
})

test('the file of the list as shown names the branch in whose stock an asset is', async () => {
  const page = await open(`${list}&sort=name&q=Item+60`)
  assert.match(
    (await manager.get(page.hrefOf('This list, as shown')!)).html,
    /\r\nItem 60,,In use,,München,München,TD-60,/,
  )
  const { text } = await acme('GET', '/hardware.php?format=csv&id[in]=60')
  assert.match(text, /,Stock\r\n/, 'programs read the name')
})

test('a list without records offers only to add and to import some', async () => {
  await makeTenant(environment, 'empty')
  await createPanelUser(environment, 'new@example.com', 'empty')
  const person = await signIn(origin, 'new@example.com')
  const { html } = await open(list, person)
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
  assert.match(main, /icon-asset.*No assets yet.*Add asset.*Import CSV/s)
  assert.doesNotMatch(main, /class="(chips|views|search|menu)/)
  const noMatch = decodeHtml((await open(`${list}&q=zzz`)).html)
  assert.match(noMatch, /class="empty".*icon-search.*<a class="button" href="records\.php\?resource=hardware">/s)
})

test('lists can be sorted by the holder’s or the branch’s name, on all pages and in saved views', async () => {
  const people = [
    { customer_id: 2, email: 'oezil@example.com', name: 'özil' }, // sorting ignores case and accents
    { customer_id: 1, email: 'paul@example.com', name: 'Paul' },
    { customer_id: 1, email: 'nora@example.com' }, // has no name, so the list shows the email address
  ]
  const holders = await Promise.all(
    people.map(async (person) => (await acme('POST', '/employees.php', person)).body.id),
  )
  for (const [index, name] of ['Of Özil', 'Of Paul', 'Of Nora'].entries())
    await acme('POST', '/hardware.php', { employee_id: holders[index], name })
  const namesOf = async (sort: string, filter = '') => {
    const first = await open(`${list}&sort=${sort}&limit=25${filter}`)
    const pages = [first]
    for (let next = first.hrefOf('Next'); next; next = pages.at(-1)!.hrefOf('Next')) pages.push(await open(next))
    for (const [index, page] of pages.slice(1).entries())
      assert.deepEqual((await open(page.hrefOf('Previous')!)).names, pages[index]!.names)
    return pages.flatMap(({ names }) => names)
  }
  const ofAda = ['Item 00', ...Array.from({ length: 58 }, (_, index) => `Item ${String(index + 2).padStart(2, '0')}`)]
  const byHolder = ['Item 60', ...ofAda, 'Of Nora', 'Of Özil', 'Of Paul'] // stock comes first
  assert.deepEqual(await namesOf('employee_name'), byHolder)
  assert.deepEqual(await namesOf('-employee_name'), byHolder.toReversed())
  const byBranch = [...ofAda, 'Of Paul', 'Of Nora', 'Item 60', 'Of Özil']
  assert.deepEqual((await namesOf('customer_name')).toSorted(), byBranch.toSorted())
  assert.deepEqual((await namesOf('-customer_name')).slice(0, 2).toSorted(), ['Item 60', 'Of Özil'])
  assert.deepEqual(await namesOf('-employee_name', '&q=of'), ['Of Paul', 'Of Özil', 'Of Nora'])
  const { html } = await open('records.php?resource=employees&sort=-customer_name')
  assert.match(html, /aria-sort="descending"><a [^>]*>Branch</)
  await manager.submit(`${list}&sort=customer_name`, { name: 'By branch' }, /save_view/)
  const view = await open((await open(list)).hrefOf('By branch')!)
  assert.match(view.html, /aria-current="page"[^>]*>By branch</)
  const file = (await manager.get(view.hrefOf('All fields')!)).html
  assert.equal(file.trimEnd().split('\r\n').length, 64)
  const past = await open(`${list}&sort=customer_name&as_of=2026-06-09`)
  assert.equal(past.status, 200)
  assert.match(past.html, /<th scope="col">Branch</)
})

test('a large list is sorted by the names of holders and branches, and by counts, on every page', async () => {
  const large = service.client(await makeTenant(environment, 'large'))
  await createPanelUser(environment, 'large@example.com', 'large')
  const user = await signIn(origin, 'large@example.com')
  const createRecords = (resource: string, bodies: Json[]) =>
    large('POST', '/bulk.php', { operations: bodies.map((body) => ({ method: 'POST', resource, body })) })
  await createRecords(
    'customers',
    ['b', 'Á', 'c'].map((name) => ({ name })),
  )
  const people = Array.from({ length: 60 }, (_, index) => ({
    customer_id: 1 + (index % 3),
    email: `${(index * 7) % 60}@example.com`,
  }))
  await createRecords('employees', people)
  const tenantDatabase = await tenantDatabaseOf(environment, 'large')
  const holderOf = (id: number) => (id <= 2100 ? 59 : 1 + (id % 60)) // one person holds more assets than fit in one batch
  const assetOf = (n: number) => ({ employee_id: holderOf(n), name: `A${n}`, purchase_cost: n })
  await insertRecords(tenantDatabase, 'hardware', 2600, assetOf)
  const emailOf = (id: number) => people[holderOf(id) - 1]!.email
  const branchOf = (id: number) => ['b', 'a', 'c'][people[holderOf(id) - 1]!.customer_id - 1]!
  const sorted = (ids: number[], keyOf: (id: number) => string) =>
    ids.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : a - b))
  const namesOn = async (first: string) => {
    const pages: string[][] = []
    for (let next: string | undefined = first; next; ) {
      const page = await open(next, user)
      if (pages.length > 0) assert.deepEqual((await open(page.hrefOf('Previous')!, user)).names, pages.at(-1))
      pages.push(page.names)
      next = page.hrefOf('Next')
    }
    return pages.flat()
  }
  const shown = async (query: string) =>
    (await namesOn(`${list}&limit=200&${query}`)).map((name) => Number(name.slice(1)))
  const ids = Array.from({ length: 2600 }, (_, index) => index + 1)
  assert.deepEqual(await shown('sort=employee_name'), sorted(ids, emailOf))
  const some = ids.filter((id) => id >= 1000)
  assert.deepEqual(await shown('sort=-customer_name&purchase_cost[gte]=1000'), sorted(some, branchOf).toReversed())
  await createRecords('employees', [{ customer_id: 3, email: 'new@example.com', name: 'new' }]) // holds no assets
  const emails = [...people.map(({ email }) => email), 'new']
  const counts = emails.map((_, index) => ids.filter((id) => holderOf(id) === index + 1).length)
  const places = emails.map((_, index) => index).toSorted((a, b) => counts[a]! - counts[b]! || a - b)
  const byCount = places.map((index) => emails[index]!)
  const peopleList = 'records.php?resource=employees&limit=25'
  assert.deepEqual(await namesOn(`${peopleList}&sort=hardware_count`), byCount)
  assert.deepEqual(await namesOn(`${peopleList}&sort=-hardware_count`), byCount.toReversed())
  const found = await namesOn(`${peopleList}&sort=-hardware_count&q=1`)
  assert.deepEqual(
    found,
    byCount.toReversed().filter((email) => email.includes('1')),
  )
  const branches = await open('records.php?resource=customers&sort=-employees_count', user)
  assert.deepEqual(branches.names, ['c', 'Á', 'b'])
  assert.deepEqual(await namesOn('records.php?resource=customers&sort=-hardware_count'), ['Á', 'c', 'b'])
  assert.match(branches.html, /aria-sort="descending"><a [^>]*>People</)
})

test('compressed, the script and the styles are smaller than 20 kB each, and a page with 50 rows and all its files than 100 kB', async () => {
  const { html, names } = await open(list)
  const files = [...html.matchAll(/(?:src|href)="(panel\/[^"]+)"/g)].map(([, path]) => path!)
  const sizes = await Promise.all(
    [...new Set([...files, 'panel/icons.svg'])].map(async (path) => {
      const response = await fetch(`${origin}/${path}`, { headers: { 'accept-encoding': 'gzip, deflate, br' } })
      const { etag = '', vary } = Object.fromEntries(response.headers)
      assert.deepEqual([response.headers.get('content-encoding'), vary], ['br', 'Accept-Encoding'], path)
      const revalidated = await fetch(`${origin}/${path}`, { headers: { 'if-none-match': etag } })
      const plain = await fetch(`${origin}/${path}`, { headers: { 'accept-encoding': 'identity' } })
      assert.deepEqual([revalidated.status, plain.headers.get('content-encoding')], [304, null], path)
      assert.equal(await plain.text(), await response.text(), path)
      const size = Number(response.headers.get('content-length'))
      assert.ok(size < 20_000, `${path} has ${size} bytes`)
      return size
    }),
  )
  const total = sizes.reduce((sum, size) => sum + size, Buffer.byteLength(html))
  assert.deepEqual(
    [names.length, sizes.length, sizes.every((size) => size > 100), total < 100_000],
    [50, 4, true, true],
  )
})
