// Uses the panel in a real browser as a person would, and counts the clicks, fields and page loads of a task.

import type { Page } from 'playwright-core'

/** `clicks`: the number of clicks, including key presses that follow a link or submit a form. `fields`: the number of
 *  fields filled in or selected. `loads`: the number of page loads. */
export type InteractionCounts = { clicks: number; fields: number; loads: number }

export type CountedPage = {
  page: Page
  /** Opens the page where the task begins, and resets the counts. */
  open(path: string): Promise<void>
  /** Clicks something that does not load a page, such as a checkbox. */
  click(selector: string): Promise<void>
  /** Clicks a link or button, and waits for the next page. */
  follow(selector: string): Promise<void>
  /** Presses a key in a field, and waits for the next page. */
  send(selector: string, key?: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  choose(selector: string, value: string): Promise<void>
  /** The counts since the last call of `open`. */
  cost(): InteractionCounts
}

/** Call this function only after `page` has finished loading. */
export function countInteractions(page: Page, origin: string): CountedPage {
  let cost: InteractionCounts = { clicks: 0, fields: 0, loads: 0 }

  async function load(act: () => Promise<void>): Promise<void> {
    cost.clicks++
    cost.loads++
    await Promise.all([page.waitForNavigation(), act()])
  }

  return {
    page,
    async open(path) {
      await page.goto(`${origin}/${path}`)
      cost = { clicks: 0, fields: 0, loads: 0 }
    },
    async click(selector) {
      cost.clicks++
      await page.click(selector)
    },
    follow: (selector) => load(() => page.click(selector)),
    send: (selector, key = 'Enter') => load(() => page.press(selector, key)),
    async type(selector, text) {
      cost.fields++
      await page.fill(selector, text)
    },
    async choose(selector, value) {
      cost.fields++
      await page.selectOption(selector, value)
    },
    cost: () => ({ ...cost }),
  }
}
