// Daily tasks of a help desk, each in four ways: by mouse, by keyboard alone, on a phone, and without scripts. Each task
// starts on the home page and has a maximum number of clicks, fields and page loads. Ticks and key presses that follow a
// link or submit a form are clicks; searching for a record in the top bar counts as a page load.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { launchBrowser } from '../support/panel/browser.ts'
import type { InteractionCounts } from '../support/panel/desk.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Client, type Json, makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)

const ways = ['mouse', 'keyboard', 'phone', 'no-scripts'] as const
type Way = (typeof ways)[number]

/** Somebody at a desk with an own tenant. */
type Worker = { page: Page; client: Client; way: Way; cost: InteractionCounts }

async function startWorker(way: Way, task: string): Promise<Worker & AsyncDisposable> {
  const slug = `${task}-${way}`
  const client = networkClient(apiUrl, await makeTenant(environment, slug))
  await createPanelUser(environment, `${slug}@example.com`, slug)
  const browser = await launchBrowser()
  const viewport = way === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 }
  const page = await browser.newPage({ viewport, javaScriptEnabled: way !== 'no-scripts' })
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', `${slug}@example.com`)
  await page.fill('#password', password)
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])
  const cost = { clicks: 0, fields: 0, loads: 0 }
  return { page, client, way, cost, [Symbol.asyncDispose]: () => browser.close() }
}

const maxTabs = 150

async function focusByKeyboard(page: Page, target: Locator): Promise<void> {
  for (let tabs = 0; tabs < maxTabs; tabs++) {
    if (await target.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${maxTabs} times Tab does not reach ${target}`)
}

async function press({ page, way, cost }: Worker, target: Locator, key = 'Enter'): Promise<void> {
  cost.clicks++
  if (way !== 'keyboard') return target.click()
  await focusByKeyboard(page, target)
  await page.keyboard.press(key)
}

async function follow(worker: Worker, target: Locator): Promise<void> {
  worker.cost.loads++
  await Promise.all([worker.page.waitForNavigation(), press(worker, target)])
}

async function type({ page, way, cost }: Worker, target: Locator, text: string): Promise<void> {
  cost.fields++
  if (way !== 'keyboard') {
    await target.fill(text)
    return target.blur() // otherwise an open list of options could cover the button to click next
  }
  await focusByKeyboard(page, target)
  await page.keyboard.type(text)
}

/** Opens the record with this asset tag by searching for it. On a phone, the search has a page of its own. */
async function search({ page, way, cost }: Worker, tag: string): Promise<void> {
  cost.loads++
  if (way === 'phone') await page.goto(`${origin}/search.php?q=${tag}`)
  else {
    if (way === 'keyboard') await page.keyboard.press('/')
    else await page.click('#global-search')
    await page.keyboard.type(tag)
    await page.keyboard.press('Enter')
  }
  await page.waitForURL(/[?&]id=\d+/)
}

async function goHome({ page, cost }: Worker): Promise<void> {
  await page.goto(`${origin}/`)
  Object.assign(cost, { clicks: 0, fields: 0, loads: 0 })
}

function assertCost({ cost, way }: Worker, most: InteractionCounts): void {
  const isWithin = cost.clicks <= most.clicks && cost.fields <= most.fields && cost.loads <= most.loads
  assert.ok(isWithin, `${way}: ${JSON.stringify(cost)}, at most ${JSON.stringify(most)}`)
}

const mainButton = ({ page }: Worker) => page.locator('main form button.main:visible').first()
const menuEntry = ({ page }: Worker, name: string) =>
  page.locator('details.menu[open]').getByText(name, { exact: true })
const newMenu = ({ page }: Worker) => page.locator('header details.menu > summary').filter({ hasText: 'New' })

async function add(worker: Worker, what: string): Promise<void> {
  await press(worker, newMenu(worker))
  await follow(worker, menuEntry(worker, what))
}

/** Adds a branch with two people, and equipment. `item` adds an asset of a person or of the stock. */
async function furnish({ client }: Worker) {
  const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id
  const branch = await create('/customers.php', { name: 'Berlin' })
  const person = (name: string, more: object = {}) =>
    create('/employees.php', { customer_id: branch, name, email: `${name.replace(' ', '.')}@example.com`, ...more })
  const item = (tag: string, holder?: number) =>
    create('/hardware.php', {
      asset_tag: tag,
      name: `Item ${tag}`,
      ...(holder ? { employee_id: holder } : { stock_customer_id: branch }),
    })
  const read = async (path: string): Promise<Json> => (await client('GET', path)).body
  return { person, item, read }
}

for (const way of ways) {
  test(`${way}: in an empty tenant, a branch and an asset in its stock take at most 7 clicks, 2 fields and 5 page loads`, async () => {
    await using worker = await startWorker(way, 'empty')
    const { page, client } = worker
    await goHome(worker)
    await add(worker, 'Add asset')
    await follow(worker, page.locator('main').getByText('Add branch'))
    await type(worker, page.locator('#name'), 'Berlin')
    await follow(worker, mainButton(worker))
    await add(worker, 'Add asset')
    await type(worker, page.locator('#model'), 'Latitude 5450')
    await follow(worker, mainButton(worker))
    const { model, status, employee } = (await client('GET', '/hardware.php?id=1&include=employee')).body
    assert.deepEqual([model, status, employee.kind, employee.name], ['Latitude 5450', 'spare', 'storage', 'Berlin'])
    assertCost(worker, { clicks: 7, fields: 2, loads: 5 })
  })

  test(`${way}: a new colleague with two items takes at most 4 clicks, 6 fields and 2 page loads`, async () => {
    await using worker = await startWorker(way, 'joiner')
    const { page } = worker
    const { item, read } = await furnish(worker)
    await item('T-1')
    await goHome(worker)
    await add(worker, 'Add person')
    await type(worker, page.locator('#name'), 'Zeynep Kaya')
    await type(worker, page.locator('#email'), 'zeynep@example.com')
    await type(worker, page.locator('#customer_id'), 'Berlin')
    await press(worker, page.getByRole('checkbox', { name: 'Item T-1' }), 'Space')
    await type(worker, page.locator('[id="new.0.model"]'), 'Galaxy S24')
    await type(worker, page.locator('[id="new.0.serial_number"]'), 'R5C-T20881')
    await follow(worker, mainButton(worker))
    const { data } = await read('/employees.php?email=zeynep@example.com')
    assert.equal((await read(`/hardware.php?employee_id=${data[0].id}`)).data.length, 2)
    assertCost(worker, { clicks: 4, fields: 6, loads: 2 })
  })

  test(`${way}: a leaver’s four items take at most 3 clicks, 1 field and 2 page loads`, async () => {
    await using worker = await startWorker(way, 'leaver')
    const { page } = worker
    const { person, item, read } = await furnish(worker)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const leaver = await person('Lena Fischer', { end_date: yesterday })
    for (const tag of ['T-1', 'T-2', 'T-3', 'T-4']) await item(tag, leaver)
    await goHome(worker)
    await follow(worker, page.locator(`main a[href^="offboard.php"]`).first())
    await follow(worker, mainButton(worker))
    assert.equal((await read(`/hardware.php?employee_id=${leaver}`)).data.length, 0)
    assert.equal((await read(`/employees.php?id=${leaver}`)).is_active, false)
    assertCost(worker, { clicks: 3, fields: 1, loads: 2 })
  })

  test(`${way}: a loan takes at most 2 clicks, 2 fields and 3 page loads, and its return 1 click and 1 page load`, async () => {
    await using worker = await startWorker(way, 'loan')
    const { page, cost } = worker
    const { person, item, read } = await furnish(worker)
    const [ada, id] = [await person('Ada Sommer'), await item('T-1')]
    const { employee_id: stock } = await read(`/hardware.php?id=${id}`)
    await goHome(worker)
    await search(worker, 'T-1')
    await follow(worker, page.locator('main').getByText('Lend', { exact: true }))
    await type(worker, page.locator('#employee_id'), 'Ada Sommer')
    cost.fields++
    await page.locator('#due_back').fill('2099-01-02')
    await follow(worker, mainButton(worker))
    const { employee_id, due_back } = await read(`/hardware.php?id=${id}`)
    assert.deepEqual([employee_id, due_back], [ada, '2099-01-02'])
    assertCost(worker, { clicks: 2, fields: 2, loads: 3 })
    Object.assign(cost, { clicks: 0, fields: 0, loads: 0 })
    await follow(worker, page.locator('main').getByText('Return to stock', { exact: true }))
    assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, stock)
    assertCost(worker, { clicks: 1, fields: 0, loads: 1 })
  })

  test(`${way}: a button fills in next Friday as the end of a loan`, async () => {
    await using worker = await startWorker(way, 'friday')
    const { page } = worker
    const { item } = await furnish(worker)
    await page.goto(`${origin}/assign.php?do=lend&ids=${await item('T-1')}`)
    await page.locator('#employee_id').fill('Somebody')
    const friday = page.getByRole('button', { name: 'Friday' })
    if (way === 'no-scripts') await follow(worker, friday)
    else await press(worker, friday)
    const day = new Date(await page.inputValue('#due_back'))
    assert.equal(day.getUTCDay(), 5)
    assert.ok(day.getTime() > Date.now() - 86_400_000 && day.getTime() < Date.now() + 9 * 86_400_000)
    assert.equal(await page.inputValue('#employee_id'), 'Somebody')
  })

  test(`${way}: a repair with a replacement takes at most 6 clicks, 2 fields and 6 page loads`, async () => {
    await using worker = await startWorker(way, 'repair')
    const { page } = worker
    const { person, item, read } = await furnish(worker)
    const ada = await person('Ada Sommer')
    const [broken, spare] = [await item('T-1', ada), await item('T-2')]
    await goHome(worker)
    await search(worker, 'T-1')
    await follow(worker, page.locator('main').getByText('Send to repair', { exact: true }))
    await type(worker, page.locator('#note'), 'Screen')
    await follow(worker, mainButton(worker))
    await follow(worker, page.locator('main').getByRole('link', { name: 'Ada Sommer' }).first())
    await follow(worker, page.locator('main').getByText('Give equipment', { exact: true }))
    await press(worker, page.getByRole('checkbox', { name: 'Item T-2' }), 'Space')
    await follow(worker, mainButton(worker))
    assert.equal((await read(`/hardware.php?id=${broken}`)).status, 'in_repair')
    assert.equal((await read(`/hardware.php?id=${spare}`)).employee_id, ada)
    assertCost(worker, { clicks: 6, fields: 2, loads: 6 })
  })
}

for (const way of ways)
  test(`${way}: moving a department to another branch takes at most 6 clicks, 2 fields and 4 page loads`, async () => {
    await using worker = await startWorker(way, 'department')
    const { page, client } = worker
    const { person, read } = await furnish(worker)
    const { body: munich } = await client('POST', '/customers.php', { name: 'Munich' })
    for (const name of ['Ada Sommer', 'Jonas Weber', 'Lena Fischer']) await person(name, { department: 'Sales' })
    await person('Nina Petersen', { department: 'Support' })
    await goHome(worker)
    await follow(
      worker,
      page.locator('nav').getByRole('link', { name: 'People', exact: true }).filter({ visible: true }),
    )
    await press(worker, page.locator('.chip summary').filter({ hasText: 'Department' }))
    await type(worker, page.locator('.chip[open] input:not([type=hidden])'), 'Sales')
    await follow(worker, page.locator('.chip[open] button.main'))
    const all = way === 'no-scripts' ? 'All 3 people that match' : 'Select all on this page'
    await press(worker, page.getByRole('checkbox', { name: all }), 'Space')
    await follow(worker, page.locator('.bulk').getByRole('button', { name: 'Move to branch' }).first())
    await type(worker, page.locator('#customer_id'), 'Munich')
    await follow(worker, mainButton(worker))
    const { data } = await read(`/employees.php?customer_id=${munich.id}`)
    assert.equal(data.length, 3)
    assertCost(worker, { clicks: 6, fields: 2, loads: 4 })
  })

for (const way of ways) {
  test(`${way}: a list of ending warranties for purchasing takes at most 3 clicks and 1 page load`, async () => {
    await using worker = await startWorker(way, 'warranty')
    const { page, client } = worker
    const { item } = await furnish(worker)
    const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    await client('PUT', `/hardware.php?id=${await item('T-1')}`, { warranty_end: inAMonth })
    await item('T-2')
    await goHome(worker)
    await follow(worker, page.locator('main a[href*="warranty"]').first())
    await press(worker, page.locator('main summary').filter({ hasText: 'Export' }))
    const downloading = page.waitForEvent('download')
    await press(worker, page.locator('details.menu[open]').getByText('Finance list'))
    const file = await readFile((await (await downloading).path())!, 'utf8')
    assert.deepEqual([file.includes('T-1'), file.includes('T-2')], [true, false])
    assertCost(worker, { clicks: 3, fields: 0, loads: 1 })
  })

  test(`${way}: undoing what has just been done takes 1 click and 1 page load`, async () => {
    await using worker = await startWorker(way, 'undo')
    const { page, cost } = worker
    const { person, item, read } = await furnish(worker)
    const [ada, stock] = [await person('Ada Sommer'), (await read(`/hardware.php?id=${await item('T-1')}`)).employee_id]
    const id = await item('T-2', ada)
    await page.goto(`${origin}/records.php?resource=hardware&id=${id}`)
    await follow(worker, page.locator('main').getByText('Return to stock', { exact: true }))
    assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, stock)
    Object.assign(cost, { clicks: 0, fields: 0, loads: 0 })
    await follow(worker, page.locator('.toast').getByRole('button', { name: 'Undo' }))
    assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, ada)
    assert.match(await page.locator('.toast').innerText(), /1 asset restored/)
    assertCost(worker, { clicks: 1, fields: 0, loads: 1 })
  })
}

for (const way of ['mouse', 'keyboard'] as const)
  test(`${way}: after “Save and add another”, Enter in the serial number saves each further asset, as a scanner does`, async () => {
    await using worker = await startWorker(way, 'scan')
    const { page, client } = worker
    await furnish(worker)
    await page.goto(`${origin}/records.php?resource=hardware&new=1`)
    await type(worker, page.locator('#model'), 'U27')
    await type(worker, page.locator('#serial_number'), 'S-1')
    await follow(worker, page.getByRole('button', { name: 'Save and add another' }))
    for (const serial of ['S-2', 'S-3']) {
      await page.locator('#serial_number:focus').waitFor()
      await page.keyboard.type(serial)
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    }
    const { data } = (await client('GET', '/hardware.php?sort=id&include=employee')).body
    assert.deepEqual(
      data.map(({ serial_number, model, employee }: Json) => [serial_number, model, employee.kind]),
      ['S-1', 'S-2', 'S-3'].map((serial) => [serial, 'U27', 'storage']),
    )
  })
