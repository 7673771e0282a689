// The panel's search, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createPanelUser,
  decodeHtml,
  type PageResponse,
  type Person,
  signIn,
} from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const [north, south] = [
  networkClient(apiUrl, await makeTenant(environment, 'north')),
  networkClient(apiUrl, await makeTenant(environment, 'south')),
]
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'manager@example.com', 'north')
await createPanelUser(environment, 'technician@example.com', ['north', 'south'], 'viewer')
const [root, manager, technician] = (await Promise.all(
  ['root', 'manager', 'technician'].map((name) => signIn(origin, `${name}@example.com`)),
)) as [Person, Person, Person]

await north('POST', '/customers.php', { name: 'İzmir Şube', code: 'IZM' })
await north('POST', '/customers.php', { name: 'Berlin', city: 'Berlin' })
await north('POST', '/employees.php', { customer_id: 1, name: 'Jonas Weber', email: 'jonas@example.com' })
await north('POST', '/employees.php', { customer_id: 2, name: 'Chloé Müller', email: 'chloe@example.com' })
const items = [
  { employee_id: 1, name: 'ThinkPad X1', asset_tag: 'TD-0004', serial_number: 'R5C-T20881', type: 'laptop' },
  { employee_id: 1, name: 'Galaxy', asset_tag: 'TD-0005', type: 'phone', notes: 'Screen protector ordered from Jonas' },
  { employee_id: 2, name: 'ThinkPad T14', asset_tag: 'TD-00041', type: 'laptop' },
]
for (const item of items) await north('POST', '/hardware.php', item)
for (let index = 0; index < 60; index++)
  await north('POST', '/hardware.php', { employee_id: 2, name: `Monitor ${index}` })
await south('POST', '/customers.php', { name: 'Berlin South' })
await south('POST', '/employees.php', { customer_id: 1, name: 'Ada', email: 'ada@example.com' })
await south('POST', '/hardware.php', {
  employee_id: 1,
  name: 'MacBook',
  serial_number: 'SOUTH-1',
  asset_tag: 'TD-0004',
})

/** Returns the titles of the results, by group heading. */
function resultsOf({ html }: PageResponse): Record<string, string[]> {
  const sections = [...html.matchAll(/<section><h2>(.*?)<\/h2>(.*?)<\/section>/gs)]
  return Object.fromEntries(
    sections.map(([, heading, body]) => [
      decodeHtml(heading!),
      [...body!.matchAll(/<b dir="auto">(.*?)<\/b>/gs)].map(([, title]) =>
        decodeHtml(title!.replaceAll(/<[^>]*>/g, '')),
      ),
    ]),
  )
}

const search = (text: string, person = manager, parameters = '') =>
  person.get(`search.php?q=${encodeURIComponent(text)}${parameters}`)
const resultsFor = async (text: string) => resultsOf(await search(text))

test('an exact tag, serial number or email address opens the record, regardless of case and punctuation', async () => {
  for (const text of ['TD-0004', 'td0004', 'R5C-T20881', 'r5c t20881', 'r5ct20881'])
    assert.deepEqual([text, (await search(text)).location], [text, 'records.php?resource=hardware&id=1'])
  assert.equal((await search('JONAS@example.com')).location, 'records.php?resource=employees&id=1')
  const all = await search('td0004', manager, '&all=1')
  assert.deepEqual(resultsOf(all).Assets, ['ThinkPad X1', 'ThinkPad T14'], 'the exact match comes first')
})

test('the full name of one person or branch opens it, before the assets that mention it', async () => {
  assert.equal((await search('jonas  WEBER')).location, 'records.php?resource=employees&id=1')
  const { html } = await search('Jonas Weber', manager, '&palette=1')
  const offered = [...html.matchAll(/<li role="option" data-to="([^"]*)"/g)].map(([, to]) => decodeHtml(to!))
  assert.equal(offered[0], 'records.php?resource=employees&id=1')
  assert.ok(offered.some((to) => to.includes('resource=hardware')))
  assert.equal((await search('Jonas Weber', manager, '&all=1')).status, 200)
})

test('results are grouped by resource, accents are ignored, and assets and people are found by holder and branch', async () => {
  assert.deepEqual(await resultsFor('izmir'), {
    Assets: ['Galaxy', 'ThinkPad X1'],
    People: ['Jonas Weber'],
    Branches: ['İzmir Şube'],
  })
  assert.deepEqual(await resultsFor('muller thinkpad'), { Assets: ['ThinkPad T14'] })
  assert.deepEqual(await resultsFor('jonas izmir x1'), { Assets: ['ThinkPad X1'] })
  assert.deepEqual((await resultsFor('jonas')).Assets, ['Galaxy', 'ThinkPad X1'])
  assert.deepEqual((await resultsFor('mon')).Assets?.length, 5)
  assert.deepEqual(await resultsFor('thinkpad nobody'), {})
  assert.match((await search('nobody')).html, /No results/)
})

test('the matching text is highlighted in the field that contains it', async () => {
  assert.match((await search('protector')).html, /Notes: <bdi>Screen <mark>protector<\/mark> ordered/)
  assert.match((await search('t2088')).html, /<bdi>R5C-<mark>T2088<\/mark>1<\/bdi>/)
  assert.match((await search('td000')).html, /<code><mark>TD-000<\/mark>5<\/code>/)
  assert.match((await search('muell')).html, /Chloé <mark>Müll<\/mark>er/)
  assert.match((await search('muetter')).html, /No results/)
  assert.match((await search('mulle')).html, /Chloé <mark>Mülle<\/mark>r/)
  assert.match((await search('<b>')).html, /value="&#60;b&#62;"/)
})

test('each group of results is paginated', async () => {
  const first = await search('monitor', manager, '&in=hardware')
  assert.equal(resultsOf(first)['Assets 60']?.length, 50)
  const next = decodeHtml(/rel="next" href="([^"]*)"/.exec(first.html)![1]!)
  const second = await manager.get(next)
  assert.equal(resultsOf(second)['Assets 60']?.length, 10)
  assert.doesNotMatch(second.html, /rel="next"/)
  const back = decodeHtml(/<a href="([^"]*)">First page/.exec(second.html)![1]!)
  assert.equal(resultsOf(await manager.get(back))['Assets 60']?.length, 50)
  assert.equal((await search('monitor', manager, '&in=settings')).status, 404)
})

test('a search covers all tenants that the user can open, and no others', async () => {
  for (const person of [root, technician]) {
    assert.equal((await search('south1', person)).location, 'records.php?tenant=south&resource=hardware&id=1')
    assert.deepEqual(resultsOf(await search('td0004', person)), {
      north: ['ThinkPad X1', 'ThinkPad T14'],
      south: ['MacBook'],
    })
    assert.equal(
      (await search('td0004', person, '&tenant=south')).location,
      'records.php?tenant=south&resource=hardware&id=1',
    )
  }
  assert.deepEqual(resultsOf(await search('berlin', root)).south, ['MacBook', 'Ada', 'Berlin South'])
  assert.deepEqual(resultsOf(await search('north', root)).Tenants, ['north'])
  assert.deepEqual(await resultsFor('south-1'), {})
  assert.equal((await search('x', manager, '&tenant=south')).status, 404)
})

test('a page’s search field searches the tenant to which the page belongs', async () => {
  const fieldOf = async (person: Person, path: string) =>
    /<form action="search.php"[^>]*class="global-search">(.*?)<\/form>/s.exec((await person.get(path)).html)![1]!
  assert.doesNotMatch(await fieldOf(manager, 'activity.php'), /name="tenant"/)
  assert.match(await fieldOf(root, 'activity.php?tenant=south'), /name="tenant" value="south"/)
  assert.doesNotMatch(await fieldOf(root, 'tenants.php'), /name="tenant"/)
})
