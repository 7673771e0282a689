// Takes the screenshots of the panel for README.md and docs/guide/panel.md (`npm run pictures`), from a temporary service
// with the demo tenant.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openService } from '../src/app/service.ts'
import { readConfig } from '../src/config.ts'
import { launchBrowser } from '../test/support/panel/browser.ts'

type Picture = { name: string; path: string; width: number; height: number; colorScheme: 'light' | 'dark' }

const wide = { width: 1280, height: 800 }
const narrow = { width: 390, height: 780 }

const pictures: Picture[] = [
  { name: 'home', path: '?tenant=demo', ...wide, colorScheme: 'light' },
  { name: 'assets', path: 'records.php?tenant=demo&resource=hardware', ...wide, height: 520, colorScheme: 'light' },
  { name: 'person', path: 'records.php?tenant=demo&resource=employees&id=6', ...wide, colorScheme: 'dark' },
  { name: 'phone', path: 'records.php?tenant=demo&resource=hardware', ...narrow, colorScheme: 'dark' },
]

const password = 'a quiet harbour at dawn'
const target = join(import.meta.dirname, 'images')
const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-pictures-'))

await using opened = new AsyncDisposableStack()
opened.defer(() => rmSync(directory, { recursive: true, force: true }))
const config = readConfig({ DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent' })
const service = opened.use(await openService(config, {}))
const { origin } = new URL(await service.listen())
const browser = opened.adopt(await launchBrowser(), (each) => each.close())
const page = await browser.newPage({ locale: 'en-GB' })
await setUp(page)
mkdirSync(target, { recursive: true })
for (const picture of pictures) await take(page, picture)

async function setUp(page: Page): Promise<void> {
  await page.goto(await service.setupLink())
  await page.waitForURL(/opened=1$/)
  await page.fill('#name', 'Ada Sommer')
  await page.fill('#email', 'ada@example.com')
  await page.fill('#password', password)
  await page.check('#demo')
  await send(page)
}

async function send(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('button.main')])
}

async function take(page: Page, { name, path, width, height, colorScheme }: Picture): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
  await page.goto(`${origin}/${path}`)
  if (name === 'assets') for (const row of [2, 3, 5]) await page.check(`tbody tr:nth-child(${row}) [name=id]`)
  await page.screenshot({ path: join(target, `${name}.png`) })
}
