// REQUIRE_TWO_FACTOR: users for whom two-factor authentication is required must set it up first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, fromBase32, stepOf } from '../../../src/accounts/sign-in/two-factor.ts'
import {
  createPanelUser,
  formsIn,
  openBrowser,
  type Person,
  password,
  setupToken,
  signIn,
} from '../../support/panel/panel-client.ts'
import { command, makeTenant, startService } from '../../support/service.ts'

const clock = Date.now()
const now = () => new Date(clock)
const { environment, listen } = await startService({ REQUIRE_TWO_FACTOR: 'administrators' }, { now })
const { origin } = new URL(await listen())
await makeTenant(environment, 'acme')
const setUpPage = 'profile.php?second_factor=1'

/** Sets up the second factor. */
async function addSecondFactor(person: Person): Promise<void> {
  const page = (await person.get(setUpPage)).html
  const secret = new Map(formsIn(page).at(-1)!.fields).get('secret')!
  const code = codeOf(fromBase32(secret), stepOf(now()))
  const on = await person.submit(setUpPage, { secret, code, do_turn_on: '1', password }, /^profile/)
  assert.equal(on.status, 200, on.html)
}

test('an administrator without the required second factor can only set it up', async () => {
  const [id, other] = [
    await createPanelUser(environment, 'root@example.com'),
    await createPanelUser(environment, 'b@example.com'),
  ]
  const person = await signIn(origin, 'root@example.com')
  for (const path of ['', 'profile.php', 'users.php', `users.php?id=${id}`, 'records.php?tenant=acme', 'logout.php']) {
    const { status, location } = await person.get(path)
    assert.deepEqual([status, location], [303, setUpPage], path)
  }
  const { html, status } = await person.get(setUpPage)
  assert.deepEqual([status, /requires two-factor authentication/.test(html)], [200, true])
  assert.doesNotMatch(
    html,
    /href="(users|tenants|events|profile)\.php/,
    'the page has no links to pages that redirect back to it',
  )
  const token = new Map(formsIn(html).at(-1)!.fields).get('form_token')!
  const forms: [path: string, fields: Record<string, string>][] = [
    [`users.php?id=${other}`, { delete: '1' }],
    ['tenants.php?new=1', { slug: 'beta' }],
    ['profile.php', { do_password: '1', password, new_password: 'another quiet harbour' }],
    ['api_keys.php?tenant=acme', { scope: '*:read' }],
  ]
  for (const [path, fields] of forms) {
    const response = await person.post(path, new URLSearchParams({ form_token: token, password, ...fields }))
    assert.deepEqual([response.status, response.location], [303, setUpPage], path)
  }
  const mixed = { form_token: token, password, do_turn_on: '', do_name: '', name: 'HACKED' }
  const both = await person.post('profile.php', new URLSearchParams(mixed))
  assert.equal(both.status, 400, 'a form that also asks to turn the factor on runs nothing else')
  const users = await command(environment, 'user', 'list')
  assert.doesNotMatch(users.stdout, /HACKED/)
  assert.match(users.stdout, /b@example\.com/, 'the refused form has not deleted the user')
  await addSecondFactor(person)
  assert.equal((await person.get('users.php')).status, 200)
  assert.match((await person.get('profile.php')).html, /requires two-factor authentication/)
})

test('a required second factor can only be turned off on the command line', async () => {
  await createPanelUser(environment, 'keeps@example.com')
  const person = await signIn(origin, 'keeps@example.com')
  await addSecondFactor(person)
  const { html } = await person.get('profile.php')
  assert.doesNotMatch(html, /do_turn_off/)
  const token = new Map(formsIn(html)[0]!.fields).get('form_token')!
  const off = await person.post('profile.php', new URLSearchParams({ form_token: token, do_turn_off: '1', password }))
  assert.deepEqual([off.status, /requires two-factor authentication/.test(off.html)], [422, true])
  assert.equal((await command(environment, 'user', 'reset', 'keeps@example.com', '--second-factor')).exitCode, 0)
  const next = await signIn(origin, 'keeps@example.com')
  assert.equal((await next.get('users.php')).location, setUpPage)
})

test('the setting “administrators” exempts managers, and “all” does not; signing out is always possible', async () => {
  await createPanelUser(environment, 'manager@example.com', 'acme')
  const exempt = await signIn(origin, 'manager@example.com')
  assert.equal((await exempt.get('records.php')).status, 200)
  const all = await startService({ REQUIRE_TWO_FACTOR: 'all' }, { now })
  await makeTenant(all.environment, 'acme')
  await createPanelUser(all.environment, 'manager@example.com', 'acme')
  const required = await signIn(new URL(await all.listen()).origin, 'manager@example.com')
  assert.equal((await required.get('records.php')).location, setUpPage)
  assert.equal((await required.submit(setUpPage, {}, /^logout/)).location, 'login.php')
})

test('the first administrator must set up a required second factor', async () => {
  const service = await startService({ REQUIRE_TWO_FACTOR: 'all' })
  const address = new URL(await service.listen()).origin
  const person = openBrowser(address)
  await person.open(await setupToken(service.environment), { email: 'first@example.com', password })
  assert.equal((await person.get('')).location, setUpPage)
})

test('a new password does not replace the second factor: after its link, sign-in asks for the password and a code', async () => {
  await createPanelUser(environment, 'forgot@example.com')
  await addSecondFactor(await signIn(origin, 'forgot@example.com'))
  const link = (await command(environment, 'user', 'reset', 'forgot@example.com')).stdout.trim()
  const person = openBrowser(origin)
  const chosen = 'another quiet harbour'
  assert.equal((await person.open(link, { password: chosen })).location, 'login.php')
  assert.match((await person.get('users.php')).location!, /^login\.php/, 'the link does not sign in')
  const asked = await person.submit('login.php', { email: 'forgot@example.com', password: chosen })
  assert.deepEqual([asked.status, /name="code"/.test(asked.html)], [200, true])
  const refused = await person.submit('login.php', { email: 'forgot@example.com', password: chosen, code: '000000' })
  assert.equal(refused.status, 403)
})
