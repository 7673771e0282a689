// A tenant's home page, in a browser without scripts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService({ RATE_LIMIT_PER_MINUTE: '100' })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'north@example.com', 'north')
await createPanelUser(environment, 'reader@example.com', 'north', 'viewer')
const [manager, viewer] = [await signIn(origin, 'north@example.com'), await signIn(origin, 'reader@example.com')]

const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))

test('the home page of a new tenant offers to add branches, then people, then assets', async () => {
  /** Returns, for each button, the page and the resource that it opens. */
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
  assert.doesNotMatch((await viewer.get('')).html, /Get started/, 'viewers cannot add records')
  await client('POST', '/hardware.php', { employee_id: 1 })
  assert.doesNotMatch((await manager.get('')).html, /Get started/)
})

test('the API keys page shows the number of requests, but the home page does not', async () => {
  assert.match(
    textIn((await manager.get('api_keys.php')).html),
    /Requests in the last 24 hours .* 100 requests per minute/,
  )
  assert.doesNotMatch((await manager.get('')).html, /Requests in the last|requests per minute/)
})

/** Counts the records in a list of at most 200 records. */
async function countListed(url: string): Promise<number> {
  const { html } = await manager.get(`${url}&limit=200`)
  return [...html.matchAll(/<th scope="row">/g)].length
}

/** Reads the home page's figures, bars and to-dos. Asserts that each number equals the number of records in the list to
 *  which it links. */
async function readFigures(): Promise<{ counted: [string, number][]; text: string }> {
  const html = decodeHtml((await manager.get('')).html)
  const main = html.slice(html.indexOf('<main'))
  const links = [...main.matchAll(/<a href="(records\.php\?[^"]*)">(.*?)<\/a>/gs)].filter(
    ([, url]) => !/[?&]id=/.test(url!),
  )
  const counted = links.flatMap(([, url, label]): [string, number][] => {
    const number = /\d+/.exec(textIn(label!))
    return number && !/€/.test(label!) ? [[url!, Number(number[0])]] : []
  })
  for (const [url, count] of counted) assert.equal(await countListed(url), count, url)
  return { counted, text: textIn(main) }
}

test('each figure, bar and to-do links to a list with that number of records', async () => {
  await client('PUT', '/settings.php', { warranty_notice_days: 30 })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await client('POST', '/customers.php', { name: 'İzmir', contract_end: day(10) })
  await client('POST', '/employees.php', {
    customer_id: 2,
    email: 'deniz@example.com',
    name: 'Deniz',
    is_active: false,
  })
  await client('POST', '/employees.php', { customer_id: 2, email: 'stock@example.com', kind: 'storage' })
  const items = [
    { employee_id: 1, type: 'laptop', warranty_end: day(20), purchase_cost: 149_900, asset_tag: 'A1' },
    { employee_id: 1, type: 'laptop', warranty_end: day(40), purchase_cost: 100, serial_number: 'S1' },
    { employee_id: 2, type: 'phone', due_back: day(-1) },
    { employee_id: 3, type: 'phone', status: 'spare' },
    { employee_id: 3, type: 'server', status: 'retired', warranty_end: day(20) },
  ]
  for (const item of items) await client('POST', '/hardware.php', item)
  const { counted, text } = await readFigures()
  for (const sentence of [
    / 4 In use 1 Spare 0 In repair 1 People working here €1,500 Purchase value /,
    /1 asset is held by someone who left Deniz has left · 1 asset /,
    /1 loan is overdue Phone · Deniz 1 day overdue 1 warranty ends within 30 days 1 contract ends within 30 days 5 assets are missing a serial/,
  ])
    assert.match(text, sentence)
  assert.ok(counted.length > 12, String(counted))
})

test('figures are updated when assets and holders change, and when assets are deleted and restored', async () => {
  await client('PUT', '/employees.php?id=1', { is_active: false })
  await client('PUT', '/hardware.php?id=3', { employee_id: 3, status: 'spare', due_back: null })
  const { headers } = await client('DELETE', '/hardware.php?id=1')
  assert.match(
    (await readFigures()).text,
    / 2 In use 2 Spare .* 2 assets are held by people who left ada@example.com has left · 1 asset /,
  )
  await client('POST', '/undo.php', { change_set: headers['change-set'] })
  await client('PUT', '/employees.php?id=1', { is_active: true })
  assert.match(
    (await readFigures()).text,
    / 3 In use 2 Spare .* 1 asset is held by someone who left Deniz has left · 1 asset /,
  )
})

test('the latest changes are shown as sentences, grouped by day', async () => {
  await client('PUT', '/hardware.php?id=2', { employee_id: 3, status: 'spare' })
  assert.match(
    textIn((await manager.get('')).html),
    /Today A1 · Returned to stock in .+ · stock@example\.com \d\d:\d\d · by an API key/,
  )
})

test('to-dos about loans name the assets, their holders and the days, and link to the assets that they do not name', async () => {
  const due = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  await client('PUT', '/employees.php?id=2', { is_active: true })
  for (const tag of ['L1', 'L2', 'L3', 'L4'])
    await client('POST', '/hardware.php', { employee_id: 2, asset_tag: tag, type: 'tablet', due_back: due(3) })
  const { html } = await manager.get('')
  assert.match(textIn(html), /4 loans are due back within 7 days L1 · Deniz Due back in 3 days L2 .* and 1 more asset /)
  const more = decodeHtml(/<a href="([^"]+)">and 1 more asset<\/a>/.exec(html)![1]!)
  assert.equal(await countListed(more), 4)
})
