import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../../src/domain/declarations/all.ts'
import { fieldCodes } from '../../../src/domain/fields/field-values.ts'
import { problems } from '../../../src/problem.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { openPage } from '../../support/panel/browser.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

const { service, environment } = await startService({ RATE_LIMIT_PER_MINUTE: '100' })
const { origin } = new URL(await service.listen())
const token = await makeTenant(environment, 'acme')
const { page, consoleErrors, foreignRequests } = await openPage(origin)

const html = await (await fetch(`${origin}/docs`)).text()

test('even if scripts are disabled, the reference page documents all fields and error codes, and its internal links work', () => {
  for (const { name, fields } of resources) {
    for (const action of ['read', 'create', 'update', 'delete'])
      assert.ok(html.includes(`id="${action}_${name}"`), action)
    for (const field of Object.keys(fields)) assert.ok(html.includes(`<code>${field}</code>`), field)
  }
  assert.ok(html.includes('<td>default <code>in_use</code></td>'))
  for (const code of Object.keys(problems)) assert.ok(html.includes(`id="error-${code}"`), code)
  for (const code of Object.keys(fieldCodes)) assert.ok(html.includes(`id="field-${code}"`), code)
  const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
  assert.ok(targets.length > 100)
  for (const target of new Set(targets)) assert.ok(html.includes(`id="${target}"`), `no element has the id ${target}`)
})

test('the legend of filters explains each operator as most fields use it, and special filters explain themselves', () => {
  const legends = [...html.matchAll(/<dl>(.*?)<\/dl>/gs)].map(([, list]) => list!)
  assert.ok(legends.length >= 3)
  for (const legend of legends) {
    assert.match(legend, /<dt><code>&#61;<\/code><\/dt><dd>Equal to this value\.<\/dd>/)
    assert.match(legend, /<code>\[null\]<\/code><\/dt><dd><code>true<\/code>: only records without a value/)
    assert.doesNotMatch(legend, /`/)
  }
  assert.match(html, /<code>missing<\/code><\/th>.*?<code>&#61;<\/code> Fields, separated by commas: matches records/)
})

test('the reference page loads resources only from its own server', async () => {
  const files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`)
  assert.deepEqual([...new Set(files)].sort(), ['/docs/icon.svg', '/docs/style.css', '/docs/try.js'])
  assert.doesNotMatch(html, /<script>|<style|\sstyle=|\son\w+=|https?:\/\//)
  for (const path of ['/docs', ...files]) {
    const response = await fetch(origin + path)
    const etag = response.headers.get('etag')!
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('cache-control'), 'no-cache')
    assert.equal((await fetch(origin + path, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await fetch(origin + path, { method: 'POST' })).status, 405)
  }
  const policy = (await fetch(`${origin}/docs`)).headers.get('content-security-policy')!
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(policy, /unsafe|\*|data:|http/)
})

test('only the reference page’s files are served below its path', async () => {
  for (const path of [
    '/docs/',
    '/docs/page.ts',
    '/docs/..%2fserver.ts',
    '/docs/%2e%2e/server.ts',
    '/docs/style.css/',
  ]) {
    const response = await service.server.inject(path)
    const headers = response.headers as Record<string, string>
    assertRefused(
      { status: response.statusCode, headers, text: response.payload, body: response.json() },
      'not_found',
      path,
    )
  }
})

test('the reference page can send a request with a key, but only to its own server', async () => {
  await page.goto(`${origin}/docs`)
  await page.fill('#api-key', token)
  const created = await tryOut('create_customers')
  assert.deepEqual([created.status, created.body.name], ['201 Created', 'Head office'])
  await page.fill('#read_customers input[name=id]', String(created.body.id))
  assert.deepEqual((await tryOut('read_customers')).body, created.body)
  await page.fill('#read_customers input[name=id]', '')
  await page.fill('#read_customers input[name=limit]', '5')
  await page.fill('#read_customers-filters', 'city=Berlin&name[contains]=OFFICE')
  assert.deepEqual((await tryOut('read_customers')).body.data, [created.body])
  await page.fill('#delete_customers input[name=id]', '1')
  await page.fill('#delete_customers input[name=If-Match]', '*')
  assert.deepEqual((await tryOut('delete_customers')).body, { id: 1, deleted: true })
  assert.deepEqual([consoleErrors, foreignRequests], [[], []])
})

/** Submits an operation's form unchanged, and returns the response that the page shows. */
async function tryOut(operation: string): Promise<{ status: string; body: Json }> {
  const output = page.locator(`#${operation} output`)
  await output.evaluate((element: Json) => element.replaceChildren())
  await page.click(`#${operation} button`)
  await output.locator('b').waitFor()
  return {
    status: await output.locator('b').innerText(),
    body: JSON.parse(await output.locator('pre').last().innerText()),
  }
}

test('on a narrow screen, the reference page fits the width, and a link to an error code scrolls to that code', async () => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${origin}/docs#error-validation_failed`)
  assert.ok(await page.locator('tr:target').isVisible())
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
})

test('the reference page follows the system’s light or dark theme', async () => {
  const backgrounds: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
  }
  assert.deepEqual(backgrounds, ['rgb(255, 255, 255)', 'rgb(16, 20, 24)'])
})

test('the reference page works behind a proxy that adds a path prefix, and if the API is at the root', async () => {
  const { service } = await startService({ API_BASE_PATH: '/', PUBLIC_URL: 'https://example.com/assets' })
  const { payload } = await service.server.inject('/docs')
  assert.match(payload, /data-address="customers\.php"/)
  assert.doesNotMatch(payload, /(?:href|src|data-address)="(?:\/|http)/)
})
