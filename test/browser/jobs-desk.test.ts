// Daily tasks of a help desk in a real browser, each with a maximum number of clicks, fields and page loads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations } from '../support/panel/axe.ts'
import { openPage } from '../support/panel/browser.ts'
import { countInteractions, type InteractionCounts } from '../support/panel/desk.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id
await client('PUT', '/settings.php', { tag_format: 'ND-{0000}' })
const berlin = await create('/customers.php', { name: 'Berlin' })
const stock = await create('/employees.php', { customer_id: berlin, email: 's@a.de', name: 'Berlin', kind: 'storage' })
const ada = await create('/employees.php', { customer_id: berlin, email: 'ada@a.de', name: 'Ada Sommer' })
const item = (name: string, holder: number, status = 'in_use') =>
  create('/hardware.php', { employee_id: holder, name, status })
const itemPage = (id: number) => `records.php?resource=hardware&id=${id}`
const personPage = (id: number) => `records.php?resource=employees&id=${id}`

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'desk@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])
const desk = countInteractions(page, origin)

/** Asserts that the task took no more clicks, fields and page loads than `target`. */
function assertCost(target: InteractionCounts): void {
  const cost = desk.cost()
  for (const [name, most] of Object.entries(target))
    assert.ok(
      cost[name as keyof InteractionCounts] <= most,
      `${name}: ${cost[name as keyof InteractionCounts]}, at most ${most}`,
    )
}

test('giving a new person a new laptop and a new phone takes at most 4 clicks, 9 fields and 3 page loads', async () => {
  await desk.open('')
  await desk.click('.top .menu > summary.button')
  await desk.follow('.menu[open] >> text=Add person')
  await desk.type('#name', 'Zeynep Kaya')
  await desk.type('#email', 'zeynep@example.com')
  await desk.type('#customer_id', 'Berlin')
  await desk.type('[id="new.0.model"]', 'ThinkPad X1')
  await desk.type('[id="new.0.serial_number"]', 'PF-3K9X21')
  await desk.type('[id="new.1.model"]', 'Galaxy S24')
  await desk.type('[id="new.1.serial_number"]', 'R5C-T20881')
  await desk.follow('form.record button.main:visible')
  assert.equal(await page.textContent('h1'), 'Zeynep Kaya')
  const { data } = await read('/hardware.php?q=ND-000&sort=id')
  assert.deepEqual(
    data.map(({ type, asset_tag }: Json) => [type, asset_tag]),
    [
      ['laptop', 'ND-0001'],
      ['phone', 'ND-0002'],
    ],
  )
  assertCost({ clicks: 4, fields: 9, loads: 3 })
})

test('assigning a spare laptop from its page takes at most 3 clicks, 1 field and 2 page loads', async () => {
  const id = await item('Spare laptop', stock, 'spare')
  await desk.open(itemPage(id))
  await desk.follow('main >> text="Assign"')
  await desk.type('#employee_id', 'Ada Sommer')
  await page.press('#employee_id', 'Enter') // takes the suggestion, and the next one sends the form
  await page.locator('[type=hidden][name=employee_id]:not([value=""])').waitFor({ state: 'attached' })
  await desk.send('#employee_id')
  assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, ada)
  assertCost({ clicks: 3, fields: 1, loads: 2 })
})

test('giving a person a spare laptop from their page takes at most 3 clicks, 1 field and 2 page loads', async () => {
  const id = await item('Other laptop', stock, 'spare')
  await desk.open(personPage(ada))
  await desk.follow('main >> text="Give equipment"')
  await desk.click('text=Other laptop')
  await desk.follow('form.desk button.main:visible')
  assert.equal((await read(`/hardware.php?id=${id}`)).employee_id, ada)
  assertCost({ clicks: 3, fields: 1, loads: 2 })
})

test('typing filters the stock list without losing the selection, and adding a row keeps what has already been entered', async () => {
  for (const name of ['Red phone', 'Blue phone']) await item(name, stock, 'spare')
  await desk.open(`assign.php?person=${ada}`)
  const before = await page.evaluate('performance.timeOrigin')
  const found = page.locator('#stock-found li')
  const search = page.getByLabel('Search stock')
  await search.fill('red ph')
  await page.getByRole('status').filter({ hasText: '1 asset' }).waitFor({ state: 'attached' })
  await found.getByText('Red phone').click()
  await search.fill('blue')
  await page.getByRole('status').filter({ hasText: '2 assets' }).waitFor({ state: 'attached' })
  assert.deepEqual(await found.locator('.name').allInnerTexts(), ['Red phone', 'Blue phone'])
  assert.deepEqual(
    await found.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => box.matches(':checked'))),
    [true, false],
  )
  assert.equal(await search.evaluate((each) => each.matches(':focus')), true)
  await page.fill('[id="new.2.model"]', 'U27')
  await page.click('text=Add another')
  await page.locator('[id="new.3.model"]:focus').waitFor()
  await page.keyboard.type('Dock 4')
  assert.deepEqual(await axeViolations(page), [])
  assert.equal(await page.evaluate('performance.timeOrigin'), before, 'no page was loaded')
  await desk.follow('form.desk button.main:visible')
  const { data } = await read(`/hardware.php?employee_id=${ada}&sort=-id&limit=3`)
  assert.deepEqual(
    data.map(({ name, model }: Json) => name ?? model),
    ['Dock 4', 'U27', 'Red phone'],
  )
})

test('returning a leaver’s four assets takes at most 3 clicks, 1 field and 2 page loads, and can be undone', async () => {
  const leaver = await create('/employees.php', { customer_id: berlin, email: 'l@a.de', name: 'Lena Fischer' })
  for (const name of ['Laptop', 'Phone', 'Monitor', 'Dock']) await item(name, leaver)
  await desk.open(personPage(leaver))
  await desk.follow('main >> text="Offboard"')
  await desk.follow('form.desk button.main:visible')
  const held = async () => (await read(`/hardware.php?employee_id=${leaver}&total=true`)).page.total
  assert.deepEqual([await held(), (await read(`/employees.php?id=${leaver}`)).is_active], [0, false])
  assertCost({ clicks: 3, fields: 1, loads: 2 })
  await desk.follow('.toast >> text=Undo')
  assert.deepEqual([await held(), (await read(`/employees.php?id=${leaver}`)).is_active], [4, true])
})

test('sending a laptop to repair and recording its return take at most 2 clicks each', async () => {
  const id = await item('Broken laptop', ada)
  await desk.open(itemPage(id))
  await desk.follow('main >> text="Send to repair"')
  await desk.follow('form.desk button.main:visible')
  assert.equal((await read(`/hardware.php?id=${id}`)).status, 'in_repair')
  assertCost({ clicks: 2, fields: 0, loads: 2 })
  await desk.open(itemPage(id))
  await desk.follow('main >> text="Back from repair"')
  assert.equal((await read(`/hardware.php?id=${id}`)).status, 'in_use')
  assertCost({ clicks: 2, fields: 0, loads: 2 })
})

test('printed forms for signing fit on A4 paper in every language, even if assets have long names', async () => {
  const long = 'A name that goes on and on, WITHOUTANYBREAKINTHISVERYLONGWORDTHATDOESNOTEND'
  const holder = await create('/employees.php', { customer_id: berlin, email: 'p@a.de', name: 'أحمد عبد الرحمن' })
  const values = { employee_id: holder, model: long, asset_tag: 'TAG-WITH-30-CHARACTERS-IN-IT-1' }
  await client('POST', '/hardware.php', {
    ...values,
    name: long,
    serial_number: long.toUpperCase().replaceAll(' ', ''),
  })
  const set = (await read('/changes.php?order=desc&limit=1')).data[0].change_set
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 680, height: 960 }) // the width of A4 within its margins
  for (const lang of ['en', 'de', 'tr'])
    for (const query of [`change_set=${set}`, `person=${holder}`]) {
      await page.goto(`${origin}/hand_over.php?${query}&lang=${lang}`)
      const cut = page.locator('.paper :is(th, td, p, h2)').filter({ visible: true })
      const wide = await cut.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length)
      assert.deepEqual(
        [wide, await page.evaluate('document.documentElement.scrollWidth')],
        [0, 680],
        `${query} ${lang}`,
      )
    }
  await page.emulateMedia({ media: null })
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('the forms for handing out and returning equipment meet WCAG 2.2 AA in both themes and fit on a phone', async () => {
  const id = await item('Ünlü laptop with a rather long name that says everything about it', ada)
  await item('شاشة', stock, 'spare')
  const paths = [
    `assign.php?do=lend&ids=${id}`,
    `assign.php?person=${ada}`,
    `offboard.php?person=${ada}`,
    personPage(ada),
  ]
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of [...paths, 'records.php?resource=employees&new=1', 'records.php?resource=hardware&new=1']) {
      await page.goto(`${origin}/${path}`)
      assert.deepEqual(await axeViolations(page), [], `${path} ${colorScheme}`)
    }
  }
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of [...paths, itemPage(id), 'records.php?resource=hardware&new=1']) {
    await page.goto(`${origin}/${path}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, path)
  }
  assert.deepEqual(consoleErrors, [])
})
