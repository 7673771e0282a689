// Checks a page in the browser against WCAG 2.2 AA.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.2, levels A and AA. */
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

type Violation = { id: string; nodes: { html: string }[] }

/** Returns the page's violations of these rules or groups of rules, except `ignored` ones. Each violation names the
 *  first element that violates the rule. The page's Content-Security-Policy does not block axe, because the test
 *  injects axe itself. */
export async function axeViolations(page: Page, rules = wcag, ignored: string[] = []): Promise<string[]> {
  const isInjected = await page.evaluate(`'axe' in globalThis`) // parsing axe takes as long as a check
  if (!isInjected) await page.evaluate(`void (() => { ${axe} })()`) // void: do not serialize axe as the result
  const disabled = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]))
  const options = JSON.stringify({ runOnly: rules, rules: disabled, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: Violation[] }
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)
}
