// The commands that print the security log, and list and end users' sessions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents, recordEvent } from '../../src/catalog/audit/audit-log.ts'
import { createPanelUser, openBrowser, password, signIn, withCatalogOf } from '../support/panel/panel-client.ts'
import { wordsOf } from '../support/program.ts'
import { command, type Json, makeTenant, startService } from '../support/service.ts'

const { environment, listen } = await startService()
const { origin } = new URL(await listen())
for (const slug of ['north', 'south']) await makeTenant(environment, slug)
const adaId = await createPanelUser(environment, 'ada@example.com', 'north')
await createPanelUser(environment, 'bob@example.com', 'south')

const type = (line: string) => command(environment, ...wordsOf(line))

async function json(line: string): Promise<Json> {
  const { exitCode, stdout, stderr } = await type(`${line} --json`)
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout)
}

const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' }

/** Signs in with a new browser, whose requests have these headers. */
async function signInWith(email: string, headers: Record<string, string>) {
  const person = openBrowser(origin)
  assert.equal((await person.submit('login.php', { email, password }, /^login/, headers)).status, 303)
  return person
}

test('events prints the security log, newest events first, and says who caused each event', async () => {
  await signInWith('ada@example.com', firefox)
  await type('user set ada@example.com --name Ada')
  const { exitCode, stdout, stderr } = await type('events --limit 2')
  assert.equal(exitCode, 0)
  const [renamed, signedIn, ...others] = stdout.split('\n')
  assert.match(renamed!, /^\d{4}-\S+Z {2}user_renamed {2}command line +ada@example\.com {2}north\b/)
  assert.match(
    signedIn!,
    /^\S+ {2}signed_in +ada@example\.com {2}north +[\d.]+ {2}Firefox, Windows +\{.*"password".*\}$/,
  )
  assert.deepEqual(others, [''])
  assert.equal(stderr, 'There are older events: these are the newest 2. To print more, use --limit.\n')
  assert.equal((await type('events --limit 1000')).stderr, '')
})

test('events prints 100 events unless --limit says otherwise', async () => {
  await withCatalogOf(environment, async (catalog) => {
    const actor = { now: new Date(), by: null, address: '192.0.2.1', agent: null }
    for (let count = 0; count < 101; count++)
      await recordEvent(catalog, 'form_refused', actor, { email: 'many@example.com' })
  })
  assert.equal((await json('events')).length, 100)
  assert.ok((await json('events --limit 1000')).length > 100)
})

test('events --json prints the events as they are stored, each with its tenant’s short name', async () => {
  await type('tenant set north --name North')
  const [{ tenant_slug, ...event }] = await json('events --limit 1')
  const [stored] = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 1 }))
  assert.deepEqual([event, tenant_slug], [stored, 'north'])
})

test('events can be limited to a tenant and to a user', async () => {
  const emailsOf = async (line: string) => [...new Set((await json(line)).map(({ email }: Json) => email))]
  await openBrowser(origin).submit('login.php', { email: 'bob@example.com', password: 'not mine at all' })
  const ofNorth = await json('events --tenant north')
  assert.ok(ofNorth.length > 0 && ofNorth.every((event: Json) => event.tenant_slug === 'north'))
  const ofBob = await json('events --user BOB@example.com')
  assert.equal(ofBob[0].event, 'sign_in_failed')
  assert.deepEqual(await emailsOf('events --user bob@example.com'), ['bob@example.com'])
  assert.deepEqual(await json('events --tenant north --user bob@example.com'), [])
  const none = await type('events --tenant north --user bob@example.com')
  assert.deepEqual([none.exitCode, none.stdout, none.stderr], [0, '', 'No matching events.\n'])
})

test('an unknown tenant or user, or an invalid limit, is refused with a sentence', async () => {
  const refusals = {
    'events --tenant nowhere': 'There is no tenant nowhere.',
    'events --user nobody@example.com': 'There is no user "nobody@example.com".',
    'events --tenant north --user nobody@example.com': 'There is no user "nobody@example.com".',
    'user sessions nobody@example.com': 'There is no user "nobody@example.com".',
    'user sessions nobody@example.com --end': 'There is no user "nobody@example.com".',
    ...Object.fromEntries(
      ['0', '1.5', '-1', 'all', '100001', '1000000'].map((limit) => [
        `events --limit=${limit}`,
        `--limit takes a number from 1 to 100000, not "${limit}".`,
      ]),
    ),
  }
  for (const [line, sentence] of Object.entries(refusals))
    assert.deepEqual(await type(line), { exitCode: 1, stdout: '', stderr: `${sentence}\n` }, line)
})

test('user sessions lists a user’s sessions with their times, addresses and browsers, most recently used first', async () => {
  await createPanelUser(environment, 'list@example.com', 'north')
  const none = await type('user sessions list@example.com')
  assert.deepEqual(none, { exitCode: 0, stdout: '', stderr: 'User list@example.com has no sessions.\n' })
  await signIn(origin, 'list@example.com')
  await signInWith('list@example.com', firefox)
  const sessions = await json('user sessions LIST@example.com')
  const columns = ['id', 'created_at', 'last_seen_at', 'address', 'agent', 'confirmed_at']
  for (const session of sessions) assert.deepEqual(Object.keys(session), columns)
  assert.deepEqual(
    sessions.map(({ agent }: Json) => agent),
    [firefox['user-agent'], 'browser of the tests'],
  )
  const { stdout } = await type('user sessions list@example.com')
  const time = String.raw`\d{4}-\S+Z`
  const row = (browser: string) => String.raw`${time} {2}${time} {2}\S*127\.0\.0\.1 {2}${browser}\n`
  assert.match(stdout, new RegExp(`^${row('Firefox, Windows')}${row('browser of the tests')}$`))
})

test('user sessions --end ends only this user’s sessions, keeps the password, and is in the security log', async () => {
  const id = await createPanelUser(environment, 'end@example.com', 'north')
  const browsers = [await signIn(origin, 'end@example.com'), await signIn(origin, 'end@example.com')]
  const other = await signIn(origin, 'ada@example.com')
  const ended = await type('user sessions end@example.com --end')
  assert.deepEqual([ended.exitCode, ended.stdout], [0, ''])
  assert.match(ended.stderr, /^All sessions of user end@example\.com have ended\. /)
  for (const browser of browsers) {
    const { status, location } = await browser.get('profile.php')
    assert.deepEqual([status, location?.split('?')[0]], [303, 'login.php'])
  }
  assert.equal((await other.get('profile.php')).status, 200)
  assert.deepEqual(await json('user sessions end@example.com'), [])
  const [event] = await json('events --user end@example.com')
  assert.deepEqual([event.event, event.user_id, event.detail], ['session_ended', id, { sessions: 2 }])
  assert.deepEqual([event.by_id, event.by_email, event.address], [null, null, null])
  await signIn(origin, 'end@example.com')
  const again = await json('user sessions end@example.com --end')
  assert.deepEqual(again, { id, email: 'end@example.com', sessions_ended: true })
})

test('text that a browser sent reaches a terminal without control characters', async () => {
  const headers = { 'user-agent': 'a\u009b8m' }
  const email = 'a\u001b[8m\u202e@example.com'
  await openBrowser(origin).submit('login.php', { email, password }, /^login/, headers)
  await signInWith('ada@example.com', headers)
  const [signedIn, failed] = await json('events --limit 2')
  assert.deepEqual([signedIn.user_id, /\u009b8m$/.test(signedIn.agent), failed.email], [adaId, true, email])
  for (const line of [
    'events',
    'events --json',
    'user sessions ada@example.com',
    'user sessions ada@example.com --json',
  ]) {
    const { stdout, stderr } = await type(line)
    assert.ok(stdout.includes('\\u009b8m'), line)
    assert.doesNotMatch(`${stdout}${stderr}`.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u, line)
  }
})
