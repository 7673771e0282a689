// Two resources that only a test declares: licences with a presentation, and suppliers without one. Both must appear
// everywhere in the API and in the panel.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateClientTypes } from '../../docs/client-types.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import type { Resource } from '../../src/domain/declarations/resource.ts'
import { presentations } from '../../src/panel/resources/all.ts'
import type { DeclaredPresentation } from '../../src/panel/resources/presentation.ts'
import { countsOf, importFile } from '../support/api/imports.ts'
import { axeViolations } from '../support/panel/axe.ts'
import { openPage } from '../support/panel/browser.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../support/service.ts'
import { nextVersion } from '../support/versions/next-version.ts'

const suppliers = {
  name: 'suppliers',
  singular: 'supplier',
  since: nextVersion,
  title: ['name'],
  lookups: ['name'],
  fields: {
    name: { kind: 'text', min: 1, max: 100, required: true, isName: true },
    city: { kind: 'text', max: 80, isSuggested: true },
  },
} as const satisfies Resource

const licences = {
  name: 'licences',
  singular: 'licence',
  since: nextVersion,
  title: ['product'],
  fields: {
    customer_id: { kind: 'reference', to: 'customers', missingCode: 'invalid_customer', required: true },
    supplier_id: { kind: 'reference', to: 'suppliers', missingCode: 'invalid_customer' },
    employee_id: { kind: 'reference', to: 'employees', missingCode: 'invalid_employee' },
    product: { kind: 'text', min: 1, max: 100, required: true, isName: true },
    metric: { kind: 'choice', of: ['user', 'device'], default: 'user' },
    seat_count: { kind: 'integer', min: 1 },
    expires: { kind: 'date' },
    notes: { kind: 'text', max: 2000 },
  },
} as const satisfies Resource

const licencesPresentation: DeclaredPresentation = {
  name: 'licences',
  icon: 'key',
  detail: 'metric',
  texts: {
    en: {
      resource: {
        one: 'licence',
        many: 'Licences',
        new: 'New licence',
        add: 'Add licence',
        count: (count) => (count === 1 ? '1 licence' : `${count} licences`),
      },
      fields: { supplier_id: 'Bought from', seat_count: 'Seats' },
      choices: { user: 'Per user', device: 'Per device' },
    },
    de: { fields: { seat_count: 'Plätze' } },
  },
}

const service = await startService(
  {},
  {
    resources: [...resources, suppliers, licences],
    presentations: [...presentations, licencesPresentation],
    jobPollIntervalMs: 50,
    nodes: 1,
  },
)
const apiUrl = await service.listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(service.environment, 'north'))
await createPanelUser(service.environment, 'desk@example.com', 'north')

async function create(resource: string, body: object): Promise<number> {
  const created = await client('POST', `/${resource}.php`, body)
  assert.equal(created.status, 201, created.text)
  return created.body.id
}

const [berlin, munich] = [await create('customers', { name: 'Berlin' }), await create('customers', { name: 'Munich' })]
const ada = await create('employees', { customer_id: munich, email: 'ada@example.com', name: 'Ada Sommer' })
await create('hardware', { employee_id: ada, name: 'Laptop' })
const acme = await create('suppliers', { name: 'Acme', city: 'Bremen' })
const editor = await create('licences', {
  customer_id: berlin,
  supplier_id: acme,
  employee_id: ada,
  product: 'Editor',
  seat_count: 5,
  expires: '2030-01-31',
})

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'desk@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])

const open = (path: string) => page.goto(`${origin}/${path}`)
const follow = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)])
const textsOf = (selector: string) => page.locator(selector).allInnerTexts()
const content = () => page.locator('main').innerText()

test('the document and the types of the client contain new resources, and views can be saved for their lists', async () => {
  const { body: document } = await service.request('GET', '/openapi.json', {})
  assert.deepEqual(Object.keys(document.paths['/licences.php']), ['get', 'post', 'put', 'delete'])
  const lists = '"enum":["customers","employees","hardware","suppliers","licences"]'
  assert.ok(JSON.stringify(document.components.schemas).includes(lists))
  const types = generateClientTypes(document)
  assert.match(types, /export type Licence = \{/)
  assert.match(types, /seat_count: number \| null/)
})

test('records of a new resource are filtered, searched, exported and imported like others', async () => {
  const idsOf = async (query: string) =>
    (await client('GET', `/licences.php?${query}`)).body.data.map((each: Json) => each.id)
  assert.deepEqual(await idsOf(`customer_id=${berlin}&metric=user&expires[gte]=2030-01-01`), [editor])
  assert.deepEqual(await idsOf('q=edit'), [editor])
  const file = 'product,customer_name,supplier_name,seat_count\nMail,Berlin,Acme,10\nChat,Nowhere,,1\n'
  const imported = await importFile(client, 'resource=licences&mode=valid_rows', file)
  assert.equal(countsOf(imported), '1 0 0 1')
  const { text } = await client(
    'GET',
    '/licences.php?format=csv&fields=product,customer_name,supplier_name,employee_name',
  )
  assert.deepEqual(text.trim().split('\r\n').slice(1), ['Editor,Berlin,Acme,Ada Sommer', 'Mail,Berlin,Acme,'])
})

test('the labels of a new resource, in any language, are column titles of its imports', async () => {
  const file = `product,Branch,Bought from,Plätze\nMail,${berlin},${acme},10\n`
  const checked = await importFile(client, 'resource=licences', file)
  assert.equal(countsOf(checked), '1 0 0 0')
  const ignored = checked.assumptions.filter((sentence: string) => sentence.includes('ignored'))
  assert.deepEqual(ignored, [])
})

test('new resources follow the others in the navigation and in the menu for new records', async () => {
  await open('')
  const names = ['Assets', 'People', 'Branches', 'Licences', 'Suppliers']
  assert.deepEqual(await textsOf('nav.side a'), ['Home', ...names, 'Activity', 'Settings'])
  await page.click('header summary:has-text("New")')
  const links = ['Add asset', 'Add person', 'Add branch', 'Add licence', 'Add record: Suppliers']
  assert.deepEqual((await textsOf('header details[open] ul:first-of-type a')).slice(0, 5), links)
  assert.match(await content(), /2\s+Licences/)
  assert.match(await content(), /1\s+Suppliers/)
})

test('the list of a new resource names its records’ branches, suppliers and people, and can be filtered and sorted by them', async () => {
  await open('records.php?resource=licences&sort=customer_name')
  const heads = ['Product', 'Branch', 'Bought from', 'Holder', 'Metric', 'Seats', 'Expires']
  assert.deepEqual(
    (await textsOf('thead th')).map((each) => each.trim()),
    heads,
  )
  const [first] = await textsOf('tbody tr')
  assert.match(first!, /Editor\s+user\s+Berlin\s+Acme\s+Ada Sommer\s+Per user\s+5\s+31 Jan 2030/)
  await page.click('.chip summary:has-text("Bought from")')
  assert.deepEqual(await textsOf('.chip[open] option'), ['All records', 'Acme'])
  await page.click('.chip summary:has-text("Branch")')
  await Promise.all([page.waitForNavigation(), page.selectOption('.chip[open] select', String(munich))])
  assert.match(await content(), /Branch: Munich/)
  await open(`records.php?resource=customers&sort=-licences_count&columns=name,licences_count`)
  const rows = (await textsOf('tbody tr')).map((each) => each.trim().split(/\s+/))
  assert.deepEqual(rows, [
    ['Berlin', '2'],
    ['Munich', '0'],
  ])
  assert.deepEqual(await axeViolations(page), [])
})

test('a view of a new resource’s list is saved, and a view that cannot be saved says why', async () => {
  await open('records.php?resource=licences&metric=user')
  await page.click('summary:has-text("Save view")')
  await page.fill('.views input[name=name]', 'Per user')
  await follow('.views button:has-text("Save")')
  assert.ok((await textsOf('.views a')).includes('Per user'))
  await open('records.php?resource=licences&colour=red')
  await page.click('summary:has-text("Save view")')
  await page.fill('.views input[name=name]', 'Red')
  await follow('.views button:has-text("Save")')
  assert.match(await page.locator('.toast').innerText(), /not saved/)
})

test('forms and record pages show the fields of a new resource, and the history describes its changes', async () => {
  await open('records.php?resource=licences&new=1')
  assert.match(await content(), /^New licence/)
  await page.fill('#product', 'Paint')
  await page.fill('[name="find.customer_id"]', 'Berlin')
  await page.fill('#seat_count', '3')
  await follow('.save-bar button.main')
  assert.match(await content(), /Paint.*Branch\s+Berlin.*Seats\s+3.*Added/s)
  const id = new URL(page.url()).searchParams.get('id')
  await open(`records.php?resource=licences&id=${id}&edit=seat_count`)
  await page.fill('#seat_count', '4')
  await follow('form.record button.main')
  assert.match(await content(), /Seats changed/)
  await open('activity.php?resource=licences')
  assert.match(await content(), /Paint · Seats changed/)
  await open(`records.php?resource=licences&id=${id}&delete=1`)
  await follow('main button.danger')
  assert.doesNotMatch(await content(), /Paint(?! deleted)/)
})

test('records that refer to a branch, a person or a new resource appear on its page, and prevent its deletion', async () => {
  for (const [path, heading] of [
    [`resource=customers&id=${berlin}`, 'Licences'],
    [`resource=employees&id=${ada}`, 'Licences'],
    [`resource=suppliers&id=${acme}`, 'Licences'],
  ] as const) {
    await open(`records.php?${path}`)
    assert.ok((await textsOf('main h2')).includes(heading), path)
    assert.match(await content(), /Editor/)
  }
  await open(`records.php?resource=suppliers&id=${acme}&delete=1`)
  assert.match(await content(), /can’t be deleted yet.*2 licences\s+Delete these records first.*Editor/s)
})

test('the search finds records of new resources, and the palette lists them after the others', async () => {
  await open('search.php?q=e&all=1')
  assert.deepEqual(await textsOf('main section h2'), ['Assets', 'People', 'Branches', 'Licences', 'Suppliers'])
  await open('search.php?q=edit')
  assert.match(await content(), /Editor\s+.*Berlin/s)
  await open('search.php?q=editor')
  assert.equal(new URL(page.url()).pathname, '/records.php', 'the only record with this title is opened')
})

test('closing a branch moves the records of new resources that refer to it', async () => {
  await open(`close_branch.php?id=${berlin}&to=${munich}`)
  assert.match(await content(), /2 licences will move.*Licences.*Editor.*Mail/s)
  const late = await create('licences', { customer_id: berlin, product: 'Late' })
  await follow('main form button.main')
  assert.match(await content(), /has changed since the preview.*3 licences will move/s)
  await follow('main form button.main')
  assert.match(await page.locator('.toast').innerText(), /3 licences moved/)
  const { data } = (await client('GET', `/licences.php?customer_id=${munich}`)).body
  assert.deepEqual(
    data.map((each: Json) => each.product),
    ['Editor', 'Mail', 'Late'],
  )
  assert.equal((await client('GET', `/licences.php?id=${late}`)).body.customer_id, munich)
  const refusals = /status of (400|409)/
  assert.deepEqual(
    consoleErrors.filter((message) => !refusals.test(message)),
    [],
  )
})
