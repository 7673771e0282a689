// The panel in a real browser: first steps, lists, forms, imports, hostile names, accessibility and languages.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkAddress } from '../../src/accounts/one-time-links/one-time-links.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { pages } from '../../src/panel/routes.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { axeViolations } from '../support/panel/axe.ts'
import { insecureHost, openPage } from '../support/panel/browser.ts'
import { createPanelUser, password, setupToken } from '../support/panel/panel-client.ts'
import { networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const { page, consoleErrors, foreignRequests } = await openPage(origin)

/** Clicks a link or button, and waits for the next page. */
async function clickAndWait(selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)])
}

test('an administrator sets up the panel, creates a tenant and a key, sees a record from the API, and revokes the key', async () => {
  await page.goto(linkAddress(origin, await setupToken(environment)))
  await page.waitForURL(`${origin}/setup.php?opened=1`)
  assert.equal(await page.evaluate('document.activeElement.id'), 'name')
  const ownZone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
  assert.equal(await page.inputValue('#time_zone'), ownZone)
  await page.keyboard.type('Robin Root')
  await page.fill('#email', 'root@example.com')
  await page.fill('#password', password)
  await page.check('#demo')
  await clickAndWait('button.main')
  assert.equal(new URL(page.url()).pathname, '/')

  await page.goto(`${origin}/tenants.php`)
  await clickAndWait('.toolbar-end a')
  assert.equal(await page.inputValue('#time_zone'), ownZone, 'the zone chosen during the set-up')
  await page.fill('#name', 'Acme & Söhne <GmbH>')
  assert.equal(await page.inputValue('#slug'), 'acme-sohne-gmbh')
  await page.selectOption('#time_zone', 'Europe/Istanbul')
  assert.equal(await page.inputValue('#currency'), 'TRY')
  await page.fill('#currency', 'CHF')
  await page.selectOption('#time_zone', ownZone)
  assert.equal(await page.inputValue('#currency'), 'CHF', 'what was typed stays')
  await page.fill('#slug', 'acme')
  await page.fill('#name', 'Acme & Söhne <GmbH>')
  assert.equal(await page.inputValue('#slug'), 'acme', 'what was typed stays')
  await clickAndWait('button.main')
  assert.equal(await page.textContent('h1'), 'Acme & Söhne <GmbH>')

  await clickAndWait('.side >> text=Settings')
  await clickAndWait('.tabs >> text=API keys')
  await page.fill('#name', 'import')
  for (const scope of ['*:read', 'customers:create']) await page.check(`input[value="${scope}"]`)
  await clickAndWait('button.main')
  const token = (await page.textContent('#token'))!
  assert.match(token, /^tdk_[0-9A-Za-z]{48}$/)
  assert.match(
    (await page.textContent('#request'))!,
    new RegExp(`^curl -i '${apiUrl}/customers.php' -H 'Authorization: Bearer ${token}'$`),
  )

  const client = networkClient(apiUrl, token)
  assert.equal((await client('POST', '/customers.php', { name: 'Created by the API' })).status, 201)
  assert.equal((await client('DELETE', '/customers.php?id=1')).body.error.code, 'forbidden')
  await page.goto(`${origin}/records.php?tenant=acme&resource=customers`)
  await clickAndWait('text=Created by the API')
  assert.match(await page.innerText('.timeline'), /Added\s+\d\d:\d\d\s· by API key import/)

  await page.goto(`${origin}/api_keys.php?tenant=acme`)
  assert.doesNotMatch(await page.content(), new RegExp(token.slice(8)), 'the key is shown only once')
  await clickAndWait('tbody th a')
  await clickAndWait('button[name=revoke]')
  assert.match((await page.innerText('.toast p'))!, /^API key .+ revoked/)
  assertRefused(await client('GET', '/customers.php'), 'key_revoked')
})

test('related records are chosen by searching, and invalid input is reported beside its field', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware&new=1`)
  await page.getByText('With a person').click()
  await page.fill('#purchase_cost', '-1')
  await page.fill('#asset_tag', 'TD-0001')
  await clickAndWait('button.main')
  assert.match((await page.textContent('[role=alert]'))!, /Purchase cost.*Assigned to: Choose who has it/s)
  assert.equal(await page.textContent('#purchase_cost-error'), 'Enter an amount such as 1299.90.')
  await page.fill('#employee_id', 'cagri')
  await page.click('[role=option]:has-text("Çağrı Şahin")')
  assert.equal(await page.inputValue('#employee_id'), 'Çağrı Şahin')
  await page.fill('#purchase_cost', '')
  await clickAndWait('button.main')
  assert.equal(await page.textContent('#asset_tag-error'), 'Already used by Ada’s laptop. Open')
  await page.fill('#asset_tag', 'TD-0500')
  await page.fill('#name', 'Chosen by searching')
  await Promise.all([page.waitForNavigation(), page.press('#name', 'Enter')])
  assert.equal(await page.textContent('h1 > [dir]'), 'Chosen by searching')
  assert.match((await page.textContent('.holder'))!, /Çağrı Şahin/)
})

test('lists can be searched, filtered and sorted, and filters can be removed', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
  await page.fill('main [type=search]', 'thinkpad x1')
  await page.press('main [type=search]', 'Enter')
  await page.waitForURL(/q=thinkpad/)
  assert.equal(await page.locator('tbody tr').count(), 2)
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
  await page.click('details.chip >> text=Status')
  await page.check('details.chip [value=lost]')
  await clickAndWait('details.chip[open] button')
  assert.deepEqual(await page.locator('tbody th a').allInnerTexts(), ['Cordless drill'])
  await clickAndWait('.chip-set a')
  assert.ok((await page.locator('tbody tr').count()) > 10)
  await clickAndWait('thead >> text=Asset tag')
  assert.equal(await page.getAttribute('th:has(a:text("Asset tag"))', 'aria-sort'), 'ascending')
})

test('rows are 32 px high; 26 compact rows fit on a 1280 × 800 screen, and each is high enough to click', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  const places = async () => {
    await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
    const rows = await page.locator('tbody tr').all()
    return Promise.all(rows.slice(0, 2).map((row) => row.boundingBox()))
  }
  const [standard] = await places()
  assert.equal(standard!.height, 32)
  await page.click('.top details:last-child > summary')
  await clickAndWait('button[name=rows][value=compact]')
  const [first, second] = await places()
  assert.ok(first!.height >= 24)
  assert.ok(first!.y + 26 * (second!.y - first!.y) <= 800, `the first row is at ${first!.y}`)
  await page.click('.top details:last-child > summary')
  await clickAndWait('button[name=rows][value=comfortable]')
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('on a screen of usual width, lists show times, email addresses and branches in full', async () => {
  const columns = 'name,status,employee_name,customer_name,asset_tag,updated_at,created_at'
  const lists = [
    ['users.php', '> time'],
    [`records.php?tenant=demo&resource=hardware&columns=${columns}`, '> time'],
    ['records.php?tenant=demo&resource=employees', '> [href^="mailto:"]'],
    ['records.php?tenant=demo&resource=hardware', '> [href*="resource=customers"]'],
  ] as const
  for (const [path, value] of lists) {
    await page.goto(`${origin}/${path}`)
    const cells = page.locator(`.list td:has(${value}), .list td ${value}`)
    const cut = await cells.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)
    assert.deepEqual([(await cells.count()) > 0, cut], [true, 0], path)
  }
})

test('a card is as wide as its figure, even if the figure has ten digits', async () => {
  await page.goto(`${origin}/?tenant=demo`)
  const card = page.locator('.figures li').last()
  await page.evaluate(`document.querySelector('.figures li:last-child b').textContent = '€1,111,111,101'`)
  assert.equal(await card.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0)
})

test('a printed list is a table without buttons or menus', async () => {
  await page.setViewportSize({ width: 794, height: 1123 })
  await page.emulateMedia({ media: 'print' })
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('tbody tr')).display`), 'table-row')
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 794)
  for (const part of ['.top', '.side', '.search', '.filters summary']) assert.ok(!(await page.isVisible(part)), part)
  const relative = page.locator('.list time', { hasText: /days?$/ }).first()
  const date = await relative.getAttribute('title')
  assert.match(date!, /^\d+ \w+ \d{4}$/)
  const style = 'time => [getComputedStyle(time).fontSize, getComputedStyle(time, "::after").content]'
  assert.deepEqual(await page.evaluate(`(${style})(document.querySelector('.list time[title="${date}"]'))`), [
    '0px',
    `"${date}"`,
  ])
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('a printed person’s page lists their equipment, without checkboxes and buttons', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=employees`)
  await page.locator('tbody tr', { hasText: /[1-9]/ }).locator('th a').first().click()
  const items = page.locator('.picks li')
  const names = await items.locator('a').allInnerTexts()
  assert.ok(names.length > 0)
  await page.emulateMedia({ media: 'print' })
  assert.deepEqual(await items.locator('a').filter({ visible: true }).allInnerTexts(), names)
  assert.equal(await page.locator('main :is(input, button)').filter({ visible: true }).count(), 0)
  await page.emulateMedia({ media: 'screen' })
})

test('an asset’s page shows its holders with dates', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware&q=TD-0004`)
  await clickAndWait('tbody th a')
  const holders = await page.locator('ol.related a').allTextContents()
  assert.deepEqual(holders, ['Jonas Weber', 'Ada Sommer', 'Jonas Weber'])
})

test('the panel can be used with the keyboard alone', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=customers`)
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to main content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.activeElement.id'), 'content')
  const unreachable = await page.evaluate(
    `[...document.querySelectorAll('[onclick], [tabindex]:not([tabindex="-1"])')].length`,
  )
  assert.equal(unreachable, 0)
})

test('a menu closes when another menu opens; Escape also closes a menu and returns the focus to its button', async () => {
  await page.goto(`${origin}/tenants.php`)
  const [switcher, account] = ['.switcher', '.top details:last-child']
  await page.click(`${switcher} > summary`)
  await page.click(`${account} > summary`)
  assert.equal(await page.locator('.top details[open]').count(), 1)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.top details[open]').count(), 0)
  assert.equal(await page.evaluate(`document.activeElement.parentElement.matches('${account}')`), true)
})

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'left ‮txet-ltr‬ right',
  '🏴‍☠️'.repeat(25),
  'İ'.repeat(100),
]

test('hostile names are shown as text and do not cause horizontal scrolling', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  for (const name of hostile) {
    await page.goto(`${origin}/records.php?tenant=acme&resource=customers&new=1`)
    await page.fill('#name', name)
    await page.fill('#notes', name)
    await clickAndWait('button.main')
    assert.equal(await page.textContent('h1'), name)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, `${name} on its page`)
  }
  for (const path of [
    'records.php?tenant=acme&resource=customers',
    'activity.php?tenant=acme',
    '?tenant=acme',
    'import.php?tenant=acme',
    'tenants.php',
    'users.php',
    'events.php',
    'api_keys.php?tenant=acme',
    'profile.php?second_factor=1',
    'records.php?tenant=acme&resource=employees&new=1',
  ]) {
    await page.goto(`${origin}/${path}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
})

/** Pages that an administrator can open by URL. */
const everyPage = [
  '',
  '?tenant=demo',
  'tenants.php',
  'tenants.php?new=1',
  'tenants.php?tenant=demo',
  'users.php',
  'events.php',
  'profile.php',
  'api_keys.php',
  'api_keys.php?tenant=acme',
  'activity.php?tenant=demo',
  'import.php?tenant=demo',
  ...resources.flatMap(({ name }) =>
    ['', '&new=1', '&id=1'].map((rest) => `records.php?tenant=demo&resource=${name}${rest}`),
  ),
  ...['&status=lost', '&q=nothing', '&id=1&edit=1', '&id=1&delete=1'].map(
    (rest) => `records.php?tenant=demo&resource=hardware${rest}`,
  ),
  ...['erase=1', 'edit=notes'].map((rest) => `records.php?tenant=demo&resource=employees&id=6&${rest}`),
  'assign.php?tenant=demo&person=6',
  'assign.php?tenant=demo&do=lend&ids=23',
  'close_branch.php?tenant=demo&id=1',
  'hand_over.php?tenant=demo&person=6',
  'offboard.php?tenant=demo&person=6',
  'search.php?tenant=demo&q=laptop',
  'search.php?tenant=demo&shortcuts=1',
  'tenant_settings.php?tenant=demo',
  'users.php?tenant=demo',
  'users.php?new=1',
]

/** Pages that other tests check: those for visitors, and the page of a bulk edit, which needs a selection. */
const checkedElsewhere = ['login.php', 'logout.php', 'setup.php', 'bulk_edit.php']

/** Pages that a link or form leads to, such as a change set or a form with errors. `send` is the element to click. */
const responses: [path: string, send: string, title: string][] = [
  ['api_keys.php?tenant=acme', 'tbody th a', 'import'],
  ['activity.php?tenant=acme', '.timeline .hint a', 'What changed'],
  ['activity.php?tenant=demo', '.timeline li:last-child .hint a', 'What changed'],
  ['users.php', 'tbody th a', 'Robin Root'],
  ['tenants.php?new=1', 'form button.main', 'New tenant'],
  ['records.php?tenant=acme&resource=employees&new=1', 'button.main', 'New person'],
  ['profile.php', 'button[name=do_password]', 'Robin Root'],
  ['profile.php?second_factor=1', 'button.main', 'Two-factor authentication'],
]

test('every page of the route table is checked for accessibility', () => {
  const checked = new Set([...everyPage.map((path) => path.split('?')[0]), ...checkedElsewhere])
  assert.deepEqual(
    Object.keys(pages).filter((path) => !checked.has(path)),
    [],
  )
})

test('panel pages pass an automated WCAG 2.2 AA check in both themes', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' }) // otherwise axe would check colours during a transition
  for (const path of everyPage) {
    const response = await page.goto(`${origin}/${path}`)
    assert.equal(response!.status(), 200, path)
    assert.ok((await response!.body()).length < 100_000, `${path} is under 100 kB`)
    await assertAccessible(path)
  }
  for (const [path, send, title] of responses) {
    await page.goto(`${origin}/${path}`)
    await clickAndWait(send)
    assert.ok((await page.innerText('h1')).startsWith(title), `${path} after ${send}`)
    await assertAccessible(`${path} after ${send}`)
  }
})

const people = [
  'E-Mail;Kunde;Vorname;Büro;Eintritt',
  'ada.sommer@example.com;Head office Berlin;Ada;3;1.4.2019',
  'new@example.com;Nowhere;<b>New</b>;4;31.12.2026',
  ...Array.from({ length: 3000 }, (_, index) => `person${index}@example.com;Branch İzmir;Person ${index};;`),
].join('\r\n')

test('each step of an import is accessible, and the result replaces the progress page without a click', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=employees`)
  await page.click('.top >> text=New')
  await clickAndWait('.top >> text=Import CSV')
  await page.setInputFiles('#file', { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(people) })
  await clickAndWait('button.main')
  await assertAccessible('columns of an import')
  assert.equal(await page.inputValue('[name="column.1"]'), 'customer')
  assert.equal(await page.inputValue('[name="column.2"]'), 'name')
  await page.selectOption('[name=match]', 'email')
  await clickAndWait('button.main')
  assert.match(await page.innerText('main'), /“Kunde” that are not found.*Nowhere/s)
  await assertAccessible('questions of an import')
  await clickAndWait('button.main')
  await page.getByText('Import 3,001 rows without errors').waitFor()
  await assertAccessible('checked import')
  assert.deepEqual(await page.locator('.figures b').allTextContents(), ['3,000', '1', '0', '1'])
  await page.setViewportSize({ width: 360, height: 800 })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.setViewportSize({ width: 1280, height: 900 })
  const checked = Promise.withResolvers<void>()
  await page.route('**/import.php?*progress=*', (route) => checked.promise.then(() => route.continue())) // delays the reload
  await clickAndWait('button.main')
  assert.equal(await page.locator('progress').count(), 1)
  await assertAccessible('running import')
  checked.resolve()
  await page.getByText('The import is complete').waitFor()
  await assertAccessible('completed import')
  await clickAndWait('text=Show the changes')
})

async function assertAccessible(path: string): Promise<void> {
  assert.deepEqual(await axeViolations(page), [], path)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await axeViolations(page, ['color-contrast']), [], `${path} in the dark theme`)
  await page.emulateMedia({ colorScheme: 'light' })
}

test('the panel can be displayed in each language, in which its pages pass the same check, and the chosen language is stored', async () => {
  for (const [language, sentence] of [
    ['de', 'Geräte'],
    ['tr', 'Demirbaşlar'],
    ['en', 'Assets'],
  ] as const) {
    await page.goto(`${origin}/profile.php`)
    await page.selectOption('#language', language)
    await clickAndWait('button[name=do_preferences]')
    await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
    assert.equal(await page.textContent('nav [aria-current]'), sentence)
    assert.ok((await page.getAttribute('html', 'lang'))!.startsWith(language))
    if (language !== 'en') await assertPagesAccessible(language)
  }
})

/** Colours do not depend on the language, so only the test in English checks them, in both themes. */
async function assertPagesAccessible(language: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const path of everyPage) {
    await page.goto(`${origin}/${path}`)
    assert.deepEqual(await axeViolations(page, undefined, ['color-contrast']), [], `${path} in ${language}`)
  }
}

test('reloading a page that answered a form, or going back to it, shows the form and does not send it again', async () => {
  await page.goto(`${origin}/records.php?tenant=demo&resource=customers&new=1`)
  await clickAndWait('button.main')
  assert.equal(await page.getAttribute('#name', 'aria-invalid'), 'true')
  const methods: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && methods.push(request.method()))
  await page.reload()
  await clickAndWait('.side >> text=Activity')
  await page.goBack()
  assert.deepEqual([await page.textContent('h1'), methods.includes('POST')], ['New branch', false])
})

test('in forced colours, the current page, view and choice stand out from the others', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`${origin}/records.php?tenant=demo&resource=hardware`)
  await page.click('.top details:last-child > summary')
  for (const [current, other] of [
    ['.side [aria-current]', '.side a:not([aria-current])'],
    ['.tabs [aria-current]', '.tabs a:not([aria-current])'],
    ['.segments [aria-pressed=true]', '.segments [aria-pressed=false]'],
  ] as const) {
    const backgrounds = await page.evaluate(
      `${JSON.stringify([current, other])}.map((each) => getComputedStyle(document.querySelector(each)).backgroundColor)`,
    )
    const [one, another] = backgrounds as string[]
    assert.notEqual(one, another, current)
  }
  await page.emulateMedia({ forcedColors: 'none' })
})

test('on a page enlarged to 200 %, no bar stays in view over the form', async () => {
  await page.setViewportSize({ width: 640, height: 400 })
  await page.goto(`${origin}/records.php?tenant=demo&resource=customers&new=1`)
  const positions = await page.evaluate(
    `['.top', '.bottom', '.save-bar'].map((each) => getComputedStyle(document.querySelector(each)).position)`,
  )
  assert.deepEqual(positions, ['static', 'static', 'static'])
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('the theme switch overrides the system theme', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${origin}/profile.php`)
  await page.selectOption('#theme', 'dark')
  await clickAndWait('button[name=do_preferences]')
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(15, 20, 23)')
})

test('pages for visitors and error pages pass the same automated accessibility check', async () => {
  await createPanelUser(environment, 'someone@example.com')
  await page.click('.top details:last-child > summary')
  await clickAndWait('.top form[action="logout.php"] button')
  for (const path of ['login.php', 'setup.php', 'setup.php#token=none', 'records.php?tenant=nobody']) {
    await page.goto(`${origin}/${path}`)
    if (path.includes('#')) await page.waitForURL(/opened=1$/)
    assert.deepEqual(await axeViolations(page), [], path)
  }
})

test('a one-time link is submitted automatically, even in a tab that already shows one, and its token does not stay in the URL', async () => {
  for (const opened of ['setup.php', 'setup.php?opened=1']) {
    await page.goto(`${origin}/${opened}`)
    await page.goto(`${origin}/setup.php#token=${'x'.repeat(43)}`)
    await page.waitForURL(`${origin}/setup.php?opened=1`)
    await page.getByText('has already been used').waitFor()
  }
})

test('no page loads resources from other servers or logs an error in the console', () => {
  const unexpected = consoleErrors.filter((consoleError) => !/status of (404|410|422|403)/.test(consoleError))
  assert.deepEqual([unexpected, foreignRequests], [[], []])
})

test('forms are accepted over plain HTTP under any of the server’s host names, although browsers then do not send an origin', async () => {
  await page.goto(`${origin.replace('127.0.0.1', insecureHost)}/login.php`)
  await page.fill('#email', 'someone@example.com')
  await page.fill('#password', password)
  await clickAndWait('button.main')
  assert.equal(await page.textContent('h1'), 'Overview')
})
