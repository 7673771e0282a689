// The layout that all panel pages share.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { generateIcons } from '../../docs/icons.ts'
import { newId } from '../../src/catalog/ids.ts'
import { pages } from '../../src/panel/routes.ts'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  setupToken,
  signIn,
  withCatalogOf,
} from '../support/panel/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const service = await startService({}, { nodes: 1 })
await makeTenant(service.environment, 'acme')
const origin = new URL(await service.listen()).origin

test('every page has a sign-out button', async () => {
  await createPanelUser(service.environment, 'root@example.com')
  const root = await signIn(origin, 'root@example.com')
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

test('password fields hide their value and have the autocomplete value that password managers need', async () => {
  const login = (await openBrowser(origin).get('login.php')).html
  assert.match(login, /<input[^>]*type="password"[^>]*autocomplete="current-password"/)
  const empty = await startService({}, { nodes: 1 })
  const fresh = openBrowser(new URL(await empty.listen()).origin)
  const { html } = await fresh.open(await setupToken(empty.environment))
  assert.match(html, /<input[^>]*type="password"[^>]*autocomplete="new-password"/)
  for (const [field] of html.matchAll(/<input[^>]*name="password[^>]*>/g)) assert.match(field, /type="password"/)
})

test('the icon sprite is generated from the list of icons (npm run docs)', () => {
  assert.equal(readFileSync('src/panel/assets/icons.svg', 'utf8'), generateIcons())
})

test('the page after a submitted form shows a confirmation only once, and never shows a forged one', async () => {
  await createPanelUser(service.environment, 'confirmed@example.com', 'acme')
  const person = await signIn(origin, 'confirmed@example.com')
  const sent = await person.submit('profile.php', { name: 'Ada', do_name: '1' })
  assert.deepEqual([sent.status, sent.location], [303, 'profile.php'])
  const forged = person.cookies.get('tenantdesk-toast')!.replace(/^./, 'x')
  const { html } = await person.get('')
  assert.match(html, /role="status".*Changes saved\./s)
  assert.match(html, /<title>Changes saved\. · acme/, 'screen readers announce the title')
  assert.doesNotMatch((await person.get('')).html, /role="status"/)
  person.cookies.set('tenantdesk-toast', forged)
  assert.doesNotMatch((await person.get('')).html, /role="status"/)
})

test('a mistyped URL shows the panel’s own page, with the bars of a signed-in user and with links that work', async () => {
  await createPanelUser(service.environment, 'mistypes@example.com', 'acme')
  const person = await signIn(origin, 'mistypes@example.com')
  for (const path of ['record.php', 'records.php/12/', 'a/b/c']) {
    const { status, html } = await person.get(path, { accept: 'text/html,*/*;q=0.8' })
    assert.equal(status, 404)
    assert.match(html, /<title>Not found · Tenantdesk<\/title>/)
    const links = [...html.matchAll(/ (?:href|src|action)="((?!#)[^"]*)"/g)].map(([, to]) => decodeHtml(to!))
    const roots = links.map((link) => new URL(link, `${origin}/${path}`).pathname.split('/')[1]!)
    const known = [...Object.keys(pages), 'panel', 'docs']
    assert.deepEqual(
      roots.filter((root) => !known.includes(root)),
      [],
    )
    assert.ok(roots.includes('records.php'))
  }
  const visitor = await openBrowser(origin).get('nowhere', { accept: 'text/html' })
  assert.deepEqual([visitor.status, /class="plain"/.test(visitor.html)], [404, true])
})

test('programs that request an unknown URL get the error envelope', async () => {
  const visitor = openBrowser(origin)
  const answers = [
    await visitor.get('nowhere', { accept: '*/*' }),
    await visitor.get('nowhere', { accept: 'application/json' }),
    await visitor.post('nowhere', 'a=b', { accept: 'text/html' }),
  ]
  for (const { status, html } of answers) assert.deepEqual([status, JSON.parse(html).error.code], [404, 'not_found'])
  const api = await visitor.get('api/v1/nowhere', { accept: 'text/html' })
  assert.deepEqual([api.status, JSON.parse(api.html).error.code], [401, 'unauthorized'])
})

test('every page with a form can also be opened, so that going back to it or reloading it shows it', async () => {
  await createPanelUser(service.environment, 'sender@example.com')
  const person = await signIn(origin, 'sender@example.com')
  for (const [path, page] of Object.entries(pages)) {
    if (!page.submit) continue
    const { status } = await person.get(`${path}?tenant=acme`)
    assert.ok(status < 500 && status !== 405, `${path}: ${status}`)
  }
})

test('visitors can choose the language and theme of their browser before signing in', async () => {
  const visitor = openBrowser(origin)
  const chosen = await visitor.get('login.php?language=tr&next=activity.php')
  assert.deepEqual([chosen.status, chosen.location], [303, 'login.php?next=activity.php'])
  await visitor.get('login.php?theme=dark')
  assert.match((await visitor.get('setup.php')).html, /<html lang="tr-TR" data-theme="dark">/)
  assert.equal((await visitor.get('login.php?language=xx')).status, 200)
})

test('a page’s menu changes the language, theme and row height, and returns to the page', async () => {
  await createPanelUser(service.environment, 'chooser@example.com', 'acme')
  const person = await signIn(origin, 'chooser@example.com')
  const back = 'records.php?resource=employees'
  const { html } = await person.get(back)
  const { fields } = formsIn(html).find(({ action }) => action === 'profile.php')!
  const choose = (name: string, value: string) =>
    person.post('profile.php', new URLSearchParams([...fields, [name, value]]))
  assert.equal((await choose('theme', 'dark')).location, back)
  await choose('language', 'de')
  assert.match((await person.get('')).html, /<html lang="de-DE" data-theme="dark">/)
  assert.equal((await choose('rows', 'compact')).location, back)
  assert.match((await person.get('')).html, /<html lang="de-DE" data-theme="dark" data-rows="compact">/)
  assert.deepEqual([(await choose('theme', 'pink')).status, (await choose('rows', 'huge')).status], [400, 400])
  for (const foreign of ['https://example.com/', '//example.com', 'login.php'])
    assert.equal((await choose('back', foreign)).status, 400, 'a form without a preference is refused')
  fields.find(([name]) => name === 'back')![1] = '//example.com'
  assert.equal((await choose('theme', 'light')).location, './')
})

test('the tenant switcher of administrators leads to the same page of another tenant', async () => {
  await makeTenant(service.environment, 'beta')
  await createPanelUser(service.environment, 'all@example.com')
  const root = await signIn(origin, 'all@example.com')
  const { html } = await root.get('records.php?tenant=acme&resource=employees')
  assert.match(html, /href="records\.php\?tenant&#61;beta&#38;resource&#61;employees"/)
})

test('the tenant switcher starts with the tenants that the user opened last', async () => {
  for (const slug of ['yankee', 'zulu']) await makeTenant(service.environment, slug)
  await withCatalogOf(service.environment, (catalog) =>
    catalog.transaction(async (database) => {
      for (let index = 0; index < 25; index++)
        await database.run(
          `insert into tenants (id, slug, name, state, created_at, server) values (?, ?, ?, 'suspended', '2026-01-01', ?)`,
          [newId(), `early-${index}`, `Aa ${index}`, 'none'],
        )
    }),
  )
  await createPanelUser(service.environment, 'recent@example.com')
  const root = await signIn(origin, 'recent@example.com')
  const offered = async (path: string, person = root) => {
    const menu = /<details class="menu switcher">.*?<\/details>/s.exec((await person.get(path)).html)![0]
    return [...decodeHtml(menu).matchAll(/tenant=([\w-]+)/g)].map(([, slug]) => slug!)
  }
  assert.equal((await offered('?tenant=zulu')).includes('yankee'), false)
  await offered('?tenant=yankee')
  assert.deepEqual((await offered('profile.php')).slice(0, 3), ['yankee', 'zulu', 'early-0'])
  const other = await signIn(origin, 'all@example.com')
  other.cookies.set('tenantdesk-recent', root.cookies.get('tenantdesk-recent')!)
  assert.equal(
    (await offered('profile.php', other))[0],
    'early-0',
    'tenants that another user opened in this browser are not shown',
  )
})
