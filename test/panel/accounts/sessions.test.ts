// Ending users' sessions, which requires confirming the password.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents } from '../../../src/catalog/audit/audit-log.ts'
import { createPanelUser, decodeHtml, password, signIn, withCatalogOf } from '../../support/panel/panel-client.ts'
import { command, makeTenant, startService } from '../../support/service.ts'

let clock = Date.now()
const { environment, listen } = await startService({}, { now: () => new Date(clock) })
const { origin } = new URL(await listen())
await makeTenant(environment, 'acme')
await createPanelUser(environment, 'root@example.com')
const root = await signIn(origin, 'root@example.com')

/** Returns the events of one kind about a user, newest first. */
async function eventsAbout(userId: string, kind: string) {
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 500, userId }))
  return events.filter(({ event, user_id }) => event === kind && user_id === userId)
}

/** Advances the clock until the password must be confirmed again. */
const expireConfirmation = () => {
  clock += 11 * 60_000
}

test('an administrator can end all of a user’s sessions by confirming the password, and the security log records this', async () => {
  const id = await createPanelUser(environment, 'two@example.com', 'acme')
  const browsers = [await signIn(origin, 'two@example.com'), await signIn(origin, 'two@example.com')]
  expireConfirmation()
  const page = `users.php?id=${id}`
  const wrong = await root.submit(page, { end_sessions: '1', password: 'not mine at all' })
  assert.deepEqual([wrong.status, /Incorrect password/.test(wrong.html)], [422, true])
  for (const browser of browsers) assert.equal((await browser.get('profile.php')).status, 200)
  const ended = await root.submit(page, { end_sessions: '1', password })
  assert.deepEqual([ended.status, ended.location], [303, `${page}`])
  for (const browser of browsers) assert.equal((await browser.get('profile.php')).status, 303)
  const [event] = await eventsAbout(id, 'session_ended')
  assert.deepEqual([event!.by_email, event!.detail], ['root@example.com', { sessions: 2 }])
  assert.match(
    decodeHtml((await root.get('events.php')).html),
    /Session ended<.*?root@example\.com<.*?two@example\.com, acme, ×2</,
  )
  assert.equal((await signIn(origin, 'two@example.com')).cookies.has('tenantdesk'), true, 'the user can sign in again')
})

test('a password reset by an administrator ends all sessions before its link is used', async () => {
  const id = await createPanelUser(environment, 'reset@example.com', 'acme')
  const thief = await signIn(origin, 'reset@example.com')
  const created = await root.submit(`users.php?id=${id}`, { reset: '1', password })
  assert.deepEqual([created.status, /id="link"/.test(created.html)], [200, true])
  assert.equal((await thief.get('profile.php')).status, 303)
  const [event] = await eventsAbout(id, 'session_ended')
  assert.equal(event!.by_email, 'root@example.com')
})

test('a reset of the password or second factor on the command line ends all sessions', async () => {
  const id = await createPanelUser(environment, 'line@example.com', 'acme')
  for (const option of [[], ['--second-factor']]) {
    const thief = await signIn(origin, 'line@example.com')
    const { exitCode, stderr } = await command(environment, 'user', 'reset', 'line@example.com', ...option)
    assert.deepEqual([exitCode, /Their sessions have ended\./.test(stderr)], [0, true], stderr)
    assert.equal((await thief.get('profile.php')).status, 303, option.join())
  }
  assert.equal((await eventsAbout(id, 'session_ended')).length, 2)
})

test('users can end their other sessions only by confirming the password', async () => {
  await createPanelUser(environment, 'own@example.com', 'acme')
  const otherBrowser = await signIn(origin, 'own@example.com')
  expireConfirmation()
  const thisBrowser = await signIn(origin, 'own@example.com')
  expireConfirmation()
  const [id] = decodeHtml((await thisBrowser.get('profile.php')).html).match(/(?<=name="do_end" value=")\w+/) ?? []
  const attempts: Record<string, string>[] = [
    { do_end: id! },
    { do_end_others: '1' },
    { do_end_others: '1', password: 'not mine at all' },
  ]
  for (const fields of attempts) {
    const refused = await thisBrowser.submit('profile.php', fields, /^profile/)
    assert.deepEqual([refused.status, (await otherBrowser.get('profile.php')).status], [422, 200])
  }
  const confirmed = await thisBrowser.submit('profile.php', { do_end: id!, password }, /^profile/)
  assert.deepEqual([confirmed.status, (await otherBrowser.get('profile.php')).status], [303, 303])
  assert.equal((await thisBrowser.get('profile.php')).status, 200)
})
