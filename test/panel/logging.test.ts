// What the request log and the security log record about panel requests.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { linkAddress } from '../../src/accounts/one-time-links/one-time-links.ts'
import { type AuditEvent, listEvents } from '../../src/catalog/audit/audit-log.ts'
import { eventually } from '../support/eventually.ts'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  password,
  setupToken,
  signIn,
  withCatalogOf,
} from '../support/panel/panel-client.ts'
import { type Json, makeTenant, startService } from '../support/service.ts'

const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
let clock = Date.now()
const { environment, listen } = await startService({}, { nodes: 1, log, now: () => new Date(clock) })
const { origin } = new URL(await listen())
await makeTenant(environment, 'north')
await makeTenant(environment, 'south')
const rootId = await createPanelUser(environment, 'root@example.com')
const northId = await createPanelUser(environment, 'north@example.com', 'north')
const root = await signIn(origin, 'root@example.com')
const north = await signIn(origin, 'north@example.com')

/** Waits for a log line with these members. */
async function waitForLine(members: Record<string, unknown>): Promise<Json> {
  const isMatch = (line: Json) => Object.entries(members).every(([name, value]) => line[name] === value)
  const find = () => lines.map((line): Json => JSON.parse(line)).find(isMatch)
  return eventually(`a log line has ${JSON.stringify(members)}`, find, { everyMs: 5 })
}

async function eventsOf(kind: string): Promise<AuditEvent[]> {
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 500 }))
  return events.filter(({ event }) => event === kind)
}

const countOf = (events: AuditEvent[]) =>
  events.reduce((sum, { detail }) => sum + ((detail?.count as number | undefined) ?? 1), 0)

const forged = new URLSearchParams({ form_token: 'forged', name: 'Forged' })

/** Advances the clock by a minute, so that the next event of the same kind starts a new row. */
const advanceByMinute = () => {
  clock += 60_000
}

test('each page request is logged at level info with its user, session and tenant', async () => {
  const seen = await root.get('records.php?tenant=north&resource=customers', { 'x-request-id': 'seen-by-root' })
  assert.equal(seen.status, 200)
  const line = await waitForLine({ requestId: 'seen-by-root' })
  const { level, method, path, status, user, session, tenant, milliseconds } = line
  assert.deepEqual(
    { level, method, path, status, user, tenant },
    { level: 30, method: 'GET', path: '/records.php', status: 200, user: rootId, tenant: 'north' },
  )
  assert.match(session, /^[a-z0-9]{10,}$/)
  assert.ok(milliseconds >= 0)
  await north.get('records.php', { 'x-request-id': 'seen-by-north' })
  const northLine = await waitForLine({ requestId: 'seen-by-north' })
  assert.deepEqual([northLine.user, northLine.tenant, northLine.session === session], [northId, 'north', false])
  await openBrowser(origin).get('login.php', { 'x-request-id': 'seen-by-nobody' })
  assert.equal((await waitForLine({ requestId: 'seen-by-nobody' })).user, undefined)
})

test('a refused page is logged with the reason; requests from probes and for assets are not logged at level info', async () => {
  assert.equal((await north.post('records.php', forged, { 'x-request-id': 'forged' })).status, 403)
  assert.equal((await waitForLine({ requestId: 'forged' })).code, 'form_expired')
  assert.equal((await north.get('tenants.php', { 'x-request-id': 'denied' })).status, 404)
  const { code, user, path } = await waitForLine({ requestId: 'denied' })
  assert.deepEqual({ code, user, path }, { code: 'not_found', user: northId, path: '/tenants.php' })
  for (const path of ['healthz', 'readyz', 'metrics', 'panel/style.css', 'panel/panel.js', 'docs/style.css'])
    assert.ok((await root.get(path)).status < 400, path)
  await root.get('panel/nothing.css', { 'x-request-id': 'last' })
  await waitForLine({ requestId: 'last' })
  const paths = lines.map((line) => JSON.parse(line).path)
  assert.deepEqual(
    paths.filter((path) => /healthz|readyz|metrics|\.css|\.js/.test(path ?? '')),
    ['/panel/nothing.css'],
  )
})

test('the log contains no query, one-time token, session cookie, form token or password', async () => {
  const token = await setupToken(environment)
  await root.get('records.php?tenant=north&q=ada.private@example.com')
  await openBrowser(origin).open(linkAddress(origin, token))
  await root.get(`setup.php?token=${token}`, { 'x-request-id': 'last-secret' })
  await waitForLine({ requestId: 'last-secret' })
  const { fields } = formsIn((await root.get('profile.php')).html)[0]!
  const formToken = new Map(fields).get('form_token')!
  for (const secret of ['ada.private', token, root.cookies.get('tenantdesk')!, formToken, password, 'forged"'])
    assert.ok(!lines.some((line) => line.includes(secret) && !line.includes('"requestId":"forged"')), secret)
})

test('in one minute, the security log gains at most two rows for refused forms and two for denied pages, each with a count', async () => {
  advanceByMinute()
  await north.get('users.php') // makes the security log store earlier counts as a row
  const before = { forms: await eventsOf('form_refused'), pages: await eventsOf('page_denied') }
  advanceByMinute()
  for (let times = 0; times < 20; times++) {
    await north.post('records.php', forged)
    await north.get('api_keys.php?tenant=south')
  }
  const rows = { forms: await eventsOf('form_refused'), pages: await eventsOf('page_denied') }
  assert.ok(rows.forms.length <= before.forms.length + 2, `${rows.forms.length - before.forms.length} rows`)
  assert.ok(rows.pages.length <= before.pages.length + 2, `${rows.pages.length - before.pages.length} rows`)
  const [form] = rows.forms
  const [page] = rows.pages
  assert.deepEqual(
    [form!.by_email, form!.address, form!.detail!.path],
    ['north@example.com', '127.0.0.1', 'records.php'],
  )
  assert.deepEqual(
    [page!.by_email, page!.detail!.path, page!.detail!.slug],
    ['north@example.com', 'api_keys.php', 'south'],
  )
  advanceByMinute()
  await north.get('tenants.php')
  await north.post('records.php', forged)
  const later = { forms: await eventsOf('form_refused'), pages: await eventsOf('page_denied') }
  assert.equal(countOf(later.pages) - countOf(before.pages), 20, 'the 21st event belongs to the next row')
  const log = decodeHtml((await root.get('events.php')).html)
  assert.match(log, /Form rejected<.*?north@example\.com<.*?records\.php, ×\d+</s)
  assert.match(log, /Access denied<.*?north@example\.com<.*?api_keys\.php, ×\d+</s)
})

test('a flood of forged forms from many addresses adds only a few audit events, and after a shutdown their counts include every form', async () => {
  const service = await startService({ TRUST_PROXY: '1' }, { nodes: 1 })
  const attacker = openBrowser(new URL(await service.listen()).origin)
  for (let host = 1; host <= 60; host++) {
    const { status } = await attacker.post('login.php', forged, { 'x-forwarded-for': `192.0.2.${host}` })
    assert.equal(status, 403)
  }
  await service.service.close()
  const events = await withCatalogOf(service.environment, (catalog) => listEvents(catalog, { limit: 500 }))
  const rows = events.filter(({ event }) => event === 'form_refused')
  assert.ok(rows.length <= 22, `${rows.length} rows`)
  assert.equal(countOf(rows), 60)
  assert.deepEqual([rows[0]!.address, rows[0]!.detail!.several], [null, true])
})
