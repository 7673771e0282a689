// Forms store unsaved input as drafts in the browser.

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
await client('POST', '/customers.php', { name: 'Berlin', city: 'Berlin' })
for (const email of ['lena@example.com', 'ada@example.com']) await createPanelUser(environment, email, 'north')
const { page } = await openPage(origin)

const edit = `${origin}/records.php?resource=customers&id=1&edit=1`
const add = `${origin}/records.php?resource=customers&new=1`

async function follow(selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)])
}

async function signIn(email: string): Promise<void> {
  await page.goto(`${origin}/login.php`)
  await signInHere(email)
}

async function signInHere(email: string): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await follow('button.main')
}

const drafts = () => page.evaluate(`Object.keys(sessionStorage).filter((key) => key.startsWith('draft ')).length`)

test('a form keeps its input when the user leaves it, goes back or reloads the page, and offers to discard the input', async () => {
  await signIn('lena@example.com')
  await page.goto(edit)
  await page.fill('#city', 'Hamburg')
  await page.uncheck('#is_active')
  await follow('.save-bar a')
  await page.goBack()
  assert.deepEqual([await page.inputValue('#city'), await page.isChecked('#is_active')], ['Hamburg', false])
  await page.reload()
  assert.equal(await page.inputValue('#city'), 'Hamburg')
  await follow('main .notice button')
  assert.deepEqual([await page.inputValue('#city'), await drafts()], ['Berlin', 0])
})

test('equipment forms keep their input when the user leaves and comes back, until the form is submitted', async () => {
  const give = `${origin}/assign.php?person=1`
  await client('POST', '/employees.php', { customer_id: 1, email: 'zeynep@example.com', name: 'Zeynep' })
  await client('POST', '/employees.php', { customer_id: 1, email: 's@example.com', name: 'Stock', kind: 'storage' })
  for (const name of ['One', 'Two']) await client('POST', '/hardware.php', { employee_id: 2, name, status: 'spare' })
  await page.goto(give)
  await page.getByLabel('Two').check()
  await page.fill('[id="new.0.model"]', 'X1')
  await page.click('text=Add another')
  await page.locator('[id="new.3.model"]:focus').waitFor()
  await page.keyboard.type('Fourth')
  await follow('.desk .actions a')
  await page.goBack()
  const fourth = page.locator('[id="new.3.model"]')
  await eventually('the added rows are restored', async () => (await fourth.inputValue()) === 'Fourth')
  assert.deepEqual(
    [await page.getByLabel('Two').isChecked(), await page.inputValue('[id="new.0.model"]')],
    [true, 'X1'],
  )
  await follow('.desk button.main:visible')
  assert.equal(await drafts(), 0)
  await page.goto(give)
  assert.equal(await page.inputValue('[id="new.0.model"]'), '')
  await page.goto(`${origin}/assign.php?do=send_to_repair&ids=2`)
  await page.fill('#note', 'Keyboard')
  await follow('.desk .actions a')
  await page.goBack()
  assert.equal(await page.inputValue('#note'), 'Keyboard')
  await follow('.desk button.main:visible')
  assert.equal(await drafts(), 0)
})

test('submitting a form deletes its draft, unless the server refuses the form', async () => {
  await page.goto(add)
  await page.fill('#name', 'Hamburg')
  await page.fill('#code', 'x'.repeat(30))
  await follow('button.main')
  assert.equal(await page.inputValue('#name'), 'Hamburg')
  await page.goto(`${origin}/activity.php`)
  assert.equal(await drafts(), 1)
  await page.goto(add)
  assert.equal(await page.inputValue('#name'), 'Hamburg')
  await page.fill('#code', 'HH')
  await follow('[name=add_another]')
  assert.deepEqual([await page.inputValue('#name'), await drafts()], ['', 0])
})

test('saving a draft of a record that has since changed lets the user choose between the two versions', async () => {
  await page.goto(edit)
  await page.fill('#city', 'Kiel')
  await page.goto(`${origin}/activity.php`)
  await client('PUT', '/customers.php?id=1', { city: 'Bremen' })
  await page.goto(edit)
  assert.equal(await page.inputValue('#city'), 'Kiel')
  await follow('button.main')
  assert.match((await page.textContent('.compare'))!, /Kiel.*Bremen/s)
  await follow('button.main')
  assert.deepEqual([(await client('GET', '/customers.php?id=1')).body.city, await drafts()], ['Kiel', 0])
})

test('a form submitted after the session has ended is restored when its user signs in again, but not for anyone else', async () => {
  const save = 'main form.record button.main'
  for (const [url, field] of [
    [edit, '#city'],
    [`${origin}/tenant_settings.php`, '#form_text'],
  ] as const) {
    await page.context().clearCookies()
    await signIn('lena@example.com')
    await page.goto(url)
    const stored = await page.inputValue(field)
    await page.fill(field, 'Too late')
    await page.context().clearCookies()
    await follow(save)
    assert.match((await page.textContent('main'))!, /Your session has ended/)
    await signInHere('ada@example.com')
    assert.deepEqual([page.url(), await page.inputValue(field)], [url, stored])
    await page.context().clearCookies()
    await page.goto(url)
    await signInHere('lena@example.com')
    assert.deepEqual([page.url(), await page.inputValue(field)], [url, 'Too late'])
    await follow(save)
    await page.goto(url)
    assert.equal(await page.inputValue(field), 'Too late')
  }
})

test('a form that the server could not save is restored on its page', async () => {
  await page.goto(edit)
  await page.fill('#notes', 'Refused')
  await page.evaluate(`document.querySelector('main form.record [name=form_token]').value = 'x'`)
  await follow('main form.record button.main')
  assert.match((await page.textContent('main'))!, /This form has expired/)
  await page.goto(`${origin}/activity.php`)
  await page.goto(edit)
  assert.equal(await page.inputValue('#notes'), 'Refused')
  await follow('main .notice button')
})

test('a draft belongs to one user, and signing out deletes it', async () => {
  await page.goto(edit)
  await page.fill('#notes', 'Private')
  await page.context().clearCookies()
  await signIn('ada@example.com')
  await page.goto(edit)
  assert.equal(await page.inputValue('#notes'), '')
  await page.fill('#notes', 'Hers')
  assert.equal(await drafts(), 2)
  await page.click('.avatar')
  await follow('form[action="logout.php"] button')
  assert.equal(await drafts(), 0)
})
