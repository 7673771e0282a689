// A stranger's files become records in a conversation: by mouse, by keyboard alone, on a phone, and without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { axeViolations } from '../support/panel/axe.ts'
import { launchBrowser } from '../support/panel/browser.ts'
import { createPanelUser, password } from '../support/panel/panel-client.ts'
import { type Client, makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)

type Options = { width?: number; scripts?: boolean; language?: string }

/** Opens a browser for somebody at the desk of a tenant with one branch and one person. */
async function startWorker(slug: string, { width = 1280, scripts = true, language = 'en' }: Options = {}) {
  const client = networkClient(apiUrl, await makeTenant(environment, slug))
  await client('POST', '/customers.php', { name: 'Kestrel Works', code: 'KW' })
  await client('POST', '/employees.php', { customer_id: 1, name: 'Ida Holm', email: 'ida.holm@kestrel.example' })
  await createPanelUser(environment, `${slug}@example.com`, slug)
  const browser = await launchBrowser()
  const viewport = { width, height: 844 }
  const page = await browser.newPage({
    viewport,
    javaScriptEnabled: scripts,
    locale: language,
    reducedMotion: 'reduce',
  })
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', `${slug}@example.com`)
  await page.fill('#password', password)
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')])
  return { page, client, [Symbol.asyncDispose]: () => browser.close() }
}

async function upload(page: Page, resource: string, lines: string[]): Promise<void> {
  await page.goto(`${origin}/import.php?resource=${resource}`)
  const buffer = Buffer.from(lines.join('\r\n'))
  await page.setInputFiles('#file', { name: 'list.csv', mimeType: 'text/csv', buffer })
  await follow(page, page.locator('main button.main'))
}

async function follow(page: Page, target: Locator): Promise<void> {
  await Promise.all([page.waitForNavigation(), target.click()])
}

const exact = { exact: true }

/** Waits until the import has been checked or has ended. */
async function awaitResult(page: Page, text: string): Promise<void> {
  await page.locator('.notice', { hasText: text }).waitFor()
}

async function assertUsable(page: Page, step: string): Promise<void> {
  const { width } = page.viewportSize()!
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${step} fits on the screen`)
  assert.deepEqual(await axeViolations(page), [], step)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await axeViolations(page, ['color-contrast']), [], `${step} in the dark theme`)
  await page.emulateMedia({ colorScheme: 'light' })
}

async function find(client: Client, path: string) {
  return (await client('GET', path)).body.data
}

const people = [
  'Vorname;Nachname;E-Mail;Personalnummer;Standort;Eintrittsdatum;Status;Bemerkungen',
  'Jörg;Weiß;joerg.weiss@kestrel.example;00031;Kestrel Works;01.02.2024;Aktiv;',
  'Ana;Öz;ana.oez@kestrel.example;00032;Kestrel Works;15.07.2021;Inaktiv;',
]

test('a German list of people is imported with a look at the columns that are guesses, and undone at once', async () => {
  await using worker = await startWorker('hr', { language: 'de-DE' })
  const { page, client } = worker
  await upload(page, 'employees', people)
  const asked = page.locator('table.asked')
  assert.deepEqual(await asked.locator('label').allTextContents(), ['Vorname', 'Nachname'])
  assert.equal(await page.getByLabel('Standort', exact).inputValue(), 'customer')
  await assertUsable(page, 'the columns')
  await follow(page, page.locator('main button.main'))
  await awaitResult(page, 'Alle Zeilen können importiert werden')
  assert.match(await page.locator('.previewed .card').first().innerText(), /^Jörg Weiß.*Kestrel Works.*01\.02\.2024/s)
  await assertUsable(page, 'the check')
  await follow(page, page.locator('main button.main'))
  await awaitResult(page, 'Der Import ist abgeschlossen')
  const found = await find(client, '/employees.php?q=kestrel&sort=id')
  const [joerg, ana] = found.slice(-2)
  assert.deepEqual([joerg.name, joerg.employee_no, joerg.is_active], ['Jörg Weiß', '00031', true])
  assert.deepEqual([ana.name, ana.start_date, ana.is_active], ['Ana Öz', '2021-07-15', false])
  await assertUsable(page, 'the result')

  await follow(page, page.getByText('Neue Datensätze zeigen'))
  assert.match(await page.innerText('table'), /Jörg Weiß/)
  await page.goBack()
  await follow(page, page.locator('main').getByText('Rückgängig machen'))
  await awaitResult(page, 'Der Import wurde rückgängig gemacht')
  assert.equal((await find(client, '/employees.php')).length, 1)
})

const delivery = [
  'Name;Serial number;Price;Status;Category',
  'Dock 1;SN-1;299,90;Deployable;Docking stations',
  'Dock 2;SN-2;299,90;Deployable;Docking stations',
  'Screen 1;SN-3;1.299,90;Reserved;Corporate monitors',
]

test('a delivery without a holder goes into stock, and the words that are not known are asked for, without scripts', async () => {
  await using worker = await startWorker('delivery', { scripts: false })
  const { page, client } = worker
  await client('PUT', '/settings.php', { tag_format: 'KW-{0000}' })
  await upload(page, 'hardware', delivery)
  assert.equal(await page.getByLabel('Price', exact).inputValue(), 'purchase_cost')
  await page.getByText('1 column is not imported').click()
  await page.getByLabel('Category', exact).selectOption('type')
  await follow(page, page.locator('main button.main'))
  assert.match(page.url(), /step=values/)
  assert.match(await page.innerText('table.asked >> nth=0'), /Deployable\s+2 rows\s/)
  assert.equal(await page.getByLabel('Corporate monitors', exact).inputValue(), 'monitor', 'part of the word is known')
  await page.getByLabel('Deployable', exact).selectOption('spare')
  await page.getByLabel('Docking stations', exact).selectOption('peripheral')
  await page.getByLabel('In stock at required').selectOption({ label: 'Kestrel Works' })
  await page.getByLabel(/next one/).check()
  await follow(page, page.locator('main button.main'))
  await awaitResult(page, 'Every row can be imported')
  assert.match(await page.innerText('main'), /Amounts in “Price” are read as\s+€299\.90 · €299\.90 · €1,299\.90/)
  assert.match(await page.innerText('.previewed .card >> nth=0'), /In stock at\s+Kestrel Works/)
  await follow(page, page.locator('main button.main'))
  await awaitResult(page, 'The import is complete')
  const assets = await find(client, '/hardware.php?sort=id&include=employee')
  assert.deepEqual(
    assets.map((asset: Record<string, unknown>) => [asset.type, asset.status, asset.purchase_cost]),
    [
      ['peripheral', 'spare', 29990],
      ['peripheral', 'spare', 29990],
      ['monitor', 'reserved', 129990],
    ],
  )
  for (const { employee, asset_tag } of assets) {
    assert.deepEqual([employee.kind, employee.customer_id], ['storage', 1])
    assert.match(asset_tag, /^KW-000\d$/)
  }
})

const intune = [
  'Device ID,Device name,Serial number,Manufacturer,Model,Primary user UPN,Compliance,OS',
  'd-1,KW-LT-001,PF3XK0E9,LENOVO,21HD,Ida.Holm@kestrel.example,Compliant,Windows',
  'd-2,KW-LT-002,PF3XK0E8,LENOVO,21HD,nobody@kestrel.example,Compliant,Windows',
  'd-3,KW-LT-003,PF3XK0E7,LENOVO,21HD,nobody@kestrel.example,Compliant,Windows',
]

test('an export of devices is imported on a phone, and equal errors share a line', async () => {
  await using worker = await startWorker('intune', { width: 390 })
  const { page, client } = worker
  await upload(page, 'hardware', intune)
  assert.equal(await page.getByLabel('Primary user UPN', exact).inputValue(), 'employee_email')
  await assertUsable(page, 'the columns')
  await follow(page, page.locator('main button.main'))
  await assertUsable(page, 'the questions')
  await page.getByLabel('Type', exact).selectOption('laptop')
  await follow(page, page.locator('main button.main'))
  await awaitResult(page, 'Some rows have errors')
  assert.match(
    await page.innerText('main'),
    /“nobody@kestrel.example” is not found under People \(Email\)\.\s+2 rows, first in row 3/,
  )
  await assertUsable(page, 'the check')
  await follow(page, page.getByRole('button', { name: 'Import 1 row without errors' }))
  await awaitResult(page, 'The import is complete')
  const download = page.waitForEvent('download')
  await page.getByText('Download failed rows').click()
  assert.match((await download).suggestedFilename(), /failed-rows\.csv$/)
  const [asset] = await find(client, '/hardware.php?include=employee')
  assert.deepEqual([asset.name, asset.type, asset.employee.name], ['KW-LT-001', 'laptop', 'Ida Holm'])
})

test('a file with 500 columns and thousands of rows is assigned by keyboard alone', async () => {
  await using worker = await startWorker('wide')
  const { page, client } = worker
  const titles = Array.from({ length: 500 }, (_, index) => (index === 300 ? 'Bezeichnung' : `Field ${index}`))
  const rows = Array.from({ length: 3000 }, (_, row) => [`Branch ${row}`, ...Array(9).fill('x')])
  const lines = [titles.join(';'), ...rows.map(([name, ...cells]) => `${cells.join(';')}${';'.repeat(292)}${name}`)]
  await upload(page, 'customers', lines)
  const press = async (target: Locator, key: string) => {
    await target.focus()
    await page.keyboard.press(key)
  }
  await press(page.locator('main summary'), 'Enter')
  const shown = await page.getByLabel('Bezeichnung', exact).count()
  if (await page.locator('input[name=choose][value="300"]').count()) {
    await press(page.locator('input[name=choose][value="300"]'), 'Space')
    await Promise.all([page.waitForNavigation(), press(page.locator('button[name=more]'), 'Enter')])
  }
  assert.equal(shown, 1)
  await page.getByLabel('Bezeichnung', exact).focus()
  await page.keyboard.type('Name')
  assert.equal(await page.getByLabel('Bezeichnung', exact).inputValue(), 'name')
  await assertUsable(page, 'the columns')
  await Promise.all([page.waitForNavigation(), press(page.locator('main button.main'), 'Enter')])
  await awaitResult(page, 'Every row can be imported')
  assert.equal((await find(client, '/customers.php')).length, 1, 'nothing is imported yet')
  await Promise.all([page.waitForNavigation(), press(page.locator('main button.main'), 'Enter')])
  await awaitResult(page, 'The import is complete')
  assert.equal((await client('GET', '/customers.php?total=true&limit=1')).body.page.total, 3001)
})

test('a file is dropped anywhere on the page', async () => {
  await using worker = await startWorker('drop')
  const { page } = worker
  await page.goto(`${origin}/import.php?resource=customers`)
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['name\\nDropped Ltd\\n'], 'dropped.csv', { type: 'text/csv' }))
    return transfer
  })()`)
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: dropped })
  assert.equal(await page.locator('#file[data-over]').count(), 1)
  await page.dispatchEvent('h1', 'drop', { dataTransfer: dropped })
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Upload and continue')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  assert.match(await page.innerText('main'), /The file has 1 row/)
})
