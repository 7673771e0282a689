// Who can sign in to the panel, and which forms it accepts.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordLink, linkAddress } from '../../../src/accounts/one-time-links/one-time-links.ts'
import { createUser, findUsers } from '../../../src/accounts/users.ts'
import { listEvents } from '../../../src/catalog/audit/audit-log.ts'
import {
  createPanelUser,
  formsIn,
  openBrowser,
  password,
  setupToken,
  signIn,
  withCatalogOf,
} from '../../support/panel/panel-client.ts'
import { makeTenant, startService } from '../../support/service.ts'

let clock = Date.now()
const { environment, listen } = await startService({}, { now: () => new Date(clock) })
const { origin } = new URL(await listen())
const minuteMs = 60_000
await openBrowser(origin).open(await setupToken(environment), { email: 'root@example.com', password, demo: '1' })

test('a set-up link creates the first administrator, and works only once', async () => {
  const { environment, listen } = await startService({}, { now: () => new Date(clock) })
  const { origin } = new URL(await listen())
  const [token, another] = [await setupToken(environment), await setupToken(environment)]
  const [browser, otherBrowser] = [openBrowser(origin), openBrowser(origin)]
  const first = await browser.get('login.php')
  assert.match(first.html, /<h1>No administrator yet<\/h1>.*Open the link that the server printed/s)
  assert.doesNotMatch(first.html, /Ask your administrator/)
  const answers = { name: ' Ada Sommer ', email: ' Root@Example.com ', language: 'de', time_zone: 'Europe/Istanbul' }
  const refused = await browser.open(token, { ...answers, password: 'too short', demo: '1' })
  assert.equal(refused.status, 422)
  assert.match(refused.html, /12 to 128 characters/)
  for (const kept of ['value=" Ada Sommer "', '<option value="de" selected', 'value="Europe/Istanbul"[^>]* selected'])
    assert.match(refused.html, new RegExp(kept), 'the answers are kept')
  assert.match(refused.html, /name="demo" value="1" checked/, 'the tick is kept')
  assert.doesNotMatch(refused.html, /data-suggests-zone/, 'a script does not replace an answer')
  const created = await browser.open(token, { ...answers, password, demo: '1' })
  assert.deepEqual([created.status, created.location], [303, './?tenant=demo'])
  const demo = await browser.get('records.php?tenant=demo&resource=hardware')
  assert.match(demo.html, /Laptop Ada.*Zentrale Berlin/s, 'the demo data is in the chosen language')
  assert.match(demo.html, /<html lang="de-DE".*Konto: Ada Sommer/s, 'the account has the name and the language')
  assert.match((await otherBrowser.get('login.php')).html, /Ask your administrator/)
  for (const used of [token, another, 'never', ...Array.from({ length: 20 }, () => token)])
    assert.equal((await otherBrowser.open(used)).status, 410, 'a used or unknown link is refused')
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 500 }))
  const refusals = events.filter(({ event }) => event === 'link_refused')
  assert.deepEqual([refusals.length, refusals[0]!.address], [5, '127.0.0.1'], 'at most five refusals are logged')
})

test('the set-up form asks for the name first, and suggests the language and a time zone without scripts', async () => {
  const service = await startService()
  const browser = openBrowser(new URL(await service.listen()).origin)
  for (const [language, timeZone] of [
    ['tr', 'Europe/Istanbul'],
    ['de', 'Europe/Berlin'],
    ['en', 'UTC'],
  ]) {
    await browser.get(`setup.php?language=${language}`)
    const { html } = await browser.open(await setupToken(service.environment))
    const { fields } = formsIn(html).find(({ action }) => action.startsWith('setup'))!
    const { language: shown, time_zone: zone } = Object.fromEntries(fields)
    assert.deepEqual([shown, zone], [language, timeZone])
    assert.match(html, /<input id="name"[^>]* autofocus>/)
  }
})

test('an invited person is asked for the name and language, and somebody with a new password is not', async () => {
  const actor = { now: new Date(clock), by: null, address: null, agent: null }
  const invited = { email: 'eve@example.com', name: 'E. Example', role: 'administrator' }
  const { user, token } = await withCatalogOf(environment, (catalog) => createUser(catalog, invited, actor))
  const browser = openBrowser(origin)
  assert.match((await browser.open(token)).html, /name="name"[^>]* value="E\. Example"[^>]* autofocus>/)
  const nameless = await browser.open(token, { name: 'x'.repeat(101), password, language: 'tr' })
  assert.deepEqual([nameless.status, /at most 100 characters/.test(nameless.html)], [422, true])
  assert.equal((await browser.open(token, { name: 'Eve Example', password, language: 'tr' })).location, './')
  assert.match((await browser.get('profile.php')).html, /<html lang="tr-TR".*<h1>.*Eve Example/s)
  const reset = await withCatalogOf(environment, (catalog) => createPasswordLink(catalog, user.id, actor))
  const { html } = await openBrowser(origin).open(reset)
  assert.doesNotMatch(html, /name="(name|language|time_zone|demo)"/)
  assert.match(html, /<input id="password"[^>]* autofocus>/)
  await openBrowser(origin).open(reset, { name: 'Somebody else', password, language: 'en' })
  const [after] = await withCatalogOf(environment, (catalog) => findUsers(catalog, [user.id]))
  assert.deepEqual([after!.name, after!.language], ['Eve Example', 'tr'], 'a reset changes only the password')
})

test('a set-up link expires after thirty minutes', async () => {
  const service = await startService()
  const address = new URL(await service.listen()).origin
  const expired = await setupToken(service.environment, new Date(Date.now() - 31 * minuteMs))
  assert.equal((await openBrowser(address).open(expired)).status, 410)
})

test('a one-time link’s token is not sent when the page is requested; if scripts are disabled, the page asks the user to paste the link', async () => {
  const token = await setupToken(environment)
  const link = linkAddress(origin, token)
  assert.equal(new URL(link).search, '')
  for (const path of ['setup.php', `setup.php?token=${token}`]) {
    const { status, html } = await openBrowser(origin).get(path)
    assert.deepEqual([status, /name="token"[^>]*value=""/.test(html)], [200, true], path)
  }
  assert.equal((await openBrowser(origin).open('')).status, 200, 'the page asks again if nothing was pasted')
  const id = await createPanelUser(environment, 'pasted@example.com')
  const actor = { now: new Date(clock), by: null, address: null, agent: null }
  const fresh = await withCatalogOf(environment, (catalog) => createPasswordLink(catalog, id, actor))
  for (const pasted of [fresh, ` ${linkAddress(origin, fresh)} `])
    assert.match((await openBrowser(origin).open(pasted)).html, /pasted@example\.com/)
})

test('signing in redirects to the requested page, and never to another origin', async () => {
  const person = openBrowser(origin)
  const redirect = await person.get('records.php?tenant=demo&resource=employees&q=ada')
  assert.equal(redirect.status, 303)
  const response = await person.submit(redirect.location!, { email: 'root@example.com', password })
  assert.equal(response.location, 'records.php?tenant=demo&resource=employees&q=ada')
  for (const elsewhere of [
    'https://elsewhere.example/',
    '//elsewhere.example',
    'javascript:alert(1)',
    '/\\elsewhere',
    './?\u2028',
    './?\r\nx: y',
    './?é',
    'users.php?a b',
  ])
    assert.equal(
      (
        await openBrowser(origin).submit(`login.php?next=${encodeURIComponent(elsewhere)}`, {
          email: 'root@example.com',
          password,
        })
      ).location,
      './',
      elsewhere,
    )
})

test('a wrong password and an unknown account cause the same response', async () => {
  const responses = []
  for (const email of ['root@example.com', 'nobody@example.com']) {
    const { status, html } = await openBrowser(origin).submit('login.php', { email, password: 'not this one at all' })
    responses.push([status, html.replaceAll(email, '').replaceAll(/name="form_token" value="[^"]+"/g, '')])
  }
  assert.deepEqual(responses[0], responses[1])
  assert.equal(responses[0]![0], 403)
})

test('failed sign-ins throttle an account, even for the right password, but never lock it', async () => {
  await createPanelUser(environment, 'slow@example.com')
  for (let attempts = 0; attempts < 5; attempts++) {
    const { status } = await openBrowser(origin).submit('login.php', {
      email: 'slow@example.com',
      password: 'wrong and wrong again',
    })
    assert.equal(status, 403)
  }
  const throttled = await openBrowser(origin).submit('login.php', { email: 'slow@example.com', password })
  assert.equal(throttled.status, 429)
  clock += 2 * minuteMs
  assert.equal((await openBrowser(origin).submit('login.php', { email: 'slow@example.com', password })).status, 303)
})

test('a session ends after thirty idle minutes, after twelve hours, and when its user signs out', async () => {
  const idle = await signIn(origin, 'root@example.com')
  clock += 29 * minuteMs
  assert.equal((await idle.get('profile.php')).status, 200)
  clock += 29 * minuteMs
  assert.equal((await idle.get('profile.php')).status, 200, 'the previous request extends the session')
  clock += 31 * minuteMs
  assert.equal((await idle.get('profile.php')).status, 303)

  const long = await signIn(origin, 'root@example.com')
  for (let hours = 0; hours < 12 * 3; hours++) {
    clock += 20 * minuteMs
    await long.get('profile.php')
  }
  assert.equal((await long.get('profile.php')).status, 303)

  const leaving = await signIn(origin, 'root@example.com')
  const oldCookies = new Map(leaving.cookies)
  assert.equal((await leaving.submit('profile.php', {}, /^logout/)).location, 'login.php')
  leaving.cookies.clear()
  for (const [name, value] of oldCookies) leaving.cookies.set(name, value)
  assert.equal((await leaving.get('profile.php')).status, 303, 'the cookie is no longer valid')
})

test('signing in starts a new session, and a modified cookie is refused', async () => {
  const person = await signIn(origin, 'root@example.com')
  const first = person.cookies.get('tenantdesk')!
  await person.submit('profile.php', {}, /^logout/)
  person.cookies.set('tenantdesk', 'A'.repeat(43))
  assert.equal((await person.submit('login.php', { email: 'root@example.com', password })).status, 303)
  const second = person.cookies.get('tenantdesk')!
  assert.notEqual(second, first)
  const [signOutForm] = formsIn((await person.get('profile.php')).html)
  const signInForm = new URLSearchParams([
    ...signOutForm!.fields,
    ['email', 'root@example.com'],
    ['password', password],
  ])
  assert.equal((await person.post('login.php', signInForm)).status, 303)
  assert.notEqual(person.cookies.get('tenantdesk'), second)
  person.cookies.set('tenantdesk', second)
  assert.equal((await person.get('profile.php')).status, 303, 'the previous session has ended')
  person.cookies.set('tenantdesk', first.slice(0, -1) + (first.endsWith('x') ? 'y' : 'x'))
  assert.equal((await person.get('profile.php')).status, 303)
})

test('a form that is forged, from another session, or from another site has no effect', async () => {
  const [person, other] = [await signIn(origin, 'root@example.com'), await signIn(origin, 'root@example.com')]
  const page = 'records.php?tenant=demo&resource=customers&new=1'
  const form = (html: string) =>
    new URLSearchParams(formsIn(html).find(({ action }) => action.startsWith('records'))!.fields)
  const ownForm = form((await person.get(page)).html)
  ownForm.set('name', 'Forged')
  const otherForm = form((await other.get(page)).html)
  otherForm.set('name', 'Forged')
  const withoutToken = new URLSearchParams(ownForm)
  withoutToken.delete('form_token')
  const attempts: [URLSearchParams | string, Record<string, string>][] = [
    [withoutToken, {}],
    [otherForm, {}],
    [ownForm, { 'sec-fetch-site': 'cross-site' }],
    [ownForm, { 'sec-fetch-site': 'same-site' }],
    ['', {}],
  ]
  for (const [form, headers] of attempts) {
    const response = await person.post(page, form, headers)
    assert.equal(response.status, 403)
    assert.match(response.html, /form has expired/)
  }
  const large = new URLSearchParams(ownForm)
  large.set('notes', 'x'.repeat(200_000))
  assert.equal((await person.post(page, large)).status, 413)
  const asJson = await person.post(page, '{"name":"Forged"}', { 'content-type': 'application/json' })
  assert.ok([400, 415].includes(asJson.status))
  assert.doesNotMatch((await person.get('records.php?tenant=demo&resource=customers')).html, /Forged/)
  assert.equal((await person.post(page, ownForm)).status, 303, 'the unmodified form is accepted')
})

test('a form submitted after its session has ended changes nothing, and leads to sign-in and back to its page', async () => {
  const page = 'records.php?tenant=demo&resource=customers&new=1'
  const person = await signIn(origin, 'root@example.com')
  const sent = new URLSearchParams(
    formsIn((await person.get(page)).html).find(({ action }) => action.startsWith('records'))!.fields,
  )
  sent.set('name', 'Too late')
  person.cookies.delete('tenantdesk')
  const refused = await person.post(page, sent, { 'sec-fetch-site': 'cross-site' })
  assert.equal(refused.status, 403, 'a form of another site is refused')
  sent.delete('form_token')
  assert.equal((await person.post(page, sent)).status, 403, 'a form that is not from the panel is refused')
  sent.set('form_token', 'x')
  const { status, location } = await person.post(page, sent)
  assert.deepEqual([status, location], [303, `login.php?next=${encodeURIComponent(page)}`])
  assert.match((await person.get(location!)).html, /Your session has ended/)
  const back = await person.submit(location!, { email: 'root@example.com', password })
  assert.equal(back.location, page)
  assert.doesNotMatch((await person.get(page)).html, /Too late/)
  assert.doesNotMatch((await person.get('records.php?tenant=demo&resource=customers')).html, /Too late/)
})

test('the CSP of pages allows only same-origin resources, and cookies are HttpOnly', async () => {
  const response = await openBrowser(origin).get('login.php')
  const policy = response.headers.get('content-security-policy')!
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self';.*form-action 'self'; frame-ancestors 'none'$/,
  )
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.match(response.headers.getSetCookie().join(), /HttpOnly; SameSite=Lax/)
  assert.doesNotMatch(response.html, /<script>|<style|\sstyle=|\son\w+=/)
})

test('if PUBLIC_URL is an https URL, cookies are Secure and their names have the prefix __Host-', async () => {
  const service = await startService({ PUBLIC_URL: 'https://assets.example.com' })
  const address = new URL(await service.listen()).origin
  const person = openBrowser(address)
  await createPanelUser(service.environment, 'root@example.com')
  const preferences = { language: 'de', theme: 'dark', do_preferences: '1' }
  const responses = [
    await person.get('login.php?language=de'),
    await person.submit('login.php', { email: 'root@example.com', password }),
    await person.submit('profile.php', preferences, /^profile/),
    await person.submit('profile.php', {}, /^logout/),
  ]
  const names = new Set<string>()
  for (const cookie of responses.flatMap(({ headers }) => headers.getSetCookie())) {
    assert.match(
      cookie,
      /^__Host-tenantdesk[a-z-]*=[^;]*; (Max-Age=\d+; )?Path=\/; (Expires=[^;]+; )?HttpOnly; Secure; SameSite=Lax$/,
    )
    names.add(cookie.split('=')[0]!.replace('__Host-tenantdesk', ''))
  }
  for (const name of ['', '-form', '-device', '-language']) assert.ok(names.has(name), `${name}: ${[...names]}`)
})

test('setting a new password with a link ends the account’s other sessions', async () => {
  const id = await createPanelUser(environment, 'mover@example.com')
  const person = await signIn(origin, 'mover@example.com')
  const link = { now: new Date(clock), by: null, address: null, agent: null }
  const token = await withCatalogOf(environment, (catalog) => createPasswordLink(catalog, id, link))
  const elsewhere = openBrowser(origin)
  const response = await elsewhere.open(token, { password: 'another quiet harbour' })
  assert.equal(response.status, 303)
  assert.equal((await person.get('profile.php')).status, 303, 'the old session has ended')
  assert.equal((await elsewhere.get('profile.php')).status, 200)
})

test('authentication events are recorded in the audit log, without passwords', async () => {
  const id = await createPanelUser(environment, 'events@example.com')
  const link = { now: new Date(clock), by: null, address: null, agent: null }
  await withCatalogOf(environment, (catalog) => createPasswordLink(catalog, id, link))
  await openBrowser(origin).submit('login.php', { email: 'events@example.com', password: 'not this one at all' })
  await (await signIn(origin, 'events@example.com')).submit('profile.php', {}, /^logout/)
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 500 }))
  const seen = new Set(events.map(({ event }) => event))
  for (const event of ['user_created', 'signed_in', 'sign_in_failed', 'signed_out', 'password_set', 'link_made'])
    assert.ok(seen.has(event), event)
  assert.doesNotMatch(JSON.stringify(events), new RegExp(password))
})

test('a method that a page does not support is refused with 405 and the list of supported methods', async () => {
  const root = await signIn(origin, 'root@example.com')
  const [form] = formsIn((await root.get('')).html)
  const refused = await root.post('search.php', new URLSearchParams(form!.fields))
  assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'])
})

test('in the panel, requests for unknown URLs or records are refused with 404, and invalid parameters with 400', async () => {
  await makeTenant(environment, 'plain')
  const person = await signIn(origin, 'root@example.com')
  for (const path of ['records.php/x', 'panel/../server.ts', 'panel/panel.ts', 'nothing.php'])
    assert.equal((await person.get(path)).status, 404, path)
  for (const query of [
    '?tenant=nobody',
    '?tenant=plain&resource=users',
    '?tenant=plain&id=0',
    '?tenant=plain&id=x',
    '?tenant=plain&id=99',
  ])
    assert.equal((await person.get(`records.php${query}`)).status, 404, query)
  for (const path of ['events.php?user=%00', 'events.php?before=9999999999', 'activity.php?tenant=plain&by=key:%00'])
    assert.equal((await person.get(path)).status, 400, path)
  assert.equal((await person.get('records.php?tenant=plain&sort=nothing')).status, 400)
  assert.equal((await person.get('records.php?tenant=plain&cursor=forged')).status, 400)
})

test('confirming the password replaces the session cookie, and pages that are already open stay usable', async () => {
  await createPanelUser(environment, 'again@example.com')
  const person = await signIn(origin, 'again@example.com')
  const first = person.cookies.get('tenantdesk')!
  const profile = await person.get('profile.php')
  clock += 11 * minuteMs
  const created = await person.submit('api_keys.php?tenant=demo', { name: 'key', scope: '*:read', password })
  assert.equal(created.status, 200, created.html)
  const second = person.cookies.get('tenantdesk')!
  assert.notEqual(second, first)
  const thief = openBrowser(origin)
  thief.cookies.set('tenantdesk', first)
  assert.equal((await thief.get('profile.php')).status, 303)
  const tab = formsIn(profile.html).find(({ fields }) => fields.some(([name]) => name === 'theme'))!
  const preferences = new URLSearchParams([...tab.fields, ['do_preferences', '1']])
  assert.equal((await person.post('profile.php', preferences)).location, 'profile.php')
  const fields = { password, new_password: 'eleven copper kettles sing', do_password: '1' }
  assert.equal((await person.submit('profile.php', fields, /^profile/)).status, 303)
  assert.notEqual(person.cookies.get('tenantdesk'), second)
  assert.equal((await person.get('profile.php')).status, 200)
})

test('a browser that only knows the id of a session cannot obtain its form token', async () => {
  const [session, otherSession] = [await signIn(origin, 'root@example.com'), await signIn(origin, 'root@example.com')]
  const tokenOf = (html: string) => new Map(formsIn(html)[0]!.fields).get('form_token')
  const otherToken = tokenOf((await otherSession.get('profile.php')).html)
  const ids = [...(await session.get('profile.php')).html.matchAll(/name="do_end" value="(\w+)"/g)].map(([, id]) => id!)
  assert.ok(ids.length > 0)
  for (const seed of ids.flatMap((id) => [id, `session ${id}`, `session%20${id}`])) {
    const attacker = openBrowser(origin)
    attacker.cookies.set('tenantdesk-form', seed)
    assert.notEqual(tokenOf((await attacker.get('login.php')).html), otherToken)
  }
})
