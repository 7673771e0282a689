// Tasks with many records in a real browser: closing a branch, selecting rows, and printing forms.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations } from '../support/panel/axe.ts'
import { openPage } from '../support/panel/browser.ts'
import { countInteractions } from '../support/panel/desk.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id

const berlin = await create('/customers.php', { name: 'Berlin' })
const hamburg = await create('/customers.php', { name: 'Hamburg' })
const place = { customer_id: hamburg, kind: 'storage', name: 'Hamburg', email: 's@a.de' }
const stock = await create('/employees.php', place)
const people: number[] = []
for (let index = 0; index < 8; index++) {
  const email = `p${index}@a.de`
  people.push(await create('/employees.php', { customer_id: hamburg, name: `Person ${index}`, email }))
}
const bodies = Array.from({ length: 20 }, (_, index) => ({
  name: `Item ${index}`,
  type: 'laptop',
  ...(index < 12 ? { employee_id: people[index % 8]!, status: 'in_use' } : { employee_id: stock, status: 'spare' }),
}))
for (const body of bodies) await create('/hardware.php', body)

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'desk@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])
const desk = countInteractions(page, origin)

test('Shift-click selects a range of rows, the bar shows how many are selected, and one click undoes the bulk change', async () => {
  await desk.open('records.php?resource=hardware&sort=id')
  assert.equal(await page.isVisible('.bulk'), false)
  await page.click('tbody [name="id"] >> nth=0')
  await page.click('tbody [name="id"] >> nth=9', { modifiers: ['Shift'] })
  assert.equal(await page.innerText('.bulk output'), '10')
  assert.deepEqual(await axeViolations(page), [])
  await desk.follow('.bulk button:has-text("Return to stock")')
  assert.deepEqual(await axeViolations(page), [])
  await desk.follow('main form button.main')
  assert.match(await page.innerText('.toast'), /10 assets changed/)
  assert.equal((await read('/hardware.php?status=spare&total=true')).page.total, 18)
  assert.deepEqual(desk.cost(), { clicks: 2, fields: 0, loads: 2 })
  await desk.follow('.toast form button')
  assert.equal((await read('/hardware.php?status=spare&total=true')).page.total, 8)
})

test('the bar offers only actions that fit a selected asset, and not all matching rows when all are ticked', async () => {
  await desk.open('records.php?resource=hardware&sort=id')
  const returning = page.locator('.bulk > button[value=return]')
  await page.click('tbody tr:has-text("In stock") [name="id"]')
  assert.deepEqual([await returning.isDisabled(), await page.isVisible('.bulk [name=all]')], [true, true])
  await page.click('tbody [name="id"] >> nth=0')
  assert.equal(await returning.isDisabled(), false)
  await page.check('[data-select-page]')
  assert.equal(await page.isVisible('.bulk [name=all]'), false)
  await page.click('text=Clear selection')
  assert.equal(await page.isVisible('.bulk'), false)
})

/** Ticks two rows of the list and chooses what to do with them. `isInMenu`: whether the task has no button of its own. */
async function selectForTask(task: string, isInMenu: boolean): Promise<void> {
  await desk.open('records.php?resource=hardware&sort=id')
  await page.click('tbody [name="id"] >> nth=0')
  await page.click('tbody [name="id"] >> nth=1')
  if (isInMenu) await desk.click('.bulk summary')
  await desk.follow(`.bulk ${isInMenu ? 'li' : '>'} button[value=${task}]`)
}

test('entering a value selects the field for the bulk change, and the pages for bulk changes are accessible', async () => {
  await selectForTask('edit', true)
  assert.deepEqual(await axeViolations(page), [])
  await page.fill('#model', 'X1')
  assert.equal(await page.isChecked('[name="change"][value="model"]'), true)
  await desk.follow('main form button.main')
  assert.match(await page.innerText('main'), /2\s*will change/)
  await selectForTask('assign', false)
  assert.deepEqual(await axeViolations(page), [])
})

test('the print dialog opens only once, not again after a reload, and the form pages are accessible', async () => {
  await page.addInitScript('globalThis.printed = 0; globalThis.print = () => { globalThis.printed += 1 }')
  await desk.open(`hand_over.php?person=${people[0]}&kind=hand_over`)
  assert.deepEqual(await axeViolations(page), [])
  await desk.follow('main form button.main')
  await page.waitForLoadState('load')
  const printed = () => page.evaluate('printed')
  assert.deepEqual([await printed(), page.url().includes('print=')], [1, false])
  await page.reload()
  assert.equal(await printed(), 0)
})

test('closing a branch with 8 people and 20 assets takes 5 clicks, 1 field and 4 page loads', async () => {
  await desk.open('records.php?resource=customers')
  await desk.follow('main >> text=Hamburg')
  await desk.click('main .menu > summary.button')
  await desk.follow('main >> text=Close branch')
  assert.deepEqual(await axeViolations(page), [])
  await desk.type('#customer_id', 'Berlin')
  await page.press('#customer_id', 'Enter') // takes the suggestion, and the next one sends the form
  await page.locator('[type=hidden][name=customer_id]:not([value=""])').waitFor({ state: 'attached' })
  await desk.send('#customer_id')
  assert.deepEqual(await axeViolations(page), [])
  await desk.follow('main form button.main')
  assert.match(await page.innerText('.toast'), /Hamburg is closed\. 8 people moved, 8 assets moved to stock\./)
  const moved = await read(`/hardware.php?customer_id=${berlin}&total=true`)
  assert.equal(moved.page.total, 20)
  assert.deepEqual(desk.cost(), { clicks: 5, fields: 1, loads: 4 })
})

test('the browser reported no warnings or errors', () => assert.deepEqual(consoleErrors, []))
