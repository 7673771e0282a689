// The pictures of the panel in the README: npm run screenshots. A service of its own, with the demo tenant and a busy key.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openService } from '../src/app/service.ts'
import { readConfig } from '../src/config.ts'
import { launchBrowser } from '../test/support/browser.ts'

type Picture = { name: string; path: string; width: number; height: number; colorScheme: 'light' | 'dark' }

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

const pictures: Picture[] = [
  { name: 'dashboard', path: '?tenant=demo', ...wide, colorScheme: 'light' },
  { name: 'records', path: 'records.php?tenant=demo&resource=hardware', ...wide, colorScheme: 'light' },
  { name: 'record', path: 'records.php?tenant=demo&resource=hardware&id=4', ...wide, colorScheme: 'dark' },
  { name: 'api-keys', path: 'api_keys.php?tenant=demo', ...wide, colorScheme: 'light' },
  { name: 'records-narrow', path: 'records.php?tenant=demo&resource=hardware', ...narrow, colorScheme: 'dark' },
]

const password = 'a quiet harbour at dawn'
const target = join(import.meta.dirname, 'screenshots')
const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-screenshots-'))

await using opened = new AsyncDisposableStack()
opened.defer(() => rmSync(directory, { recursive: true, force: true }))
const config = readConfig({ DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '5000' })
let hoursAgo = 23
const now = () => new Date(Date.now() - hoursAgo * 60 * 60 * 1000)
const service = opened.use(await openService(config, { now }))
const apiUrl = await service.listen()
const { origin } = new URL(apiUrl)
const browser = opened.adopt(await launchBrowser(), (each) => each.close())
const page = await browser.newPage({ locale: 'en-GB' })
await setUp(page)
const key = await makeKey(page)
for (; hoursAgo > 0; hoursAgo--) await useFor(20 + Math.round(60 * Math.sin(hoursAgo / 4) ** 2))
await signIn(page)
await untilCounted(page)
mkdirSync(target, { recursive: true })
for (const picture of pictures) await take(page, picture)

async function setUp(page: Page): Promise<void> {
  await page.goto((await service.setupLink())!)
  await page.fill('#email', 'ada@example.com')
  await page.fill('#password', password)
  await page.check('#demo')
  await send(page)
}

async function makeKey(page: Page): Promise<string> {
  await page.goto(`${origin}/api_keys.php?tenant=demo`)
  await page.fill('#name', 'inventory import')
  for (const scope of ['*:read', 'hardware:write']) await page.check(`input[value="${scope}"]`)
  await send(page)
  return (await page.textContent('#token'))!
}

/** Requests of one hour; now and then one that is wrong. */
async function useFor(requests: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  for (let sent = 0; sent < requests; sent++) {
    await fetch(`${apiUrl}/hardware.php?id=${sent % 19 === 7 ? 0 : (sent % 19) + 1}`, { headers })
  }
}

/** The session of hours ago is over. */
async function signIn(page: Page): Promise<void> {
  await page.goto(`${origin}/login.php`)
  await page.fill('#email', 'ada@example.com')
  await page.fill('#password', password)
  await send(page)
}

/** What was counted is brought to the catalog every few seconds. */
async function untilCounted(page: Page): Promise<void> {
  do await page.goto(`${origin}/?tenant=demo`, { waitUntil: 'load' })
  while ((await page.locator('svg.chart rect:not(.errors)').count()) < 23)
}

async function send(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('button.main')])
}

async function take(page: Page, { name, path, width, height, colorScheme }: Picture): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
  await page.goto(`${origin}/${path}`)
  await page.screenshot({ path: join(target, `${name}.png`) })
}
