// Checks a page of the browser against WCAG 2.2 AA.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

type Violation = { id: string; nodes: { html: string }[] }

/** The violations that axe finds. The test injects axe, so the page's Content-Security-Policy does not block it. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(`void (globalThis.axe ?? (() => { ${axe} })())`) // what it is would be sent here
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: Violation[] }
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)
}
