// The layout that all pages of the panel share.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../src/panel/routes.ts'
import { browse, createPanelUser, formsIn, setupToken, signedIn } from '../support/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const service = await startService({}, { nodes: 1 })
await makeTenant(service.environment, 'acme')
const origin = new URL(await service.listen()).origin

test('every page has a sign-out button', async () => {
  await createPanelUser(service.environment, 'root@example.com')
  const root = await signedIn(origin, 'root@example.com')
  const seen: string[] = []
  for (const path of Object.keys(pages)) {
    const { status, html } = await root.get(path)
    if (status !== 200) continue
    seen.push(path)
    assert.ok(
      formsIn(html).some(({ action }) => action === 'logout.php'),
      path,
    )
  }
  for (const path of ['', 'tenants.php', 'users.php', 'events.php', 'profile.php']) assert.ok(seen.includes(path), path)
})

test('password fields are hidden and known to password managers', async () => {
  const login = (await browse(origin).get('login.php')).html
  assert.match(login, /<input[^>]*type="password"[^>]*autocomplete="current-password"/)
  const empty = await startService({}, { nodes: 1 })
  const fresh = browse(new URL(await empty.listen()).origin)
  const { html } = await fresh.open(await setupToken(empty.environment))
  assert.match(html, /<input[^>]*type="password"[^>]*autocomplete="new-password"/)
  for (const [field] of html.matchAll(/<input[^>]*name="password[^>]*>/g)) assert.match(field, /type="password"/)
})
