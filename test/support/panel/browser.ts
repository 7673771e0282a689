// A real browser for the panel: Chromium, installed from npm.

import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'

/** An open page, which is closed after the file's tests. `consoleErrors`: errors and warnings on the console.
 *  `foreignRequests`: the URLs of requests to other origins. */
export type BrowserPage = { page: Page; consoleErrors: string[]; foreignRequests: string[] }

/** Flags that the package sets by default. They disable protections that the tests rely on. */
const insecureFlags = ['--disable-web-security', '--allow-running-insecure-content']

/** A host name that resolves to this machine. Without TLS, browsers treat localhost as secure, but not this name. */
export const insecureHost = 'panel.example'

/** On a new machine, the first test file unpacks the browser. Other test files wait at most this long, because the
 *  browser cannot start while its file is being written. */
const unpackTimeoutMs = 30_000

/** Starts Chromium without WebGL, which no page needs and which would use CPU time for software rendering. */
export async function launchBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false
  const flags = chromium.args.filter((flag) => !insecureFlags.includes(flag))
  const args = [
    ...flags,
    '--no-sandbox',
    '--disable-background-networking',
    `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
  ]
  const executablePath = await chromium.executablePath()
  for (const startedAt = Date.now(); ; ) {
    try {
      return await playwright.launch({ executablePath, args })
    } catch (error) {
      if ((error as { code?: string }).code !== 'ETXTBSY' || Date.now() - startedAt > unpackTimeoutMs) throw error
      await sleep(100)
    }
  }
}

/** Opens a page in a new browser, and records console errors and requests to other origins. Each page has its own
 *  browser, because this build of Chromium runs in a single process. */
export async function openPage(origin: string): Promise<BrowserPage> {
  const browser = await launchBrowser()
  after(() => browser.close())
  const page = await browser.newPage()
  const [consoleErrors, foreignRequests]: string[][] = [[], []]
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && consoleErrors!.push(message.text()))
  page.on('pageerror', (error) => consoleErrors!.push(error.message))
  page.on('request', (request) => new URL(request.url()).origin !== origin && foreignRequests!.push(request.url()))
  return { page, consoleErrors: consoleErrors!, foreignRequests: foreignRequests! }
}
