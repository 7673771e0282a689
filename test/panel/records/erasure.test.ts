// The form that erases a person, in a browser without scripts.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await makeTenant(environment, 'south')
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'north@example.com', 'north')
await createPanelUser(environment, 'south@example.com', 'south')
const root = await signIn(origin, 'root@example.com')
const manager = await signIn(origin, 'north@example.com')
const other = await signIn(origin, 'south@example.com')
await client('POST', '/customers.php', { name: 'Office' })

const textIn = (html: string) => decodeHtml(html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '))

async function createPerson(name: string): Promise<string> {
  const { id } = (await client('POST', '/employees.php', { customer_id: 1, email: 'a@b.example', name })).body
  return `records.php?resource=employees&id=${id}`
}

test('a manager can erase a person on a page that explains the effects, and the security log shows the erasure', async () => {
  const page = await createPerson('Ada Lovelace')
  assert.match((await manager.get(page)).html, /Erase personal data/)
  const confirmation = textIn((await manager.get(`${page}&erase=1`)).html)
  assert.match(
    confirmation,
    /Erase the personal data of Ada Lovelace\?.*permanently removes: Email, Name, .*history.*Backups/,
  )
  const response = await manager.submit(`${page}&erase=1`, {}, /erase/)
  assert.deepEqual([response.status, response.location], [303, `${page}`])
  const shown = textIn((await manager.get(response.location!)).html)
  assert.match(shown, /Personal data erased\..*\[erased\]/)
  assert.doesNotMatch(shown, /Ada|a@b\.example/)
  assert.match(textIn((await root.get('events.php')).html), /Personal data erased.*north@example\.com/)
  const database = await tenantDatabaseOf(environment, 'north')
  await eventually(
    "the database's free space is overwritten",
    async () => !(await database.dump()).includes('Lovelace'),
  )
  assert.equal((await client('PUT', '/customers.php?id=1', { city: 'Kiel' })).status, 200)
})

test('users of other tenants cannot erase a person, and only records of people can be erased', async () => {
  const page = await createPerson('Grace Hopper')
  const { html } = await manager.get('records.php?resource=customers&id=1')
  assert.doesNotMatch(html, /Erase personal data/)
  assert.equal((await manager.get('records.php?resource=customers&id=1&erase=1')).status, 404)
  const [, id] = /id=(\d+)$/.exec(page)!
  assert.equal((await other.get(`${page}&erase=1`)).status, 404)
  assert.equal((await client('GET', `/employees.php?id=${id}`)).body.name, 'Grace Hopper')
})
