// How the panel shows administrators and managers who created a key or made a change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createPanelUser,
  decodeHtml,
  type Person,
  password,
  signIn,
  withCatalogOf,
} from '../../support/panel/panel-client.ts'
import { command, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
await makeTenant(environment, 'acme')
await makeTenant(environment, 'other')
const rootId = await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'boss@example.com', 'acme')
const root = await signIn(origin, 'root@example.com')
const boss = await signIn(origin, 'boss@example.com')

/** Creates a key in the panel. Returns its token. */
async function createKeyAs(person: Person, name: string, path = 'api_keys.php'): Promise<string> {
  const { html } = await person.submit(path, { name, scope: '*:read', password })
  return /id="token">([^<]*)</.exec(html)![1]!
}

/** Returns the text that the list of keys shows as a key's creator. */
async function creatorOf(person: Person, name: string, path = 'api_keys.php'): Promise<string> {
  const { html } = await person.get(path)
  const row = decodeHtml(html)
    .match(/<tr>.*?<\/tr>/gs)!
    .find((html) => html.includes(`>${name}<`))
  assert.ok(row, `${name} is in the list`)
  return /data-label="Created by">(.*?)<\/td>/.exec(row)![1]!.replaceAll(/<[^>]*>/g, '')
}

test('the list of keys shows who created each key: a person, an administrator, or the command line', async () => {
  await createKeyAs(boss, 'by the boss')
  await createKeyAs(root, 'by root', 'api_keys.php?tenant=acme')
  await command(environment, 'key', 'create', 'acme', '--scope', '*:read', '--name', 'by a command')
  const list = 'api_keys.php?tenant=acme'
  assert.equal(await creatorOf(root, 'by the boss', list), 'boss@example.com')
  assert.equal(await creatorOf(root, 'by root', list), 'root@example.com')
  assert.equal(await creatorOf(root, 'by a command', list), 'command line')
  assert.equal(await creatorOf(boss, 'by the boss'), 'boss@example.com')
  assert.equal(await creatorOf(boss, 'by root'), 'Administrator')
})

test('an account’s page, and the page shown after the account is deleted, link to the keys that the account created', async () => {
  const id = await createPanelUser(environment, 'leaver@example.com', 'acme')
  const leaver = await signIn(origin, 'leaver@example.com')
  const token = await createKeyAs(leaver, 'left behind')
  const link = `api_keys.php?tenant=acme&key=${token.slice(4, 14)}`
  const before = decodeHtml((await root.get(`users.php?id=${id}`)).html)
  assert.ok(before.includes(`href="${link}">left behind`), 'before the deletion')
  const after = await root.submit(`users.php?id=${id}`, { delete: '1', password })
  assert.equal(after.status, 200)
  assert.ok(decodeHtml(after.html).includes(`href="${link}">left behind`), 'after the deletion')
  assert.equal((await networkClient(apiUrl, token)('GET', '/customers.php')).status, 200, 'the key stays valid')
  for (const [person, path] of [
    [root, 'api_keys.php?tenant=acme'],
    [boss, 'api_keys.php'],
  ] as const)
    assert.equal(await creatorOf(person, 'left behind', path), 'leaver@example.com account deleted')
  assert.equal((await root.submit(link, { revoke: '1' })).status, 303)
})

test('the command that deletes an account names the keys that stay valid', async () => {
  await createPanelUser(environment, 'second@example.com', 'acme')
  const token = await createKeyAs(await signIn(origin, 'second@example.com'), 'of the second')
  const { stderr } = await command(environment, 'user', 'delete', 'second@example.com')
  assert.match(stderr, new RegExp(`key revoke ${token.slice(4, 14)}`))
})

test('the list marks keys whose creator no longer has access to the tenant', async () => {
  const id = await createPanelUser(environment, 'moved@example.com', 'acme')
  await createKeyAs(await signIn(origin, 'moved@example.com'), 'of the moved')
  const move = `update memberships set tenant_id = (select id from tenants where slug = 'other') where user_id = ?`
  await withCatalogOf(environment, (catalog) => catalog.transaction(async (database) => database.run(move, [id])))
  assert.equal(
    await creatorOf(root, 'of the moved', 'api_keys.php?tenant=acme'),
    'moved@example.com no longer has access',
  )
})

test('pages show managers “Administrator” instead of an administrator’s email address or id', async () => {
  const { location } = await root.submit('records.php?tenant=acme&resource=customers&new=1', { name: 'Made by root' })
  const id = /id=(\d+)/.exec(location!)![1]
  await boss.submit(`records.php?resource=customers&id=${id}&edit=1`, { city: 'Jena' }, /^records/)
  const pages = ['', 'activity.php', 'activity.php?by=administrators', 'api_keys.php', 'profile.php']
  for (const path of [...pages, `records.php?resource=customers&id=${id}`]) {
    const { status, html } = await boss.get(path)
    assert.equal(status, 200, path)
    assert.ok(!decodeHtml(html).includes('root@example.com') && !html.includes(rootId), path)
  }
  const listed = async (person: Person, query: string) =>
    [
      ...(await person.get(`activity.php?${query}`)).html.matchAll(
        /<li data-action="(\w+)">.*?<span class="by">by (.*?)</gs,
      ),
    ].map(([, action, who]) => [action, decodeHtml(who!)])
  assert.deepEqual(await listed(boss, ''), [
    ['update', 'boss@example.com'],
    ['create', 'Administrator'],
  ])
  assert.match((await boss.get('activity.php')).html, /<option value="administrators">Administrator</)
  assert.deepEqual(await listed(boss, 'by=administrators'), [['create', 'Administrator']])
  assert.deepEqual(await listed(root, `tenant=acme&by=user:${rootId}`), [['create', 'root@example.com']])
})
