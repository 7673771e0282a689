// What pages call an asset: its name, or else its model, with the asset tag beside it.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
await createPanelUser(environment, 'manager@example.com', 'acme')
const manager = await signIn(origin, 'manager@example.com')
await acme('POST', '/customers.php', { name: 'Berlin' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', name: 'Ada' })
const nameless = { employee_id: 1, asset_tag: 'AC-00001', model: 'MX Keys', serial_number: 'SN-1' }
assert.equal((await acme('POST', '/hardware.php', nameless)).status, 201)

const mainOf = async (path: string) => {
  const { html } = await manager.get(path)
  return decodeHtml(html.slice(html.indexOf('<main')))
}

test('an asset without a name is called by its model, with its tag beside it as a code', async () => {
  const beside = /MX Keys<\/(?:bdi|b|a)>(?:<\/a>)? <code>AC-00001<\/code>/
  for (const path of [
    'records.php?resource=hardware&columns=name,status',
    'search.php?q=ada&all=1',
    'search.php?q=ada&palette=1',
    'offboard.php?person=1',
    'records.php?resource=employees&id=1',
  ])
    assert.match(path.includes('palette') ? (await manager.get(path)).html : await mainOf(path), beside, path)
  const preview = await manager.submit('records.php?resource=hardware', { id: '1', do: 'return' }, /^bulk_edit/)
  assert.match(await mainOf(preview.location!), beside)
  assert.match(await mainOf('records.php?resource=hardware&id=1'), /<h1>.*MX Keys/s)
})

test('a list with a column for the tag shows it only there, and texts name the tag after a model', async () => {
  const list = await mainOf('records.php?resource=hardware')
  assert.equal(list.match(/AC-00001/g)!.length, 2, 'in its column, and in the label of the checkbox')
  assert.match(list, /aria-label="Select MX Keys AC-00001"/)
  assert.match(await mainOf('activity.php'), /MX Keys AC-00001/)
})

test('an asset with nothing but a type is called by the type’s label in the user’s language', async () => {
  assert.equal((await acme('POST', '/hardware.php', { employee_id: 1, type: 'monitor' })).status, 201)
  for (const path of [
    'records.php?resource=hardware',
    'search.php?q=ada&all=1',
    'offboard.php?person=1',
    'records.php?resource=hardware&id=2',
  ]) {
    const { html } = await manager.get(path, { 'accept-language': 'de' })
    assert.match(html, />Bildschirm</, path)
    assert.doesNotMatch(html, />monitor</, path)
  }
  assert.equal((await acme('DELETE', '/hardware.php?id=2')).status, 200)
  for (const path of [
    './',
    'activity.php',
    'activity.php?resource=hardware&id=2',
    'records.php?resource=hardware&id=2',
  ]) {
    const { html } = await manager.get(path, { 'accept-language': 'de' })
    assert.match(html, /Bildschirm/, path)
    assert.doesNotMatch(html, />monitor</, path)
  }
})
