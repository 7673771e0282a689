// The search field on every page and the keyboard shortcuts, with JavaScript.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axeViolations } from '../support/panel/axe.ts'
import { openPage } from '../support/panel/browser.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
await client('POST', '/customers.php', { name: 'Berlin' })
await client('POST', '/employees.php', { customer_id: 1, name: 'Jonas Weber', email: 'jonas@example.com' })
for (const tag of ['TD-0004', 'TD-0005', 'TD-0006'])
  await client('POST', '/hardware.php', { employee_id: 1, name: `ThinkPad ${tag}`, asset_tag: tag, type: 'laptop' })

const { page, consoleErrors } = await openPage(origin)
await page.goto(`${origin}/login.php`)
await page.fill('#email', 'manager@example.com')
await page.fill('#password', password)
await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])

const focused = () =>
  page.evaluate('document.activeElement.id || document.activeElement.textContent') as Promise<string>
const press = async (key: string) => Promise.all([page.waitForNavigation(), page.keyboard.press(key)])

test('a slash or Ctrl-K focuses the search field, and Enter opens the record whose asset tag was typed', async () => {
  for (const key of ['/', 'Control+k']) {
    await page.goto(`${origin}/activity.php`)
    await page.keyboard.press(key)
    assert.equal(await focused(), 'global-search')
    await page.keyboard.type('td0005')
    await press('Enter')
    assert.equal(new URL(page.url()).search, '?resource=hardware&id=2')
  }
})

test('the search offers records, pages and actions, which can be reached with the arrow keys', async () => {
  await page.goto(`${origin}/activity.php`)
  await page.keyboard.press('/')
  await page.locator('[role=option]', { hasText: 'Add asset' }).waitFor()
  await page.locator('[role=option]', { hasText: 'Give equipment' }).click()
  await page.waitForURL(/assign\.php$/)
  await page.goto(`${origin}/activity.php`)
  await page.keyboard.press('/')
  await page.keyboard.type('jonas')
  await page.locator('[role=option] mark', { hasText: 'Jonas' }).last().waitFor()
  assert.equal(await page.getAttribute('#global-search', 'aria-expanded'), 'true')
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press('ArrowDown')
  const active = await page.getAttribute('#global-search', 'aria-activedescendant')
  assert.match(await page.innerText(`#${active}`), /Jonas Weber/)
  await press('Enter')
  assert.equal(new URL(page.url()).search, '?resource=employees&id=1')
  await page.fill('#global-search', 'settings')
  await page.locator('[role=option]', { hasText: /^Settings$/ }).click()
  await page.waitForURL(/tenant_settings/)
})

test('the ? key shows the list of shortcuts, and single-key shortcuts can be turned off', async () => {
  await page.goto(`${origin}/records.php?resource=hardware`)
  await page.keyboard.press('j')
  assert.equal(await focused(), 'ThinkPad TD-0004')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  assert.equal(await page.locator('tbody tr:nth-child(2) [type=checkbox]').isChecked(), true)
  await page.keyboard.press('?')
  await page.locator('dialog[open] h2', { hasText: 'Keyboard shortcuts' }).waitFor()
  await page.uncheck('[data-letters]')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.keyboard.press('/')
  await page.keyboard.press('Control+k')
  assert.equal(await focused(), 'global-search')
  assert.equal(await page.inputValue('#global-search'), '')
  assert.equal(await page.locator('dialog').count(), 0)
  await page.goto(`${origin}/search.php?shortcuts=1`)
  await page.check('[data-letters]')
  assert.deepEqual(consoleErrors, [])
})

test('the search, its open list, and the list of shortcuts meet WCAG 2.2 AA in both themes', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const query of ['q=think', 'q=nothing', 'q=think&in=hardware', 'shortcuts=1']) {
      await page.goto(`${origin}/search.php?${query}`)
      assert.deepEqual(await axeViolations(page), [], `${query} ${colorScheme}`)
    }
    await page.keyboard.press('/')
    await page.keyboard.type('jonas')
    await page.locator('#global-search-list mark').first().waitFor()
    await page.keyboard.press('ArrowDown')
    assert.deepEqual(await axeViolations(page), [], `list ${colorScheme}`)
    await page.goto(`${origin}/records.php?resource=hardware&new=1`)
    await page.getByText('With a person').click()
    await page.click('#employee_id')
    await page.locator('#employee_id-list [role=option]').first().waitFor()
    assert.deepEqual(await axeViolations(page), [], `combobox ${colorScheme}`)
    await page.goto(`${origin}/activity.php`)
    await page.keyboard.press('?')
    await page.locator('dialog[open]').waitFor()
    assert.deepEqual(await axeViolations(page), [], `dialog ${colorScheme}`)
  }
})
