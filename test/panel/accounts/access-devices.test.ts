// Failed sign-ins in other browsers, for the same account or from the same address, do not throttle a browser in which
// the user has signed in before.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, openBrowser, type Person, password, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, startService } from '../../support/service.ts'

let clock = Date.now()
const { environment, listen } = await startService({}, { now: () => new Date(clock) })
const { origin } = new URL(await listen())
await makeTenant(environment, 'acme')
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

async function attemptSignIn(person: Person, email: string, typedPassword = password): Promise<number> {
  return (await person.submit('login.php', { email, password: typedPassword })).status
}

/** Makes failed sign-in attempts in other browsers until the account and the address are throttled. */
async function throttleUnknownBrowsers(email: string): Promise<void> {
  for (let tries = 0; tries < 12; tries++) await attemptSignIn(openBrowser(origin), email, 'wrong and wrong again')
  for (let tries = 0; tries < 20; tries++)
    await attemptSignIn(openBrowser(origin), `nobody${tries}@example.com`, 'wrong as well')
}

/** Opens a browser that has the account's device cookie but no session. */
async function openKnownBrowser(email: string): Promise<Person> {
  const person = await signIn(origin, email)
  await person.submit('profile.php', {}, /^logout/)
  return person
}

/** Advances the clock until no browser is throttled and all failures have expired. */
const forgetFailures = () => {
  clock += 31 * minuteMs
}

test('failed sign-ins from unknown browsers do not throttle a browser that has signed in to the account before', async () => {
  await createPanelUser(environment, 'victim@example.com')
  const known = await openKnownBrowser('victim@example.com')
  await throttleUnknownBrowsers('victim@example.com')
  assert.equal(await attemptSignIn(openBrowser(origin), 'victim@example.com'), 429)
  assert.equal(await attemptSignIn(known, 'victim@example.com'), 303)
  assert.equal(
    await attemptSignIn(openBrowser(origin), 'victim@example.com'),
    429,
    'unknown browsers are still throttled',
  )
  forgetFailures()
})

test('a signed-in user can confirm the password while unknown browsers guess it', async () => {
  await createPanelUser(environment, 'working@example.com')
  const person = await signIn(origin, 'working@example.com')
  clock += 11 * minuteMs
  await throttleUnknownBrowsers('working@example.com')
  const created = await person.submit('api_keys.php?tenant=acme', { name: 'key', scope: '*:read', password })
  assert.equal(created.status, 200, created.html)
  const fields = { password, new_password: 'eleven copper kettles sing' }
  assert.equal((await person.submit('profile.php', { ...fields, do_password: '1' }, /^profile/)).status, 303)
  await person.submit('profile.php', {}, /^logout/)
  assert.equal(await attemptSignIn(person, 'working@example.com', fields.new_password), 303, 'the browser stays known')
  forgetFailures()
})

test('failed sign-ins from a known browser throttle only that browser', async () => {
  await createPanelUser(environment, 'clumsy@example.com')
  const [first, second] = [await openKnownBrowser('clumsy@example.com'), await openKnownBrowser('clumsy@example.com')]
  for (let tries = 0; tries < 5; tries++)
    assert.equal(await attemptSignIn(first, 'clumsy@example.com', 'wrong again'), 403)
  assert.equal(await attemptSignIn(first, 'clumsy@example.com'), 429)
  assert.equal(await attemptSignIn(second, 'clumsy@example.com'), 303)
  assert.equal(await attemptSignIn(openBrowser(origin), 'clumsy@example.com'), 303)
  clock += 2 * minuteMs
  assert.equal(await attemptSignIn(first, 'clumsy@example.com'), 303)
})

test('a known browser with ten failures is treated as unknown until the failures expire, because its cookie may be stolen', async () => {
  await createPanelUser(environment, 'stolen@example.com')
  const thief = await openKnownBrowser('stolen@example.com')
  for (let tries = 0; tries < 10; tries++) {
    assert.equal(await attemptSignIn(thief, 'stolen@example.com', 'wrong again'), 403)
    clock += 2 * minuteMs
  }
  for (let tries = 0; tries < 5; tries++) await attemptSignIn(openBrowser(origin), 'stolen@example.com', 'wrong again')
  assert.equal(await attemptSignIn(thief, 'stolen@example.com'), 429)
  forgetFailures()
  for (let tries = 0; tries < 5; tries++) await attemptSignIn(openBrowser(origin), 'stolen@example.com', 'wrong again')
  assert.equal(await attemptSignIn(thief, 'stolen@example.com'), 303)
  forgetFailures()
})

test('a device cookie is invalid for another account, if it was modified, after a password change, and after 180 days', async () => {
  await createPanelUser(environment, 'bound@example.com')
  await createPanelUser(environment, 'other@example.com')
  const known = await openKnownBrowser('bound@example.com')
  const cookie = known.cookies.get('tenantdesk-device')!
  const isKnown = async (email: string, value: string) => {
    const person = openBrowser(origin)
    person.cookies.set('tenantdesk-device', value)
    for (let tries = 0; tries < 5; tries++) await attemptSignIn(openBrowser(origin), email, 'wrong again')
    const status = await attemptSignIn(person, email)
    forgetFailures()
    return status === 303
  }
  assert.equal(await isKnown('bound@example.com', cookie), true)
  assert.equal(await isKnown('other@example.com', cookie), false)
  const [nonce, until, signature] = cookie.split('.') as [string, string, string]
  for (const forged of [
    `${nonce}.${(Number.parseInt(until, 36) + 1).toString(36)}.${signature}`,
    `${'A'.repeat(22)}.${until}.${signature}`,
    `${nonce}.${until}.${'A'.repeat(43)}`,
    '~~',
    `${'x'.repeat(3000)}`,
  ])
    assert.equal(await isKnown('bound@example.com', forged), false, forged)
  const elsewhere = await signIn(origin, 'bound@example.com')
  const fields = { password, new_password: 'eleven copper kettles sing', do_password: '1' }
  await elsewhere.submit('profile.php', fields, /^profile/)
  const person = openBrowser(origin)
  person.cookies.set('tenantdesk-device', cookie)
  for (let tries = 0; tries < 5; tries++) await attemptSignIn(openBrowser(origin), 'bound@example.com', 'wrong again')
  assert.equal(
    await attemptSignIn(person, 'bound@example.com', fields.new_password),
    429,
    'a password change invalidates the device cookie',
  )
  forgetFailures()
  const old = (await openKnownBrowser('other@example.com')).cookies.get('tenantdesk-device')!
  clock += 179 * dayMs
  assert.equal(await isKnown('other@example.com', old), true)
  clock += dayMs
  assert.equal(await isKnown('other@example.com', old), false)
})

test('a browser in which several people have signed in is known for each of their accounts', async () => {
  await createPanelUser(environment, 'morning@example.com')
  await createPanelUser(environment, 'evening@example.com')
  const shared = await openKnownBrowser('morning@example.com')
  assert.equal(await attemptSignIn(shared, 'evening@example.com'), 303)
  await shared.submit('profile.php', {}, /^logout/)
  await throttleUnknownBrowsers('morning@example.com')
  await throttleUnknownBrowsers('evening@example.com')
  assert.equal(await attemptSignIn(shared, 'morning@example.com'), 303)
  await shared.submit('profile.php', {}, /^logout/)
  assert.equal(await attemptSignIn(shared, 'evening@example.com'), 303)
  forgetFailures()
})

test('the device cookie is HttpOnly, limited to its host, and persistent', async () => {
  const { environment, listen } = await startService({ PUBLIC_URL: 'https://assets.example.com' })
  const address = new URL(await listen()).origin
  await createPanelUser(environment, 'tls@example.com')
  const response = await openBrowser(address).submit('login.php', { email: 'tls@example.com', password })
  const cookie = response.headers.getSetCookie().find((header) => header.includes('-device='))
  assert.match(cookie!, /^__Host-tenantdesk-device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})
