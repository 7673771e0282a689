// Tests the fields for choosing a record with JavaScript. test/panel/lists/choosing.test.ts tests them without JavaScript.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '../support/panel/browser.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await client('POST', '/customers.php', { name: 'Berlin' })
const people = [
  'Jonas Weber',
  'Zeynep Kaya',
  'Jonas Weberling',
  ...Array.from({ length: 10 }, (_, index) => `Person ${index}`),
]
for (const [index, name] of people.entries())
  await client('POST', '/employees.php', { customer_id: 1, name, email: `${index}@example.com` })

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'manager@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])

const field = page.locator('#employee_id')
const options = page.locator('[role=option]')
const announced = (text: string) => page.locator('[role=status]', { hasText: text }).waitFor({ state: 'attached' })
const openForm = () => page.goto(`${origin}/records.php?resource=hardware&new=1`)
const save = async () => {
  await Promise.all([page.waitForNavigation(), page.press('#serial_number', 'Enter')])
  return (await client('GET', '/hardware.php?sort=-id&limit=1')).body.data[0].employee_id
}

test('a field’s options can be reached with the arrow keys, and the number of results is announced', async () => {
  await openForm()
  assert.deepEqual([await field.getAttribute('role'), await field.getAttribute('aria-expanded')], ['combobox', 'false'])
  await field.fill('jonas')
  await announced('2 people')
  assert.equal(await field.getAttribute('aria-expanded'), 'true')
  const active = async () => page.locator(`#${await field.getAttribute('aria-activedescendant')}`).innerText()
  await field.press('ArrowDown')
  assert.match(await active(), /^Jonas Weberling/)
  await field.press('ArrowDown')
  assert.match(await active(), /^Jonas Weber\b/)
  await field.press('ArrowDown')
  assert.match(await active(), /^Jonas Weberling/)
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Jonas Weberling')
  assert.equal(await field.getAttribute('aria-expanded'), 'false')
  assert.equal(await save(), 3)
})

test('a click chooses an option, Tab chooses the active option, and Escape closes the list', async () => {
  await openForm()
  await field.fill('zey')
  await options.first().click()
  assert.equal(await field.inputValue(), 'Zeynep Kaya')
  assert.equal(await save(), 2)
  await openForm()
  await field.click()
  await announced('8 people or more')
  await field.press('Escape')
  assert.equal(await page.isVisible('#employee_id-list'), false)
  await field.fill('weber')
  await announced('2 people')
  await field.press('ArrowUp')
  await field.press('Tab')
  assert.equal(await field.inputValue(), 'Jonas Weber')
  assert.equal(await save(), 1)
})

test('if no option is chosen, the server looks up the typed text', async () => {
  await openForm()
  await field.fill('Zeynep Kaya')
  assert.equal(await save(), 2)
  await openForm()
  await field.fill('jonas w')
  await Promise.all([page.waitForNavigation(), page.press('#serial_number', 'Enter')])
  assert.match(await page.locator('#employee_id-error').innerText(), /Several people match/)
  assert.equal(await field.inputValue(), 'jonas w')
  assert.deepEqual(
    consoleErrors.filter((consoleError) => !/status of 422/.test(consoleError)),
    [],
  )
})
