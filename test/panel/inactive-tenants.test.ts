// What administrators see on the pages of a tenant that is suspended or whose trial has ended.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, signIn } from '../support/panel/panel-client.ts'
import { command, makeTenant, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const { origin } = new URL(await listen())
for (const slug of ['north', 'south']) await makeTenant(environment, slug)
await createPanelUser(environment, 'root@example.com')
const root = await signIn(origin, 'root@example.com')

test('pages of a suspended tenant show administrators a banner with a link to the tenant’s page', async () => {
  await command(environment, 'tenant', 'suspend', 'north')
  for (const path of ['?tenant=north', 'records.php?tenant=north', 'activity.php?tenant=north']) {
    const { html } = await root.get(path)
    assert.match(html, /class="banner".*This tenant is suspended\..*href="tenants\.php\?tenant&#61;north"/s, path)
  }
  for (const path of ['records.php?tenant=south', 'tenants.php'])
    assert.doesNotMatch((await root.get(path)).html, /class="banner"/, path)
})

test('pages of a tenant whose trial has ended show administrators a banner', async () => {
  await command(environment, 'tenant', 'create', 'east', '--trial-ends', '2020-01-01')
  assert.match((await root.get('records.php?tenant=east')).html, /class="banner".*This tenant’s trial has ended/s)
})
