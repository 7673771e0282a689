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

/** Asserts that each value of a list is within the screen, and not cut off. Cells without a value are not shown. */
async function assertShowsEveryValue(path: string): Promise<void> {
  await page.goto(`${origin}/${path}`)
  const hidden = await page
    .locator('table.list tbody :is(th, td:not(.select)) :is(a, bdi, span, small)')
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.textContent !== '' && !part.matches('.none, .wide-only, .in-table'))
        .filter((part) => {
          const { width, right } = part.getBoundingClientRect()
          const isCutOff = [part, part.closest('th, td')!].some((each) => each.scrollWidth > each.clientWidth + 1)
          return width === 0 || right > 390 || isCutOff
        })
        .map((part) => part.outerHTML),
    )
  assert.deepEqual(hidden, [], path)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, path)
}

test('a card shows every value, however many and however long they are', async () => {
  const long = 'Niederlassung für Informationstechnik und Kommunikation'
  const branch = await client('POST', '/customers.php', { name: long, contract_end: '2031-05-01' })
  const person = { customer_id: branch.body.id, name: long, email: `${'long.'.repeat(11)}name@example.com` }
  const { body: holder } = await client('POST', '/employees.php', { ...person, end_date: '2031-04-30' })
  const numbers = {
    asset_tag: 'TD-LONG-0001-0002-0003-0004',
    serial_number: 'S'.repeat(60),
    warranty_end: '2031-03-01',
  }
  await client('POST', '/hardware.php', { employee_id: holder.id, name: long, ...numbers })
  for (const resource of ['hardware', 'employees', 'customers']) {
    await assertShowsEveryValue(`records.php?tenant=north&resource=${resource}`)
    const cards = await page.locator('table.list tbody tr').evaluateAll((rows) => rows.map((row) => row.clientHeight))
    assert.ok(cards[0]! < 72, `the card of a record with few short values has two lines: ${cards[0]}`)
  }
  await page.goto(`${origin}/records.php?tenant=north&resource=hardware`)
  const card = await page.locator('tbody tr').filter({ hasText: 'TD-LONG' }).innerText()
  assert.match(card, /TD-LONG-0001-0002-0003-0004.*S{60}/s)
  const label = await page.evaluate(
    `getComputedStyle(document.querySelector('tr:last-child [data-label="Warranty ends"]'), '::before').content`,
  )
  assert.equal(label, '"Warranty ends: "')
})

test('the lists of users and API keys show every value, and a form that invites a user shows what each role allows', async () => {
  const email = `${'a.very.long.'.repeat(4)}name@department.example.com`
  await createPanelUser(environment, email, 'north', 'viewer')
  for (const path of ['users.php?tenant=north', 'api_keys.php?tenant=north']) await assertShowsEveryValue(path)
  assert.match(await page.innerText('table.list tbody'), /command line/)
  await page.goto(`${origin}/users.php?tenant=north`)
  assert.match(await page.innerText('table.list tbody'), /Active.*UTC/s)
  await page.tap('main summary')
  for (const choice of await page.locator('#role label').all()) {
    assert.match(await choice.innerText(), /sees/)
    assert.ok(await choice.evaluate((label) => label.scrollWidth <= label.clientWidth && label.clientWidth < 390))
  }
  assert.deepEqual(await axeViolations(page), [])
})

test('in each language, the buttons that save a form are in one line', async () => {
  for (const language of ['en', 'de', 'tr']) {
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    for (const resource of ['hardware', 'employees']) {
      await page.goto(`${origin}/records.php?resource=${resource}&new=1`)
      const bar = await page.locator('.save-bar').boundingBox()
      assert.ok(bar!.height < 90, `${resource} in ${language}: ${bar!.height} px`)
    }
  }
  await page.setExtraHTTPHeaders({})
})
