// Tests the fields for choosing a record with JavaScript. test/panel/lists/choosing.test.ts tests them without JavaScript.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
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
const hasValue = (selector: string, value: string) =>
  eventually(`${selector} has the value ${value}`, async () => (await page.inputValue(selector)) === value, {
    everyMs: 20,
  })
const openForm = async () => {
  await page.goto(`${origin}/records.php?resource=hardware&new=1`)
  await page.getByText('With a person').click()
}
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

const peopleCount = async () => (await client('GET', '/employees.php?total=true&limit=1')).body.page.total

test('Enter takes the first option of an open list, or the active one, and does not submit the form', async () => {
  await openForm()
  await field.fill('jonas')
  await announced('2 people')
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Jonas Weberling')
  assert.equal(await field.getAttribute('aria-expanded'), 'false')
  await field.fill('nobody at all')
  await announced('No matches')
  await field.press('Enter')
  assert.equal(await field.getAttribute('aria-expanded'), 'true', 'a list without options stays open')
  await field.fill('jonas')
  await announced('2 people')
  await field.press('ArrowDown')
  await field.press('ArrowDown')
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Jonas Weber')
  await field.click()
  await announced('8 people or more')
  await field.press('Enter')
  assert.equal(await field.inputValue(), 'Jonas Weber', 'Enter keeps a chosen record')
  assert.match(page.url(), /new=1$/)
  assert.equal(await save(), 1)
})

test('Enter before the list is open searches at once: it takes the only match, and otherwise opens the list', async () => {
  await openForm()
  await field.pressSequentially('zeyn')
  await field.press('Enter')
  await hasValue('#employee_id', 'Zeynep Kaya')
  await field.fill('')
  await field.pressSequentially('jonas')
  await field.press('Enter')
  await options.nth(1).waitFor()
  assert.equal(await field.inputValue(), 'jonas')
  await field.pressSequentially(' weberl')
  await field.press('Enter')
  await hasValue('#employee_id', 'Jonas Weberling')
  assert.match(page.url(), /new=1$/)
})

test('a person created in a hurry with Enter in the branch field is created once, with all fields', async () => {
  const before = await peopleCount()
  await page.goto(`${origin}/records.php?resource=employees&new=1`)
  await page.fill('#email', 'nina@example.com')
  await page.locator('#customer_id').fill('Berl')
  await page.locator('#customer_id').press('Enter')
  await hasValue('#customer_id', 'Berlin')
  assert.equal(await peopleCount(), before)
  await page.fill('#department', 'Sales')
  await Promise.all([page.waitForNavigation(), page.press('#department', 'Enter')])
  const [person] = (await client('GET', '/employees.php?sort=-id&limit=1')).body.data
  assert.deepEqual([person.email, person.department, person.customer_id], ['nina@example.com', 'Sales', 1])
  assert.equal(await peopleCount(), before + 1)
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
