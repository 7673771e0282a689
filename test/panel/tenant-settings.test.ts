// /tenant_settings.php: managers and administrators change a tenant's settings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await makeTenant(environment, 'south')
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'manager@example.com', 'north')
const [root, manager] = [await signIn(origin, 'root@example.com'), await signIn(origin, 'manager@example.com')]
const page = 'tenant_settings.php'
const currentSettings = async () => (await client('GET', '/settings.php')).body

test('managers can change only the settings of their own tenant; administrators can change those of any tenant', async () => {
  const response = await manager.submit(page, { currency: 'TRY', time_zone: 'Europe/Istanbul', name: 'North & Co' })
  assert.deepEqual([response.status, response.location], [303, `${page}`])
  const { name, currency, time_zone, warranty_notice_days } = await currentSettings()
  assert.deepEqual([name, currency, time_zone, warranty_notice_days], ['North & Co', 'TRY', 'Europe/Istanbul', 60])
  await root.submit(`${page}?tenant=north`, { customers_called: 'clients', tag_format: 'TD-{0000}' })
  assert.deepEqual(Object.values(await currentSettings()).slice(3, 7), ['clients', 60, 'TD-{0000}', 1])
  const [latest] = (await client('GET', '/changes.php?order=desc&limit=1')).body.data
  assert.deepEqual([latest.resource, latest.id, typeof latest.user_id], ['settings', 1, 'string'])
  const activity = decodeHtml((await manager.get('activity.php?resource=settings')).html)
  assert.match(activity, /Name for clients/)
  assert.match(decodeHtml((await root.get('events.php')).html), /Tenant renamed/)
  assert.equal((await manager.get(`${page}?tenant=south`)).status, 404)
})

test('a tenant’s pages call customers “branches” or “clients”, depending on the tenant’s settings', async () => {
  for (const [called, many, label] of [
    ['clients', 'Clients', 'Client'],
    ['branches', 'Branches', 'Branch'],
  ] as const) {
    await client('PUT', '/settings.php', { customers_called: called })
    for (const path of ['', 'users.php', 'api_keys.php', 'records.php?resource=customers', page]) {
      assert.match((await manager.get(path)).html, new RegExp(`>${many}<`), path)
    }
    assert.match((await manager.get('records.php?resource=employees&new=1')).html, new RegExp(`>${label} `))
  }
})

test('tenants are found by name regardless of case and accents', async () => {
  await manager.submit(page, { name: 'İzmir Işık' })
  for (const words of ['izmir', 'ISIK', 'Işık', 'İZMİR']) {
    const html = decodeHtml((await root.get(`tenants.php?q=${encodeURIComponent(words)}`)).html)
    assert.deepEqual(
      ['north', 'south'].map((slug) => html.includes(`href="tenants.php?tenant=${slug}"`)),
      [true, false],
      words,
    )
  }
})

test('invalid settings are refused with a message for each field, and nothing is changed', async () => {
  const before = await currentSettings()
  const { status, html } = await manager.submit(page, {
    currency: 'EURO',
    tag_format: 'TD',
    next_tag_number: '0',
    name: '',
  })
  assert.equal(status, 422)
  const shown = decodeHtml(html)
  for (const message of [
    'three-letter currency code',
    'one placeholder for the number',
    'Enter a whole number from 1 to 999,999,999',
    'required',
  ])
    assert.match(shown, new RegExp(message))
  assert.match(html, /value="EURO"/)
  assert.deepEqual(await currentSettings(), before)
})

test('a settings form is refused if the settings have changed since it was opened', async () => {
  assert.match((await manager.get(page)).html, /<p class="hint" id="tag_format-hint">For example, TD-\{0000\} means/)
  const stale = await manager.submit(page, { etag: '"stale"', currency: 'USD' })
  assert.deepEqual([stale.status, (await currentSettings()).currency], [412, 'TRY'])
})

test('if two people save the same settings form concurrently, the second is refused because the settings have changed', async () => {
  const forms = await Promise.all(
    [manager, root].map(async (person) => (await person.get(`${page}?tenant=north`)).html),
  )
  const responses = await Promise.all(
    [manager, root].map((person, index) => {
      const form = formsIn(forms[index]!).find(({ action }) => action.startsWith('tenant_settings'))!
      const fields = new URLSearchParams(form.fields)
      fields.set('name', ['Of the manager', 'Of the administrator'][index]!)
      return person.post(form.action, fields)
    }),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 412])
  const [saved, refused] = responses[0]!.status === 303 ? [0, 1] : [1, 0]
  assert.equal((await currentSettings()).name, ['Of the manager', 'Of the administrator'][saved])
  assert.match(responses[refused]!.html, /Someone else/)
})
