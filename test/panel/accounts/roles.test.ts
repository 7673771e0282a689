// Managers and viewers, in one tenant or several.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../../src/panel/routes.ts'
import { catalogDatabaseOf, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  type Person,
  password,
  signIn,
} from '../../support/panel/panel-client.ts'
import { command, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const token = await makeTenant(environment, 'acme')
const betaToken = await makeTenant(environment, 'beta')
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'boss@acme.example', 'acme')
const viewerId = await createPanelUser(environment, 'viewer@acme.example', 'acme', 'viewer')
await createPanelUser(environment, 'both@example.com', ['acme', 'beta'], 'viewer')
const betaBossId = await createPanelUser(environment, 'boss@beta.example', 'beta')
const [root, boss, viewer, both] = await Promise.all(
  ['root@example.com', 'boss@acme.example', 'viewer@acme.example', 'both@example.com'].map((email) =>
    signIn(origin, email),
  ),
)
const client = networkClient(apiUrl, token)
const { id } = (await client('POST', '/customers.php', { name: 'Acme North' })).body
await networkClient(apiUrl, betaToken)('POST', '/customers.php', { name: 'Beta secret' })
const [{ change_set: changeSet }] = (await client('GET', '/changes.php')).body.data

const record = `records.php?resource=customers&id=${id}`
const readPages = ['', 'records.php?resource=customers', record, 'activity.php', `activity.php?change_set=${changeSet}`]
const writePages = [
  'api_keys.php',
  `api_keys.php?key=${token.slice(4, 14)}`,
  'users.php',
  `users.php?id=${viewerId}`,
  'import.php',
  'tenant_settings.php',
  'records.php?resource=customers&new=1',
  `${record}&edit=1`,
  `${record}&delete=1`,
]

test('viewers can open read-only pages, which have no forms or links that write, and receive 403 for pages that write', async () => {
  for (const path of readPages) {
    const { status, html } = await viewer!.get(path)
    assert.equal(status, 200, path)
    const main = html.slice(html.indexOf('<main'))
    assert.deepEqual(formsIn(main), [], path)
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => decodeHtml(href!))
    for (const link of new Set(links))
      if (/\.php/.test(link)) assert.ok([200, 303].includes((await viewer!.get(link)).status), `${path} → ${link}`)
  }
  for (const path of writePages) {
    assert.equal((await viewer!.get(path)).status, 403, path)
    assert.equal((await boss!.get(path)).status, 200, path)
  }
  assert.equal((await viewer!.get('records.php?resource=customers&format=csv')).status, 200)
})

test('every form except sign-in, sign-out, set-up and profile is refused for a viewer, and does not write anything', async () => {
  const csrfToken = new URLSearchParams(formsIn((await viewer!.get('')).html)[0]!.fields).get('form_token')!
  const state = async () => {
    const tenant = await tenantDatabaseOf(environment, 'acme')
    const catalog = await catalogDatabaseOf(environment)
    return [
      await tenant.all('select count(*) as rows from changes'),
      await catalog.all('select id, email, name from users order by id'),
      await catalog.all('select * from memberships order by user_id, tenant_id'),
      await catalog.all('select id, revoked_at from api_keys order by id'),
      await catalog.all('select id, slug, name, state from tenants order by id'),
    ]
  }
  const before = await state()
  const allowedForms = ['login.php', 'logout.php', 'setup.php', 'profile.php']
  const paths = Object.keys(pages).filter((path) => pages[path]!.submit && !allowedForms.includes(path))
  const queries = [
    '',
    `id=${id}`,
    `id=${id}&edit=1`,
    `id=${id}&delete=1`,
    'new=1',
    `id=${viewerId}`,
    `id=${betaBossId}`,
  ]
  const moreQueries = [
    `key=${token.slice(4, 14)}`,
    `change_set=${changeSet}`,
    'tenant=acme',
    `tenant=acme&id=${viewerId}`,
  ]
  const form = new URLSearchParams({
    form_token: csrfToken,
    password,
    name: 'x',
    email: 'x@x.example',
    role: 'manager',
  })
  for (const button of ['delete', 'revoke', 'set_role', 'remove', 'suspend', 'run']) form.append(button, '1')
  for (const path of paths)
    for (const query of [...queries, ...moreQueries]) {
      const { status } = await viewer!.post(`${path}?resource=customers&${query}`, form)
      const expected = pages[path]!.isPublic || !('role' in pages[path]!) ? 403 : 404
      assert.equal(status, expected, `${path}?${query}`)
    }
  assert.deepEqual(await state(), before)
})

test('a user of several tenants chooses one, can switch between them, and cannot open others', async () => {
  await makeTenant(environment, 'gamma')
  for (const path of ['', 'records.php?resource=customers']) {
    const { html } = await both!.get(path)
    const links = hrefs(html.slice(html.indexOf('<main'))).filter((href) => /tenant=/.test(href))
    assert.equal(links.length, 2, path)
    for (const link of links) assert.equal((await both!.get(link)).status, 200, link)
  }
  const acme = await both!.get('records.php?tenant=acme&resource=customers')
  assert.ok(acme.html.includes('Acme North') && !acme.html.includes('Beta secret'))
  assert.ok(hrefs(acme.html).includes('records.php?tenant=beta&resource=customers'))
  assert.match((await both!.get('records.php?tenant=beta&resource=customers')).html, /Beta secret/)
  for (const path of ['?tenant=gamma', 'records.php?tenant=gamma', 'activity.php?tenant=gamma'])
    assert.equal((await both!.get(path)).status, 404, path)
  for (const path of ['?tenant=beta', 'records.php?tenant=beta&resource=customers', 'api_keys.php?tenant=beta'])
    assert.equal((await viewer!.get(path)).status, 404, path)
  await command(environment, 'user', 'set', 'both@example.com', '--remove-tenant', 'acme')
  assert.equal(
    (await both!.get('records.php?tenant=acme')).status,
    404,
    'losing access takes effect on the next request',
  )
  assert.equal(
    (await both!.get('records.php?resource=customers')).status,
    200,
    'a URL without a tenant refers to the user’s only tenant',
  )
})

test('a role applies to one tenant: a user who is a manager of one tenant and a viewer of another can change only the first', async () => {
  await createPanelUser(environment, 'mixed@example.com', ['acme', 'beta'], 'viewer')
  await command(environment, 'user', 'set', 'mixed@example.com', '--role', 'manager', '--tenant', 'beta')
  const mixed = await signIn(origin, 'mixed@example.com')
  const add = (tenant: string) => `records.php?tenant=${tenant}&resource=customers&new=1`
  assert.equal((await mixed.submit(add('beta'), { name: 'By mixed' })).status, 303)
  const fields = formsIn((await mixed.get(add('beta'))).html).find(({ action }) => action.startsWith('records'))!.fields
  assert.equal((await mixed.post(add('acme'), new URLSearchParams(fields))).status, 403)
  for (const [tenant, status] of [
    ['acme', 403],
    ['beta', 200],
  ] as const)
    assert.equal((await mixed.get(`api_keys.php?tenant=${tenant}`)).status, status)
})

test('managers can invite, promote and remove users of their tenant, and cannot reach other accounts', async () => {
  const invited = await boss!.submit('users.php', { email: 'new@acme.example', name: 'Nora New', role: 'viewer' })
  const link = /id="link">([^<]*)/.exec(invited.html)![1]!
  const nora = openBrowser(origin)
  assert.equal((await nora.open(decodeHtml(link), { password })).status, 303)
  assert.equal((await nora.get('records.php?resource=customers')).status, 200)
  const list = (await boss!.get('users.php')).html
  assert.match(list, /Nora New/)
  assert.ok(!list.includes('root@example.com') && !list.includes('boss@beta.example'))
  const noraPage = await pageOf(boss!, 'Nora New')
  assert.equal((await boss!.submit(noraPage, { role: 'manager', set_role: '1' })).status, 303)
  assert.equal((await nora.get('users.php')).status, 200)
  for (const path of [`users.php?id=${betaBossId}`, `users.php?tenant=beta&id=${betaBossId}`, 'users.php?tenant=beta'])
    for (const response of [await boss!.get(path), await post(boss!, path, { remove: '1' })])
      assert.equal(response.status, 404, path)
  const taken = await boss!.submit('users.php', { email: 'boss@beta.example', role: 'manager' })
  assert.deepEqual([taken.status, /This address cannot be invited here/.test(taken.html)], [422, true])
  assert.equal((await post(boss!, 'users.php', { email: 'a@b.example', role: 'administrator' })).status, 400)
  assert.equal(
    (await post(boss!, noraPage, { reset: '1' })).status,
    400,
    'managers cannot create links for existing accounts',
  )
  assert.equal((await boss!.submit(noraPage, { remove: '1' })).status, 303)
  assert.match((await boss!.get('users.php')).html, /role="status">.*? no longer has access to [^<]+\.</s)
  assert.equal((await nora.get('')).status, 303, 'removing the last tenant of an account ends its sessions')
})

test('users can change their names, which are shown in the history, the menu and lists', async () => {
  assert.equal((await boss!.submit('profile.php', { name: 'Bo <Boss>', do_name: '1' }, /^profile/)).status, 303)
  await boss!.submit(`${record}&edit=1`, { city: 'Jena' }, /^records/)
  for (const path of ['activity.php', record, 'users.php', 'profile.php'])
    assert.match((await boss!.get(path)).html, /Bo &#60;Boss&#62;/, path)
  assert.doesNotMatch((await viewer!.get(record)).html, /boss@acme\.example/)
  const refused = await boss!.submit('profile.php', { name: 'x'.repeat(101), do_name: '1' }, /^profile/)
  assert.equal(refused.status, 422)
})

test('giving an account access to another tenant invalidates its earlier links', async () => {
  const invited = await boss!.submit('users.php', { email: 'late@acme.example', role: 'viewer' })
  const link = decodeHtml(/id="link">([^<]*)/.exec(invited.html)![1]!)
  const page = await pageOf(root!, 'late@acme.example', 'users.php')
  assert.equal((await root!.submit(page, { tenant: 'beta', role: 'viewer', add_tenant: '1', password })).status, 200)
  assert.equal((await openBrowser(origin).open(link)).status, 410)
  assert.match((await root!.get('users.php?tenant=beta')).html, /late@acme\.example/)
})

test('whoever took an address first in one tenant loses the account when it is added to another', async () => {
  const invited = await boss!.submit('users.php', { email: 'cfo@beta.example', role: 'manager' })
  const squatter = openBrowser(origin)
  await squatter.open(decodeHtml(/id="link">([^<]*)/.exec(invited.html)![1]!), { password })
  assert.equal((await squatter.get('records.php?resource=customers')).status, 200)
  const added = await command(environment, 'user', 'set', 'cfo@beta.example', '--role', 'manager', '--tenant', 'beta')
  assert.match(added.stdout, /^http\S+\/setup\.php#token=\S+\n$/)
  assert.match(added.stderr, /it no longer works: they choose a new one with this link/)
  assert.equal((await squatter.get('records.php?tenant=beta&resource=customers')).status, 303, 'the session has ended')
  const again = await openBrowser(origin).submit('login.php', { email: 'cfo@beta.example', password })
  assert.equal(again.status, 403, 'the password no longer works')
  const owner = openBrowser(origin)
  await owner.open(added.stdout.trim(), { password: 'the harbour of the real owner' })
  assert.match((await owner.get('records.php?tenant=beta&resource=customers')).html, /Beta secret/)
  const same = await command(environment, 'user', 'set', 'cfo@beta.example', '--role', 'viewer', '--tenant', 'beta')
  assert.deepEqual([same.stdout, same.exitCode], ['', 0], 'a changed role keeps the account')
  assert.equal((await owner.get('records.php?tenant=beta&resource=customers')).status, 200)
})

test('a manager who tries many addresses has to wait, whether or not they have accounts', async () => {
  const invite = (email: string) => boss!.submit('users.php', { email, role: 'viewer' })
  const taken = Array.from({ length: 6 }, () => invite('root@example.com'))
  const answers = (await Promise.all(taken)).map(({ html }) => /error-summary.*?<\/div>/s.exec(html)?.[0] ?? '')
  assert.ok(answers.some((answer) => /cannot be invited here/.test(answer)))
  assert.doesNotMatch(answers.join(), /already exists|Administrator/)
  const waiting = await invite('root@example.com')
  assert.deepEqual([waiting.status, /Too many attempts/.test(waiting.html)], [422, true])
  assert.match((await invite('free@acme.example')).html, /Too many attempts/)
  assert.match((await root!.get('events.php')).html, /Invitation rejected/)
})

test('administrators can extend a trial, but managers cannot', async () => {
  await command(environment, 'tenant', 'create', 'tried', '--trial-ends', '2020-01-31')
  const page = 'tenants.php?tenant=tried'
  const refused = await root!.submit(page, { trial_ends: '2035-02-30', extend: '1' })
  assert.deepEqual([refused.status, /Enter a valid date/.test(refused.html)], [422, true])
  assert.equal((await root!.submit(page, { trial_ends: '2035-01-31', extend: '1' })).status, 303)
  assert.match((await root!.get(page)).html, /31 Jan(uary)? 2035/)
  assert.equal((await post(boss!, page, { trial_ends: '2036-01-31', extend: '1' })).status, 404)
})

function hrefs(html: string): string[] {
  return [...html.slice(html.indexOf('<main')).matchAll(/href="([^"]*)"/g), ...html.matchAll(/<li><a href="([^"]*)"/g)]
    .map(([, href]) => decodeHtml(href!))
    .filter((href, index, links) => links.indexOf(href) === index)
}

/** Finds the URL of a user's page in a list. */
async function pageOf(person: Person, name: string, list = 'users.php'): Promise<string> {
  const { html } = await person.get(list)
  return decodeHtml(new RegExp(`href="(users\\.php[^"]*)">${name}<`).exec(html)![1]!)
}

async function post(person: Person, path: string, fields: Record<string, string>) {
  const form_token = new URLSearchParams(formsIn((await person.get('profile.php')).html)[0]!.fields).get('form_token')!
  return person.post(path, new URLSearchParams({ form_token, password, ...fields }))
}
