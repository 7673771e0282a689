// /events.php: administrators filter the security log, and download it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents, recordEvent } from '../../../src/catalog/audit/audit-log.ts'
import { daysAfter } from '../../../src/domain/lists/request/operands.ts'
import {
  createPanelUser,
  decodeHtml,
  openBrowser,
  password,
  signIn,
  withCatalogOf,
} from '../../support/panel/panel-client.ts'
import { makeTenant, startService } from '../../support/service.ts'

const { environment, listen } = await startService({}, { now: () => new Date('2026-07-01T22:30:00.000Z') })
const { origin } = new URL(await listen())
await makeTenant(environment, 'north')
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'manager@example.com', 'north')
const [root, manager] = [await signIn(origin, 'root@example.com'), await signIn(origin, 'manager@example.com')]
await withCatalogOf(environment, async (catalog) => {
  const actor = (day: string, address: string) => ({
    now: new Date(`${day}T12:00:00Z`),
    by: null,
    address,
    agent: 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
  })
  await recordEvent(catalog, 'sign_in_failed', actor('2026-06-01', '192.0.2.1'), { email: 'ada@example.com' })
  await recordEvent(catalog, 'form_refused', actor('2026-06-02', '192.0.2.2'), { email: 'bob_1@example.com' })
  await recordEvent(catalog, 'page_denied', actor('2026-06-03', '192.0.2.3'), {
    email: 'bobx1@example.com',
    detail: { path: '/=cmd' },
  })
  await recordEvent(catalog, 'user_renamed', actor('2026-06-04', '192.0.2.4'), { email: '=1+1@example.com' })
})

/** Returns the day of each event listed. */
async function daysOf(query: string): Promise<string[]> {
  const { html } = await root.get(`events.php?${query}`)
  return [...html.matchAll(/<time datetime="2026-06-0(\d)/g)].map(([, day]) => day!)
}

test('the security log is filtered by event, user, tenant, day, and text', async () => {
  assert.deepEqual(await daysOf('event=failures&to=2026-06-30'), ['3', '2', '1'])
  assert.deepEqual(await daysOf('event=form_refused'), ['2'])
  assert.deepEqual(await daysOf('who=BOB_1'), ['2'], 'an underscore is not a wildcard')
  assert.deepEqual(await daysOf('from=2026-06-02&to=2026-06-03'), ['3', '2'])
  assert.deepEqual(await daysOf('q=192.0.2.1'), ['1'])
  assert.deepEqual(await daysOf('q=firefox&event=user_renamed'), ['4'])
  const ofNorth = decodeHtml((await root.get('events.php?of=NORTH')).html)
  assert.match(ofNorth, /manager@example\.com/)
  assert.doesNotMatch(ofNorth, /root@example\.com<\/td>/)
  assert.match((await root.get('events.php?of=nowhere')).html, /No matching events/)
  for (const wrong of ['event=nothing', 'from=yesterday', 'to=2026-02-30', 'user=%00', 'format=xml'])
    assert.equal((await root.get(`events.php?${wrong}`)).status, 400, wrong)
})

test('the filtered log can be downloaded as CSV without formulas, and the download itself is recorded as an event', async () => {
  const { status, headers, html } = await root.get('events.php?to=2026-06-30&format=csv&delimiter=semicolon')
  assert.deepEqual(
    [status, headers.get('content-disposition')],
    [200, 'attachment; filename="security-log-2026-07-01.csv"'],
  )
  const [head, first, ...others] = html.replace('\ufeff', '').trim().split('\r\n')
  assert.equal(head, 'seq;at;event;by_email;email;tenant;address;agent;detail')
  assert.match(first!, /;2026-06-04T12:00:00\.000Z;user_renamed;;'=1\+1@example\.com;;192\.0\.2\.4;/)
  assert.equal(others.length, 3)
  const [latest] = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 1 }))
  assert.deepEqual([latest!.event, latest!.by_email], ['log_exported', 'root@example.com'])
})

test('managers cannot open or download the security log', async () => {
  for (const query of ['', '?format=csv']) assert.equal((await manager.get(`events.php${query}`)).status, 404)
})

test('pages outside tenants show times in the browser’s time zone, and the log counts days in it', async () => {
  const traveller = openBrowser(origin)
  await traveller.submit('login.php', { email: 'root@example.com', password, time_zone: 'Europe/Istanbul' })
  assert.match((await traveller.get('profile.php')).html, /2 Jul 2026, 01:30 GMT\+3</)
  assert.match((await root.get('profile.php')).html, /1 Jul 2026, 22:30 UTC</, 'a browser without scripts')
  const hasEvents = async (person: typeof root, path: string) =>
    /<th scope="row">Signed in</.test((await person.get(path)).html)
  for (const [person, from, to] of [
    [traveller, '2026-07-02', '2026-07-02'],
    [root, '2026-07-01', '2026-07-01'],
  ] as const) {
    assert.equal(await hasEvents(person, `events.php?from=${from}&to=${to}`), true, from)
    assert.equal(await hasEvents(person, `events.php?from=2026-06-20&to=${daysAfter(from, -1)}`), false)
    assert.equal(await hasEvents(person, `events.php?from=${daysAfter(to, 1)}`), false)
  }
})
