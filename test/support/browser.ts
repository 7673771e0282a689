// A real browser for pages: Chromium, whole from npm.

import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'

/** An open page, closed after the tests of the file. `noise`: what the browser complained of; `strangers`: requests that left
 *  the origin. */
export type BrowserPage = { page: Page; consoleErrors: string[]; foreignRequests: string[] }

/** What its package switches off by default, and pages are to be tested with. */
const insecureFlags = ['--disable-web-security', '--allow-running-insecure-content']

/** A name of this machine that browsers do not take for it: without TLS they trust it less than localhost. */
export const insecureHost = 'panel.example'

/** Where it was never used, the first test file that comes unpacks it, and the system starts nothing that is being written. Another
 *  waits for so long. Milliseconds. */
const unpackTimeoutMs = 30_000

/** Starts Chromium. Without WebGL, which no page needs: it is drawn by the processor, and so would all else be. */
export async function launchBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false
  const kept = chromium.args.filter((each) => !insecureFlags.includes(each))
  const args = [
    ...kept,
    '--no-sandbox',
    '--disable-background-networking',
    `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
  ]
  const executablePath = await chromium.executablePath()
  for (const begun = Date.now(); ; ) {
    try {
      return await playwright.launch({ executablePath, args })
    } catch (error) {
      if ((error as { code?: string }).code !== 'ETXTBSY' || Date.now() - begun > unpackTimeoutMs) throw error
      await sleep(100)
    }
  }
}

/** Opens a browser whose requests may go to `origin` alone. One page per browser: this Chromium is a single process. */
export async function openPage(origin: string): Promise<BrowserPage> {
  const browser = await launchBrowser()
  after(() => browser.close())
  const page = await browser.newPage()
  const [noise, strangers]: string[][] = [[], []]
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && noise!.push(message.text()))
  page.on('pageerror', (error) => noise!.push(error.message))
  page.on('request', (request) => new URL(request.url()).origin !== origin && strangers!.push(request.url()))
  return { page, consoleErrors: noise!, foreignRequests: strangers! }
}
