// Tasks that start in a list, in a real browser: by mouse, with the keyboard alone, on a phone, and without scripts.
// After each task, the list is as it was.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { axeViolations } from '../support/panel/axe.ts'
import { launchBrowser } from '../support/panel/browser.ts'
import { countInteractions } from '../support/panel/desk.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const inBulk = async (resource: string, bodies: object[]) => {
  const operations = bodies.map((body) => ({ method: 'POST', resource, body }))
  assert.equal((await client('POST', '/bulk.php', { operations })).status, 200)
}
await inBulk('customers', [{ name: 'Berlin' }, { name: 'Hamburg' }])
const [berlin, hamburg] = [1, 2]
const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
const departmentOf = (index: number) => (index <= 12 ? 'Sales' : 'Service')
const personNamed = (index: number) => ({ name: `Person ${String(index).padStart(2, '0')}`, email: `p${index}@a.de` })
await inBulk(
  'employees',
  numbers.map((index) => ({ customer_id: berlin, ...personNamed(index), department: departmentOf(index) })),
)
await inBulk(
  'hardware',
  numbers.map((index) => ({ employee_id: index, name: `Item ${String(index).padStart(2, '0')}`, model: 'X1' })),
)

/** Signs in with a browser of its own, because this build of Chromium runs in a single process. */
async function signedIn(options: BrowserContextOptions): Promise<Page> {
  const browser: Browser = await launchBrowser()
  after(() => browser.close())
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', 'desk@example.com')
  await page.fill('#password', password)
  await Promise.all([page.waitForURL(`${origin}/`), page.press('#password', 'Enter')])
  return page
}

const viewport = { width: 1280, height: 800 }
const page = await signedIn({ viewport })
const desk = countInteractions(page, origin)
const assets = 'records.php?resource=hardware&sort=name'
const namesOn = (shown: Page) => shown.locator('table.list tbody th a').allInnerTexts()
const tickedOn = (shown: Page) => shown.locator('tbody tr:has(:checked) th a').allInnerTexts()
const placeOf = (shown: Page, row: number) => shown.locator('tbody tr').nth(row).boundingBox()

/** Waits until a row is where it was. */
const scrolledTo = (shown: Page, row: number, top: number) =>
  eventually(`row ${row} is at ${top}`, async () => Math.abs((await placeOf(shown, row))!.y - top) < 2)

test('a department moves to another branch in at most 7 clicks, 3 fields and 5 page loads', async () => {
  await desk.open('')
  await desk.follow('.side >> text=People')
  await desk.click('.chip summary:has-text("Department")')
  await desk.type('.chip[open] input:not([type=hidden])', 'Sales')
  await desk.send('.chip[open] input:not([type=hidden])')
  await desk.click('[data-select-page]')
  assert.equal(await page.innerText('.bulk .selected'), '12 selected')
  await desk.follow('.bulk button:has-text("Move to branch")')
  await desk.type('#customer_id', 'Hamburg')
  await page.press('#customer_id', 'Enter') // takes the suggestion, and the next one sends the form
  await page.locator('[type=hidden][name=customer_id]:not([value=""])').waitFor({ state: 'attached' })
  await desk.send('#customer_id')
  assert.match(await page.innerText('.toast'), /12 people changed/)
  const { clicks, fields, loads } = desk.cost()
  assert.ok(clicks <= 7 && fields <= 3 && loads <= 5, JSON.stringify(desk.cost()))
  assert.equal((await read(`/employees.php?customer_id=${hamburg}&total=true`)).page.total, 12)
  assert.deepEqual(await page.locator('.chip-set').allInnerTexts(), ['Department: “Sales”'])
  assert.equal((await tickedOn(page)).length, 12)
})

test('the filter’s chip holds its value and opens its form, so that the value can be changed in place', async () => {
  await desk.open(`${assets}&status%5Bin%5D=in_use`)
  assert.equal(await page.locator('.chip:has-text("Status")').count(), 1)
  await page.click('.chip-set summary')
  await page.check('.chip[open] [value=spare]')
  await desk.follow('.chip[open] button')
  assert.deepEqual(await page.locator('.chip-set').allInnerTexts(), ['Status: In use or Spare'])
  assert.deepEqual(await axeViolations(page), [])
})

test('five keys lead from a selected row to its action, and the list is then where it was', async () => {
  await page.goto(`${origin}/${assets}`)
  for (let index = 0; index < 40; index++) await page.keyboard.press('j')
  await page.keyboard.press('x')
  const before = await placeOf(page, 39)
  for (const key of ['a', 'Enter']) await page.keyboard.press(key)
  await page.waitForURL(/bulk_edit/)
  await page.locator('main form button.main:focus').waitFor() // the browser focuses it after loading
  await Promise.all([page.waitForURL(/records\.php/), page.keyboard.press('Enter')])
  assert.match(await page.innerText('.toast'), /Return to stock: 1 asset changed/)
  assert.deepEqual(await tickedOn(page), ['Item 40'])
  await scrolledTo(page, 39, before!.y)
  assert.doesNotMatch(page.url(), /selected/)
  const item = await read('/hardware.php?name=Item%2040')
  assert.equal(item.data[0].status, 'spare')
  await Promise.all([page.waitForNavigation(), page.click('.toast >> text=Undo')])
  assert.match(await page.innerText('.toast'), /1 asset restored.*Redo/s)
  assert.deepEqual(await tickedOn(page), ['Item 40'])
  await scrolledTo(page, 39, before!.y)
  assert.equal((await read('/hardware.php?name=Item%2040')).data[0].status, 'in_use')
  await Promise.all([page.waitForNavigation(), page.click('.toast >> text=Redo')])
  assert.match(await page.innerText('.toast'), /Undo/)
  await page.keyboard.press('?')
  assert.match(await page.innerText('dialog'), /a\s+Choose what to do with the selected rows/)
  await page.keyboard.press('Escape')
})

test('typing into the search field filters the list without leaving it, and its rows and filters still work', async () => {
  await page.goto(`${origin}/${assets}`)
  await page.evaluate('globalThis.stayed = true')
  await page.locator('main [type=search]').pressSequentially('item 3')
  await page.waitForURL(/q=item\+3/)
  assert.equal((await namesOn(page)).length, 15)
  assert.match(await page.innerText('h1'), /15 of 60/)
  assert.match(await page.locator('form.search [role=status]').innerText(), /15 of 60/)
  assert.equal(await page.evaluate('document.activeElement.name'), 'q')
  await page.fill('main [type=search]', 'item 31')
  await page.waitForURL(/q=item\+31/)
  await page.click('tbody [name=id]')
  assert.equal(await page.innerText('.bulk .selected'), '1 selected')
  await page.click('.bulk [data-clear]')
  assert.equal(await page.isVisible('.bulk'), false)
  await page.fill('main [type=search]', '')
  await page.waitForURL((url) => !url.search.includes('q='))
  assert.equal(await page.evaluate('globalThis.stayed'), true, 'the page was not loaded again')
  await page.click('.chip summary:has-text("Warranty")')
  await Promise.all([page.waitForNavigation(), page.selectOption('.chip[open] select', 'none')])
  assert.match(page.url(), /warranty=none/)
})

test('an export of selected rows leaves the list as it is, and another task can follow', async () => {
  await desk.open(assets)
  await page.click('tbody [name=id]')
  await page.click('.bulk summary')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.bulk li button[value=export]')])
  assert.match(download.suggestedFilename(), /\.csv$/)
  await desk.follow('.bulk > button[value=assign]')
  assert.match(page.url(), /bulk_edit/)
})

test('the back button does not ask to send a refused form again', async () => {
  await desk.open(assets)
  await page.click('tbody [name=id]')
  await desk.follow('.bulk > button[value=assign]')
  await desk.follow('main form button.main')
  assert.match(await page.innerText('main'), /Choose a person/)
  await desk.follow('.side >> text=Home')
  const answer = await page.goBack()
  assert.ok(answer === null || answer.ok())
  assert.match(await page.innerText('h1'), /Assign: 1 asset/)
})

test('in each language, every view has a tab within the screen or an entry in the menu of views', async () => {
  for (const language of ['en', 'de', 'tr']) {
    await page.setExtraHTTPHeaders({ 'accept-language': language })
    await page.goto(`${origin}/${assets}`)
    const [row, ...others] = await Promise.all([
      page.locator('.views > .tabs').boundingBox(),
      page.locator('.views > .tabs li').last().boundingBox(),
    ])
    assert.ok(others[0]!.x + others[0]!.width <= row!.x + row!.width, language)
    assert.equal(await page.locator('.views > .tabs li, .views > .menu li').count(), 7, language)
  }
  await page.setExtraHTTPHeaders({})
})

test('a list with many columns keeps its header and its names in view while it scrolls', async () => {
  const fields = ['status', 'employee_name', 'customer_name', 'asset_tag', 'serial_number', 'warranty_end', 'model']
  const columns = [...fields, 'manufacturer', 'purchase_date', 'purchase_cost', 'updated_at', 'created_at']
  await page.goto(`${origin}/${assets}&columns=name,${columns.join(',')}`)
  assert.deepEqual(await axeViolations(page), [])
  await page.evaluate(`document.querySelector('.scroll').scrollTo(400, 600)`)
  const [frame, head, name] = await Promise.all(
    ['.scroll', 'thead th', 'tbody tr:nth-child(30) th'].map((part) => page.locator(part).first().boundingBox()),
  )
  assert.equal(head!.y, frame!.y)
  assert.ok(name!.x >= frame!.x && name!.x < frame!.x + 50)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
})

test('a list that scrolls in a frame is where it was after a task, its undo, another theme, and going back', async () => {
  const fields = ['name', 'status', 'employee_name', 'customer_name', 'asset_tag', 'serial_number', 'warranty_end']
  await page.goto(`${origin}/${assets}&columns=${fields},model,manufacturer,purchase_date,purchase_cost,updated_at`)
  await page.evaluate(`document.querySelector('.scroll').scrollTo(300, 700)`)
  await page.locator('tbody [name=id]').nth(28).dispatchEvent('click')
  const place = await placeOf(page, 28)
  const leave = (selector: string) => {
    const button = page.locator(selector).first().dispatchEvent('click') // a click would scroll the page
    return Promise.all([page.waitForNavigation(), button])
  }
  const isWhereItWas = async () => {
    await scrolledTo(page, 28, place!.y)
    assert.equal((await placeOf(page, 28))!.x, place!.x)
  }
  await leave('.bulk > button[value=return]')
  await page.goBack()
  await isWhereItWas()
  await leave('.preferences [value=dark]')
  await isWhereItWas()
  await leave('.bulk > button[value=return]')
  await leave('main form button.main')
  await isWhereItWas()
  await leave('.toast form button')
  await isWhereItWas()
})

test('on a phone, the bar fits below the list, its menu has all tasks, and the list is then where it was', async () => {
  const phone = await signedIn({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true })
  await phone.goto(`${origin}/${assets}`)
  await phone.locator('tbody [name=id]').nth(25).tap()
  const [bar, bottom] = [await phone.locator('.bulk').boundingBox(), await phone.locator('.bottom').boundingBox()]
  assert.ok(bar!.x >= 0 && bar!.x + bar!.width <= 390 && bar!.y + bar!.height <= bottom!.y)
  assert.deepEqual(await axeViolations(phone), [])
  const before = await placeOf(phone, 25)
  await phone.tap('.bulk summary')
  assert.ok((await phone.locator('.bulk li').filter({ visible: true }).count()) >= 9)
  await phone.tap('.bulk summary')
  await phone.tap('.bulk > button[value=return]')
  await phone.waitForURL(/bulk_edit/)
  await phone.tap('main form button.main')
  await phone.waitForURL(/records\.php/)
  assert.deepEqual(await tickedOn(phone), ['Item 26'])
  await scrolledTo(phone, 25, before!.y)
  assert.equal(await phone.evaluate('document.documentElement.scrollWidth'), 390)
})

test('after another theme, row height or choice of columns, the list, its place and its selection are as they were', async () => {
  await page.goto(`${origin}/${assets}`)
  await page.locator('tbody [name=id]').nth(20).check()
  for (const choice of ['compact', 'comfortable', 'dark', 'light']) {
    const height = (await placeOf(page, 20))!.y
    const button = page.locator(`.preferences [value=${choice}]`)
    await Promise.all([page.waitForNavigation(), button.dispatchEvent('click')]) // a click would scroll the page
    assert.deepEqual(await tickedOn(page), ['Item 21'])
    await scrolledTo(page, 20, height)
  }
  await page.evaluate('scrollTo(0, 300)')
  const height = (await placeOf(page, 20))!.y
  const columns = page.locator('form:has([name=keep_columns])')
  await columns.locator('[value=id]').dispatchEvent('click')
  await Promise.all([page.waitForNavigation(), columns.locator('button.main').dispatchEvent('click')])
  assert.equal(await page.locator('thead th', { hasText: 'ID' }).count(), 1)
  assert.deepEqual(await tickedOn(page), ['Item 21'])
  await scrolledTo(page, 20, height)
  await page.goto(`${origin}/${assets}`)
  assert.deepEqual(await tickedOn(page), [], 'when the list is opened anew, nothing is ticked')
})

test('deleting a record and undoing it lead back to the list from which it was opened', async () => {
  const list = `${assets}&model=X1`
  await page.goto(`${origin}/${list}`)
  await page.locator('tbody [name=id]').nth(40).check()
  await page.locator('tbody th a').nth(45).scrollIntoViewIfNeeded()
  const before = await placeOf(page, 40)
  await desk.follow('tbody tr:nth-child(46) th a')
  await page.click('main details.menu > summary')
  await desk.follow('details[open] >> text=Delete')
  await desk.follow('main form button.danger')
  assert.equal(page.url(), `${origin}/${list}`)
  assert.match(await page.innerText('.toast'), /Item 46 deleted/)
  assert.deepEqual(await tickedOn(page), ['Item 41'])
  await scrolledTo(page, 40, before!.y)
  await desk.follow('.toast >> text=Undo')
  assert.equal(page.url(), `${origin}/${list}`)
  assert.equal((await namesOn(page)).includes('Item 46'), true)
})

test('undoing what was done on a record’s page leads back to the page', async () => {
  await desk.open('records.php?resource=hardware&id=20')
  await desk.follow('main .actions >> text=Return to stock')
  if (new URL(page.url()).pathname !== '/records.php') await desk.follow('main form button.main')
  await desk.follow('.toast >> text=Undo')
  assert.match(page.url(), /records\.php\?resource=hardware&id=20/)
  assert.match(await page.innerText('.toast'), /1 asset restored/)
})

test('without scripts, rows are selected and changed, and the list then shows the selection', async () => {
  const plain = await signedIn({ viewport, javaScriptEnabled: false })
  await plain.goto(`${origin}/${assets}&q=item`)
  await plain.locator('tbody [name=id]').nth(44).check()
  await plain.click('.bulk > button[value=return]')
  await plain.click('main form button.main')
  await plain.waitForURL(/records\.php.*q=item.*selected=/)
  const row = plain.locator('tbody tr', { has: plain.locator(':checked') })
  assert.equal(await row.locator('th a').innerText(), 'Item 45')
  const place = await row.boundingBox()
  assert.ok(place!.y > 0 && place!.y < viewport.height, `the row is at ${place!.y}`)
  await plain.click('.bulk [data-clear]')
  await plain.waitForURL((url) => !url.search.includes('selected'))
  assert.equal(await plain.locator('tbody :checked').count(), 0)
  await plain.fill('main [type=search]', 'item 05')
  await plain.click('form.search button')
  assert.deepEqual(await namesOn(plain), ['Item 05'])
})

test('a value that is cut off is shown as a whole while the pointer is over it', async () => {
  const name = 'Large screen of the meeting room with a camera for conferences, a microphone and two loudspeakers'
  await client('POST', '/hardware.php', { employee_id: 1, name, asset_tag: 'LONG' })
  await page.goto(`${origin}/records.php?tenant=north&resource=hardware&asset_tag=LONG`)
  const title = page.locator('table.list tbody th a')
  assert.equal(await title.getAttribute('title'), null)
  await title.hover()
  assert.equal(await title.getAttribute('title'), name)
})
