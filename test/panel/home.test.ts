// The home page of a tenant, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signedIn } from '../support/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService({ RATE_LIMIT_PER_MINUTE: '100' })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'north@example.com', 'north')
await createPanelUser(environment, 'reader@example.com', 'north', 'viewer')
const [manager, viewer] = [await signedIn(origin, 'north@example.com'), await signedIn(origin, 'reader@example.com')]

const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))

test('the home page of an empty tenant leads to branches, people and assets, one after the other', async () => {
  /** The resource that the buttons add and import. */
  const offered = async () => {
    const { html } = await manager.get('')
    const links = decodeHtml(html).matchAll(/class="button[^"]*" href="(records|import)\.php\?resource=(\w+)/g)
    return [...links].map(([, page, resource]) => `${page} ${resource}`)
  }
  assert.deepEqual(await offered(), ['records customers', 'import customers'])
  await client('POST', '/customers.php', { name: 'Berlin' })
  assert.deepEqual(await offered(), ['records employees', 'import employees'])
  assert.match(textIn((await manager.get('')).html), /Branches ✓ done/)
  await client('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com' })
  assert.deepEqual(await offered(), ['records hardware', 'import hardware'])
  assert.doesNotMatch((await viewer.get('')).html, /Get started/, 'a viewer adds nothing')
  await client('POST', '/hardware.php', { employee_id: 1 })
  assert.doesNotMatch((await manager.get('')).html, /Get started/)
})

test('the requests of API keys are shown beside the keys, not on the home page', async () => {
  assert.match(
    textIn((await manager.get('api_keys.php')).html),
    /Requests in the last 24 hours .* 100 requests per minute/,
  )
  assert.doesNotMatch((await manager.get('')).html, /Requests in the last|requests per minute/)
})
