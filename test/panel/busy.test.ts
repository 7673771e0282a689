// The panel while the server is overloaded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const { environment, listen } = await startService({}, { waiting: { maxPerTenant: 0, maxPerProcess: 0 } })
const { origin } = new URL(await listen())

test('if the queue is full, page requests fail with a 503 that says that the server is busy', async () => {
  await makeTenant(environment, 'north')
  await createPanelUser(environment, 'north@example.com', 'north')
  const north = await signIn(origin, 'north@example.com')
  const page = await north.get('records.php?tenant=north&resource=customers')
  assert.equal(page.status, 503)
  assert.match(page.html, /The server is busy\. Nothing was changed\. Try again in a few seconds\./)
})
