// Browsers in which a user has signed in before: failed sign-ins elsewhere, for the same account or from the same
// address, do not lock them out.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, openBrowser, type Person, password, signIn } from '../support/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

let clock = Date.now()
const { environment, listen } = await startService({}, { now: () => new Date(clock) })
const { origin } = new URL(await listen())
await makeTenant(environment, 'acme')
const minute = 60_000
const day = 24 * 60 * minute

async function attempt(person: Person, email: string, given = password): Promise<number> {
  return (await person.submit('login.php', { email, password: given })).status
}

/** Makes sign-ins fail in other browsers until the account and this address are throttled. */
async function failAsStrangers(email: string): Promise<void> {
  for (let tries = 0; tries < 12; tries++) await attempt(openBrowser(origin), email, 'wrong and wrong again')
  for (let tries = 0; tries < 20; tries++)
    await attempt(openBrowser(origin), `nobody${tries}@example.com`, 'wrong as well')
}

/** A browser with the account's device cookie, and no session. */
async function knownBrowser(email: string): Promise<Person> {
  const person = await signIn(origin, email)
  await person.submit('profile.php', {}, /^logout/)
  return person
}

/** Advances the clock until no wait is left and no failure counts any more. */
const laterOn = () => {
  clock += 31 * minute
}

test('failures of unknown browsers do not throttle a browser that has signed in to the account before', async () => {
  await createPanelUser(environment, 'victim@example.com')
  const own = await knownBrowser('victim@example.com')
  await failAsStrangers('victim@example.com')
  assert.equal(await attempt(openBrowser(origin), 'victim@example.com'), 429)
  assert.equal(await attempt(own, 'victim@example.com'), 303)
  assert.equal(await attempt(openBrowser(origin), 'victim@example.com'), 429, 'and strangers still wait')
  laterOn()
})

test('a signed-in user can confirm the password while unknown browsers guess it', async () => {
  await createPanelUser(environment, 'working@example.com')
  const person = await signIn(origin, 'working@example.com')
  clock += 11 * minute
  await failAsStrangers('working@example.com')
  const created = await person.submit('api_keys.php?tenant=acme', { name: 'key', scope: '*:read', password })
  assert.equal(created.status, 200, created.html)
  const fields = { password, new_password: 'eleven copper kettles sing' }
  assert.equal((await person.submit('profile.php', { ...fields, do_password: '1' }, /^profile/)).status, 303)
  await person.submit('profile.php', {}, /^logout/)
  assert.equal(await attempt(person, 'working@example.com', fields.new_password), 303, 'the browser stays known')
  laterOn()
})

test('failures of a known browser throttle only that browser', async () => {
  await createPanelUser(environment, 'clumsy@example.com')
  const [own, second] = [await knownBrowser('clumsy@example.com'), await knownBrowser('clumsy@example.com')]
  for (let tries = 0; tries < 5; tries++) assert.equal(await attempt(own, 'clumsy@example.com', 'wrong again'), 403)
  assert.equal(await attempt(own, 'clumsy@example.com'), 429)
  assert.equal(await attempt(second, 'clumsy@example.com'), 303)
  assert.equal(await attempt(openBrowser(origin), 'clumsy@example.com'), 303)
  clock += 2 * minute
  assert.equal(await attempt(own, 'clumsy@example.com'), 303)
})

test('a known browser with ten failures is treated as unknown until they expire, as its cookie may be stolen', async () => {
  await createPanelUser(environment, 'stolen@example.com')
  const thief = await knownBrowser('stolen@example.com')
  for (let tries = 0; tries < 10; tries++) {
    assert.equal(await attempt(thief, 'stolen@example.com', 'wrong again'), 403)
    clock += 2 * minute
  }
  for (let tries = 0; tries < 5; tries++) await attempt(openBrowser(origin), 'stolen@example.com', 'wrong again')
  assert.equal(await attempt(thief, 'stolen@example.com'), 429)
  laterOn()
  for (let tries = 0; tries < 5; tries++) await attempt(openBrowser(origin), 'stolen@example.com', 'wrong again')
  assert.equal(await attempt(thief, 'stolen@example.com'), 303)
  laterOn()
})

test('a device cookie is invalid for another account, if modified, after a new password, and after half a year', async () => {
  await createPanelUser(environment, 'bound@example.com')
  await createPanelUser(environment, 'other@example.com')
  const own = await knownBrowser('bound@example.com')
  const cookie = own.cookies.get('tenantdesk-device')!
  const isKnown = async (email: string, value: string) => {
    const person = openBrowser(origin)
    person.cookies.set('tenantdesk-device', value)
    for (let tries = 0; tries < 5; tries++) await attempt(openBrowser(origin), email, 'wrong again')
    const status = await attempt(person, email)
    laterOn()
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
  for (let tries = 0; tries < 5; tries++) await attempt(openBrowser(origin), 'bound@example.com', 'wrong again')
  assert.equal(await attempt(person, 'bound@example.com', fields.new_password), 429, 'the password is another one')
  laterOn()
  const old = (await knownBrowser('other@example.com')).cookies.get('tenantdesk-device')!
  clock += 179 * day
  assert.equal(await isKnown('other@example.com', old), true)
  clock += day
  assert.equal(await isKnown('other@example.com', old), false)
})

test('a browser that several people share is known for each of them', async () => {
  await createPanelUser(environment, 'morning@example.com')
  await createPanelUser(environment, 'evening@example.com')
  const shared = await knownBrowser('morning@example.com')
  assert.equal(await attempt(shared, 'evening@example.com'), 303)
  await shared.submit('profile.php', {}, /^logout/)
  await failAsStrangers('morning@example.com')
  await failAsStrangers('evening@example.com')
  assert.equal(await attempt(shared, 'morning@example.com'), 303)
  await shared.submit('profile.php', {}, /^logout/)
  assert.equal(await attempt(shared, 'evening@example.com'), 303)
  laterOn()
})

test('the device cookie is HttpOnly, limited to its host, and persistent', async () => {
  const { environment, listen } = await startService({ PUBLIC_URL: 'https://assets.example.com' })
  const address = new URL(await listen()).origin
  await createPanelUser(environment, 'tls@example.com')
  const response = await openBrowser(address).submit('login.php', { email: 'tls@example.com', password })
  const cookie = response.headers.getSetCookie().find((each) => each.includes('-device='))
  assert.match(cookie!, /^__Host-tenantdesk-device=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
})
