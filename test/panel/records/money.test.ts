// Money and times in the panel use the tenant's currency and time zone, while the API uses minor units and UTC.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService({}, { now: () => new Date('2026-07-01T22:30:00.000Z') })
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'manager@example.com', 'north')
const manager = await signIn(origin, 'manager@example.com')
await client('POST', '/customers.php', { name: 'C' })
await client('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com' })
await client('POST', '/hardware.php', { employee_id: 1, name: 'Laptop', purchase_cost: 129990 })

const page = 'records.php?resource=hardware&id=1'
const textOf = async (path: string) =>
  decodeHtml((await manager.get(path)).html.replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')
const storedCost = async () => (await client('GET', '/hardware.php?id=1')).body.purchase_cost
const changeSettings = (values: Json) => client('PUT', '/settings.php', values)
const typedIn = (html: string) => /name="purchase_cost"[^>]*value="([^"]*)"/.exec(html)?.[1]

test('amounts are shown and entered in major units of the tenant’s currency', async () => {
  const currencies = { EUR: ['€1,299.90', '1299.90'], JPY: ['JP¥129,990', '129990'], KWD: ['KWD 129.990', '129.990'] }
  for (const [currency, [shown, typed]] of Object.entries(currencies)) {
    await changeSettings({ currency })
    await client('PUT', '/hardware.php?id=1', { purchase_cost: 129990 })
    assert.ok((await textOf(page)).includes(`Purchase cost ${shown}`), currency)
    assert.equal(typedIn((await manager.get(`${page}&edit=1`)).html), typed)
    await manager.submit(`${page}&edit=1`, { notes: currency })
    assert.equal(await storedCost(), 129990, `${currency}: saving the form does not change the amount`)
    await manager.submit(`${page}&edit=1`, { purchase_cost: '250' })
    assert.equal(await storedCost(), { EUR: 25000, JPY: 250, KWD: 250000 }[currency])
  }
})

test('amounts can be entered in common notations, and an invalid amount does not change anything', async () => {
  await changeSettings({ currency: 'EUR' })
  const forms = {
    '1,299.90': 129990,
    '1.299,90': 129990,
    '€ 12.5': 1250,
    '1,299': 129900,
    '0': 0,
    ' 7,5 ': 750,
    '1’299.90 EUR': 129990,
    '': null,
  }
  for (const [typed, expected] of Object.entries(forms)) {
    await manager.submit(`${page}&edit=1`, { purchase_cost: typed })
    assert.equal(await storedCost(), expected, typed)
  }
  await client('PUT', '/hardware.php?id=1', { purchase_cost: 5 })
  for (const typed of ['-1', '1.2345', '12.345', 'many', '1e3', '1299.90 TL', '$5']) {
    const { status, html } = await manager.submit(`${page}&edit=1`, { purchase_cost: typed })
    assert.deepEqual([status, typedIn(html)], [422, typed])
    const message = typed === '12.345' ? /Did you mean 12,345\.00\?/ : /Enter an amount such as 1299\.90\./
    assert.match(html, message)
    assert.equal(await storedCost(), 5, typed)
  }
})

test('pages show the value of assets even if the total is too large to be represented exactly as a number', async () => {
  await client('POST', '/hardware.php', { employee_id: 1, purchase_cost: Number.MAX_SAFE_INTEGER })
  await client('POST', '/hardware.php', { employee_id: 1, purchase_cost: Number.MAX_SAFE_INTEGER })
  for (const path of ['', 'records.php?resource=employees&id=1', 'records.php?resource=customers&id=1']) {
    const { status, html } = await manager.get(path)
    assert.deepEqual([status, /180,143,985,094,8\d\d/.test(html)], [200, true], path)
  }
})

test('times are shown in the tenant’s time zone, together with the time zone’s name', async () => {
  assert.match(await textOf(page), /22:30 · by .* Times are in UTC\./)
  await changeSettings({ time_zone: 'Europe/Istanbul' })
  assert.match(await textOf(page), /01:30 · by .* Times are in Europe\/Istanbul\./)
  assert.match(await textOf('activity.php'), /Times are in Europe\/Istanbul\..*01:30 · by/)
  assert.equal((await client('GET', '/hardware.php?id=1')).body.created_at, '2026-07-01T22:30:00.000Z')
})

test('lists, exports and to-dos count days in the tenant’s time zone, and the API counts them in UTC', async () => {
  await client('POST', '/employees.php', { customer_id: 1, email: 'leaver@example.com', end_date: '2026-07-01' })
  await client('POST', '/hardware.php', { employee_id: 2, name: 'Fairphone', warranty_end: '2026-07-01' })
  const list = 'records.php?resource=hardware&warranty=expired'
  const seen = async () => ({
    list: (await textOf(list)).includes('Fairphone'),
    export: (await manager.get(`${list}&format=csv`)).html.includes('Fairphone'),
    toDo: /1 asset is held by someone who left leaver@example.com left on/.test(await textOf('')),
    api: (await client('GET', '/hardware.php?warranty=expired')).body.data.length === 1,
  })
  await changeSettings({ time_zone: 'UTC' })
  assert.deepEqual(await seen(), { list: false, export: false, toDo: false, api: false })
  await changeSettings({ time_zone: 'Europe/Istanbul' })
  assert.deepEqual(await seen(), { list: true, export: true, toDo: true, api: false })
})
