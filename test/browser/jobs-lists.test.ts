// Tasks with lists in a real browser: finding expiring warranties, filtering, and exporting the list for accounting.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { axeViolations } from '../support/panel/axe.ts'
import { openPage } from '../support/panel/browser.ts'
import { countInteractions } from '../support/panel/desk.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
await client('POST', '/customers.php', { name: 'Berlin' })
await client('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', name: 'Ada Sommer' })
for (const [name, days] of [
  ['Soon', 20],
  ['Later', 200],
  ['Over', -20],
] as const)
  await client('POST', '/hardware.php', { employee_id: 1, name, warranty_end: inDays(days), purchase_cost: 149900 })

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'desk@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])
const desk = countInteractions(page, origin)
const names = () => page.locator('tbody th a').allTextContents()

test('one click on a built-in view shows the assets whose warranty ends soon', async () => {
  await desk.open('records.php?resource=hardware')
  await desk.follow('.views >> text=Warranty ending')
  assert.deepEqual(await names(), ['Soon'])
  assert.deepEqual(desk.cost(), { clicks: 1, fields: 0, loads: 1 })
})

test('downloading the finance list takes two clicks', async () => {
  await desk.open('records.php?resource=hardware')
  await desk.click('summary:has-text("Export")')
  const downloading = page.waitForEvent('download')
  await desk.click('text=Finance list')
  const file = readFileSync(await (await downloading).path(), 'utf8')
  assert.match(file, /,1499\.00,EUR,[\d-]+,Berlin,Ada Sommer,,In use,\d+,[\d-]+T[\d:.]+Z\r\n/)
  assert.match(file, /\r\nTotal,,,,,,4497\.00,EUR,,,,,,,\r\n$/)
  assert.deepEqual(desk.cost(), { clicks: 2, fields: 0, loads: 0 })
})

test('a filter applies as soon as a value is chosen, and can be removed with its chip', async () => {
  await desk.open('records.php?resource=hardware')
  await desk.click('.chip summary:has-text("Warranty")')
  await Promise.all([page.waitForNavigation(), desk.choose('.chip[open] select', 'expired')])
  assert.deepEqual(await names(), ['Over'])
  await desk.follow('[aria-label="Remove filter: Warranty: ended"]')
  assert.equal((await names()).length, 3)
})

test('lists with open menus have no axe violations and cause no script errors', async () => {
  for (const summary of [
    '.chip summary:has-text("More filters")',
    'summary:has-text("Columns")',
    'summary:has-text("Save")',
  ]) {
    await page.goto(`${origin}/records.php?resource=hardware&status%5Bin%5D=in_use,spare&q=so`)
    await page.click(summary)
    assert.deepEqual(await axeViolations(page), [], summary)
  }
  assert.deepEqual(consoleErrors, [])
})
