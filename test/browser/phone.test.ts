// The panel on a phone: signing in, the bar at the bottom, lists as cards, and the sheets for sorting and filtering.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { axeViolations } from '../support/panel/axe.ts'
import { launchBrowser } from '../support/panel/browser.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService({}, { nodes: 1 })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await client('POST', '/customers.php', { name: 'Berlin' })
await client('POST', '/employees.php', { customer_id: 1, name: 'Jonas Weber', email: 'jonas@example.com' })
for (const [name, status] of [
  ['Laptop', 'in_use'],
  ['Phone', 'in_repair'],
  ['Anvil', 'in_use'],
])
  await client('POST', '/hardware.php', { employee_id: 1, name, status, asset_tag: `TD-${name}` })

const browser = await launchBrowser()
after(() => browser.close())
const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
const page = await context.newPage()

/** Asserts that the open sheet is within the screen and above the bar at the bottom. */
async function assertSheet(selector: string): Promise<void> {
  const [sheet, bar] = [await page.locator(selector).boundingBox(), await page.locator('.bottom').boundingBox()]
  assert.ok(sheet && bar && sheet.x >= 0 && sheet.x + sheet.width <= 390 && sheet.y >= 0, JSON.stringify(sheet))
  assert.ok(sheet.y + sheet.height <= bar.y, 'the bar does not cover the sheet')
}

const names = () => page.locator('table.list tbody th a').allInnerTexts()

test('a typed password can be shown', async () => {
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', 'manager@example.com')
  await page.fill('#password', password)
  await page.tap('[data-reveal]')
  assert.deepEqual(
    [await page.getAttribute('#password', 'type'), await page.isChecked('[data-reveal]')],
    ['text', true],
  )
  assert.deepEqual(await axeViolations(page), [])
  await Promise.all([page.waitForURL(`${origin}/`), page.tap('button.main')])
})

test('in the list of people, a badge shows who has left', async () => {
  await client('POST', '/employees.php', {
    customer_id: 1,
    name: 'Gone Person',
    email: 'g@example.com',
    is_active: false,
  })
  await page.goto(`${origin}/records.php?resource=employees`)
  const row = page.locator('tbody tr').filter({ hasText: 'Gone Person' })
  assert.equal(await row.locator('.badge').innerText(), 'Left')
  const shown = await row.locator('th a').evaluate((link) => link.scrollWidth <= link.clientWidth)
  assert.ok(shown, 'the name is not cut off')
})

test('the bottom bar links to the tenant’s main pages, and its menu links to the other pages', async () => {
  for (const [label, address] of [
    ['Assets', /resource=hardware/],
    ['Search', /search\.php/],
    ['People', /resource=employees/],
  ] as const) {
    await page.tap(`.bottom >> text=${label}`)
    await page.waitForURL(address)
    assert.equal(await page.innerText('.bottom [aria-current]'), label)
  }
  await page.tap('.bottom summary')
  await assertSheet('.bottom .menu-items')
  assert.deepEqual(await axeViolations(page), [])
  await page.tap('.bottom .menu-items >> text=Activity')
  await page.waitForURL(/activity\.php/)
})

test('the Sort menu of a list sorts its cards, and choosing the same field again reverses the order', async () => {
  await page.goto(`${origin}/records.php?resource=hardware`)
  assert.equal(await page.locator('table.list thead th').first().isVisible(), false)
  for (const [label, address, sorted] of [
    [/^Name$/, /sort=name/, ['Anvil', 'Laptop', 'Phone']],
    [/^Name ↑$/, /sort=-name/, ['Phone', 'Laptop', 'Anvil']],
  ] as const) {
    await page.tap('.menu.sort > summary')
    await assertSheet('.menu.sort .menu-items')
    await page.locator('.menu.sort a', { hasText: label }).tap()
    await page.waitForURL(address)
    assert.deepEqual(await names(), sorted)
  }
})

test('a filter opens as a sheet, its chip comes first and can be removed, and the page does not scroll sideways', async () => {
  await page.goto(`${origin}/records.php?resource=hardware`)
  await page.locator('.chip summary', { hasText: 'Status' }).tap()
  await assertSheet('.chip[open] .menu-items')
  await page.getByLabel('In repair').check()
  await page.tap('.chip[open] button')
  await page.waitForURL(/status=in_repair|status%5B/)
  assert.deepEqual(await names(), ['Phone'])
  assert.match(await page.innerText('table.list tbody tr'), /Phone\s+In repair\s+Jonas Weber\s+Berlin\s+TD-Phone/)
  const [set, first] = await Promise.all([
    page.locator('.chip-set').boundingBox(),
    page.locator('.chip').first().boundingBox(),
  ])
  assert.ok(set!.x < first!.x)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await page.tap('.chip-set a')
  await page.waitForURL((url) => !url.search.includes('status'))
  assert.equal((await names()).length, 3)
})

test('a card shows its name in one line, and all other values in a second one, however long they are', async () => {
  const long = 'Niederlassung für Informationstechnik und Kommunikation'
  const branch = await client('POST', '/customers.php', { name: long })
  const person = { customer_id: branch.body.id, name: long, email: 'long@example.com' }
  const { body: holder } = await client('POST', '/employees.php', person)
  await client('POST', '/hardware.php', { employee_id: holder.id, name: long, asset_tag: 'TD-LONG-0001' })
  for (const [resource, shortest] of [
    ['hardware', 30],
    ['employees', 60],
  ] as const) {
    await page.goto(`${origin}/records.php?tenant=north&resource=${resource}`)
    for (const row of await page.locator('table.list tbody tr').all()) {
      const [card, name] = [await row.boundingBox(), await row.locator('th a').boundingBox()]
      assert.ok(card && card.height < 72, `${resource}: ${card?.height}`)
      assert.ok(name && name.width > shortest, `${resource}: ${name?.width}`)
    }
  }
})
