// Going back in a browser without scripts. A form that was refused or continued is shown again with its input, and the
// browser does not ask to send it again.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { launchBrowser } from '../support/panel/browser.ts'
import { createPanelUser, openBrowser, password } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id
const branch = await create('/customers.php', { name: 'Berlin' })
const ada = await create('/employees.php', { customer_id: branch, name: 'Ada Sommer', email: 'ada@a.de' })
const laptop = await create('/hardware.php', { stock_customer_id: branch, name: 'Laptop' })

const browser = await launchBrowser()
after(() => browser.close())
const page = await browser.newPage({ javaScriptEnabled: false })
const methods: string[] = []
page.on('request', (request) => methods.push(request.method()))
const send = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)])

/** Leaves the page, and goes back to it. */
async function leaveAndReturn(): Promise<void> {
  await page.goto(`${origin}/`)
  methods.length = 0
  await page.goBack()
  await page.reload()
  assert.deepEqual(methods.includes('POST'), false)
}

test('a refused sign-in is shown again', async () => {
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', 'desk@example.com')
  await page.fill('#password', 'wrong')
  await send('button.main')
  await leaveAndReturn()
  assert.deepEqual([await page.inputValue('#email'), await page.inputValue('#password')], ['desk@example.com', ''])
  await page.fill('#password', password)
  await send('button.main')
})

test('a refused form for a record is shown again with its input and its errors', async () => {
  await page.goto(`${origin}/records.php?resource=customers&new=1`)
  await page.fill('#city', 'Hamburg')
  await send('button.main:visible')
  await leaveAndReturn()
  assert.equal(await page.inputValue('#city'), 'Hamburg')
  assert.equal(await page.getAttribute('#name', 'aria-invalid'), 'true')
  await page.fill('#name', 'Hamburg office')
  await send('button.main:visible')
  assert.equal(await page.textContent('h1'), 'Hamburg office')
})

test('a refused form at the desk is shown again, and so is one that was only continued', async () => {
  await page.goto(`${origin}/assign.php?do=lend&ids=${laptop}`)
  await page.fill('#employee_id', 'Nobody of this name')
  await send('button.main:visible')
  await leaveAndReturn()
  assert.equal(await page.inputValue('#employee_id'), 'Nobody of this name')
  await page.goto(`${origin}/assign.php?person=${ada}`)
  await page.fill('[id="new.0.model"]', 'X1')
  await send('text=Add another')
  await leaveAndReturn()
  assert.equal(await page.inputValue('[id="new.0.model"]'), 'X1')
  assert.equal(await page.locator('[id="new.3.model"]').count(), 1)
})

test('a kept form is shown only to the browser that sent it', async () => {
  await page.goto(`${origin}/records.php?resource=customers&new=1`)
  await page.fill('#city', 'Secret town')
  await send('button.main:visible')
  const { pathname, search } = new URL(page.url())
  assert.match(search, /refused=/)
  const stranger = openBrowser(origin)
  assert.equal((await stranger.get(`${pathname.slice(1)}${search}`)).html.includes('Secret town'), false)
})
