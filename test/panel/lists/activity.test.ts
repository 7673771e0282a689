// A tenant's activity page, which has one entry for each change set, and the page's date filter.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { endOfDay } from '../../../src/panel/i18n/conventions.ts'
import { en } from '../../../src/panel/i18n/en/index.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, startService } from '../../support/service.ts'

let now = new Date('2026-03-01T12:00:00.000Z')
const service = await startService({}, { now: () => now })
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(service.environment, 'acme'))
await createPanelUser(service.environment, 'boss@example.com', 'acme')

const addPeople = (bodies: Json[]) =>
  acme('POST', '/bulk.php', { operations: bodies.map((body) => ({ method: 'POST', resource: 'employees', body })) })
const people = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ customer_id: 1, email: `p${from + index}@example.com` }))

await acme('PUT', '/settings.php', { time_zone: 'Europe/Istanbul' })
now = new Date('2026-03-02T20:59:59.999Z') // the last millisecond of the day in Istanbul
await acme('POST', '/customers.php', { name: 'Before midnight' })
now = new Date('2026-03-02T21:00:00.000Z')
await acme('POST', '/customers.php', { name: 'After midnight' })
now = new Date('2026-03-04T10:00:00.000Z')
await addPeople(people(1, 250))
await acme('PUT', '/customers.php?id=1', { city: 'Ankara' })
await addPeople(people(251, 130))
const boss = await signIn(origin, 'boss@example.com')

/** Opens a page. Returns its entries' text, and the next page's URL. */
async function open(path: string) {
  const { html, status } = await boss.get(path)
  const entries = [...html.matchAll(/<li data-action.*?>(.*?)<\/li>/gs)].map(([, item]) =>
    decodeHtml(item!.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')).trim(),
  )
  const next = /<a [^>]*href="(activity[^"]*before[^"]*)"/.exec(html)?.[1]
  return { status, html, entries, next: next && decodeHtml(next) }
}

test('a large change set is shown as one entry that says how many records it changed, and earlier changes follow on the same page', async () => {
  for (const path of ['activity.php', './']) {
    const { entries, next } = await open(path)
    assert.equal(entries.length, 6, path)
    assert.match(entries[0]!, /^130 people · Added/)
    assert.match(entries[1]!, /^Before midnight · City changed/)
    assert.match(entries[2]!, /^250 people · Added/)
    assert.match(entries[4]!, /^Before midnight · Added/)
    assert.equal(next, undefined)
  }
  const filtered = await open('activity.php?resource=employees')
  assert.deepEqual(
    filtered.entries.map((entry) => /^(\d+) people/.exec(entry)?.[1]),
    ['130', '250'],
  )
})

test('a change set is one entry, at its newest change, even if other changes were made between its changes', async () => {
  const tenantDatabase = await tenantDatabaseOf(service.environment, 'acme')
  const newest = '(select change_set from (select change_set from changes order by seq desc limit 1) last)'
  await tenantDatabase.run(`update changes set change_set = ${newest} where resource = 'employees'`)
  const { entries } = await open('activity.php')
  assert.deepEqual(
    entries.slice(0, 3).map((each) => /^380 people · Added|City changed|After midnight/.exec(each)?.[0]),
    ['380 people · Added', 'City changed', 'After midnight'],
  )
})

test('a change set and the one that undid it say so', async () => {
  now = new Date('2026-03-04T10:00:01.000Z')
  const { headers } = await acme('PUT', '/customers.php?id=2', { city: 'Van' })
  await acme('POST', '/undo.php', { change_set: headers['change-set'] })
  const { entries } = await open('activity.php')
  assert.match(entries[0]!, /^After midnight · City changed .* · undid a change · View or redo$/)
  assert.match(entries[1]!, /^After midnight · City changed .* · undone · View$/)
})

test('a date range uses the tenant’s time zone and includes both days', async () => {
  const entriesBetween = async (from: string, to: string) => (await open(`activity.php?from=${from}&to=${to}`)).entries
  assert.match((await entriesBetween('2026-03-01', '2026-03-02')).join('\n'), /^Before midnight · Added.*\nSettings/)
  assert.match((await entriesBetween('2026-03-03', '2026-03-03')).join('\n'), /^After midnight · Added[^\n]*$/)
  assert.equal((await entriesBetween('2026-03-04', '')).length, 4)
  assert.equal((await entriesBetween('', '2026-02-28')).length, 0)
  assert.match((await open('activity.php?from=2026-05-01')).html, /No results/)
  for (const day of ['0001-01-01', '9999-12-31']) {
    assert.equal((await open(`activity.php?from=${day}`)).status, 200)
    assert.equal((await open(`activity.php?to=${day}`)).status, 200)
  }
  assert.equal((await open('activity.php?from=2026-02-30')).status, 400)
})

test('in every time zone a day ends with the last second that Intl calls by its date', async () => {
  const weekMs = 7 * 86_400_000
  const iso = (moment: number) => new Date(moment).toISOString().slice(0, 10)
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    await nextTurn() // the service's transactions must not wait for all zones, because PostgreSQL would end their sessions
    const texts = {
      ...en,
      conventions: { currency: 'EUR', timeZone, customersCalled: 'branches', noticeDays: 60 } as const,
    }
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    const timeAt = (moment: number) => clock.format(moment).slice(11)
    for (let week = Date.UTC(2024, 0, 1); week < Date.UTC(2028, 0, 1); week += weekMs) {
      const changes = timeAt(week) !== timeAt(week + weekMs)
      for (let moment = week; moment < week + (changes ? weekMs : 1); moment += 86_400_000) {
        const [day, end] = [iso(moment), Date.parse(endOfDay(texts, iso(moment)))]
        const around = [end, end + 1].map((each) => clock.format(each).slice(0, 10))
        assert.ok(around[0]! <= day && around[1]! > day, `${timeZone} ${day}: ${around}`)
      }
    }
  }
})

test('each page of the activity list continues where the previous page ended', async () => {
  for (let index = 0; index < 55; index++)
    assert.equal((await acme('PUT', '/customers.php?id=2', { notes: String(index) })).status, 200)
  const first = await open('activity.php?from=2026-03-01')
  assert.equal(first.entries.length, 50)
  const second = await open(first.next!)
  assert.equal(second.entries.length, 12)
  assert.match(second.entries[7]!, /^380 people · Added/)
})

test('a day ends when the clocks of the tenant’s time zone say so, also where they change at midnight', async () => {
  for (const [timeZone, day, lastMinute, firstMinute] of [
    ['America/Havana', '2026-03-07', '2026-03-08T04:59:30.000Z', '2026-03-08T05:00:00.000Z'],
    ['America/Santiago', '2026-09-05', '2026-09-06T03:59:30.000Z', '2026-09-06T04:00:00.000Z'],
  ] as const) {
    const slug = timeZone.slice(8).toLowerCase()
    const client = service.client(await makeTenant(service.environment, slug))
    await createPanelUser(service.environment, `${slug}@example.com`, slug)
    await client('PUT', '/settings.php', { time_zone: timeZone })
    for (const [moment, name] of [
      [lastMinute, 'Last minute'],
      [firstMinute, 'First minute'],
    ] as const) {
      now = new Date(moment)
      await client('POST', '/customers.php', { name })
    }
    const session = await signIn(origin, `${slug}@example.com`)
    const { html } = await session.get(`activity.php?from=${day}&to=${day}`)
    assert.deepEqual([html.includes('Last minute'), html.includes('First minute')], [true, false], timeZone)
  }
})
