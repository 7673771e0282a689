// Audit events caused by unauthenticated clients: all failed sign-ins are counted, but only a few rows are written.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../src/accounts/sign-in/sign-in.ts'
import { type AuditEvent, listEvents, recordEvent } from '../../src/catalog/audit/audit-log.ts'
import { maintainEvents } from '../../src/catalog/audit/limited-events.ts'
import { actorAt, createInstallation, pepper, testTime } from '../support/people.ts'

const { catalog, otherCatalog, nodes } = await createInstallation()
const minuteSeconds = 60
const daySeconds = 86_400

async function failSignIn(number: number, seconds: number): Promise<void> {
  const credentials = { email: `unknown${number}@example.com`, password: 'wrong and wrong again' }
  const { outcome } = await signIn(
    nodes[number % 2]!,
    pepper,
    credentials,
    actorAt(seconds, `2001:db8:0:${number.toString(16)}::1`),
  )
  assert.equal(outcome, 'refused')
}

/** Returns the audit events of failed sign-ins since this time, oldest first. */
async function failures(seconds = 0) {
  const events = await listEvents(catalog, { limit: 1000 })
  return events
    .filter((entry) => entry.event === 'sign_in_failed' && entry.at >= testTime(seconds).toISOString())
    .reverse()
}

test('at most 20 failed sign-ins a minute are recorded individually, and one more audit event counts the rest', async () => {
  for (let number = 0; number < 50; number++) await failSignIn(number, 0)
  assert.equal((await failures()).length, 20)
  await maintainEvents(otherCatalog, testTime(59))
  assert.equal(
    (await failures()).length,
    20,
    'the event that counts the rest is written only after the minute has ended',
  )
  await maintainEvents(otherCatalog, testTime(60))
  await maintainEvents(catalog, testTime(60))
  const rows = await failures()
  assert.equal(rows.length, 21)
  const { address, email, detail } = rows.at(-1)!
  assert.deepEqual(
    [address, email, detail],
    [null, null, { several: true, minute: testTime().toISOString().slice(0, 16), count: 30 }],
  )
})

test('the count of suppressed failed sign-ins is written with the next failure, even if no maintenance runs in between', async () => {
  for (let number = 0; number < 25; number++) await failSignIn(number, 10 * minuteSeconds)
  await failSignIn(99, 20 * minuteSeconds)
  const counts = (await failures(10 * minuteSeconds)).map(({ detail }) => detail?.count ?? 1)
  assert.deepEqual(counts, [...Array.from({ length: 20 }, () => 1), 5, 1])
})

test('nodes with slightly different clocks share the limit of audit events per minute; a clock that was far ahead does not delay later counts', async () => {
  const start = 30 * minuteSeconds
  for (let number = 0; number < 30; number++) await failSignIn(number, number % 2 ? start : start - 1)
  assert.ok((await failures(start - 1)).length <= 21)
  const ahead = 40 * daySeconds
  for (let number = 100; number < 125; number++) await failSignIn(number, ahead)
  await maintainEvents(catalog, testTime(start + 2 * minuteSeconds))
  const counts = (await failures()).flatMap(({ detail }) => detail?.count ?? [])
  assert.deepEqual(counts.slice(-2), [9, 5], 'one of the 30 failures was in the previous minute')
})

test('failed sign-ins are deleted from the audit log after 90 days, other events are kept, and the numbering continues', async () => {
  await recordEvent(catalog, 'key_created', actorAt(), {})
  await recordEvent(catalog, 'sign_in_failed', actorAt(-100 * daySeconds), {})
  const before = await listEvents(catalog, { limit: 1000 })
  await maintainEvents(catalog, testTime(89 * daySeconds))
  const isOld = ({ event, at: when }: AuditEvent) =>
    event === 'sign_in_failed' && when < testTime(-daySeconds).toISOString()
  assert.deepEqual(
    (await listEvents(catalog, { limit: 1000 })).filter(isOld),
    before.slice(0, 1),
    'the newest event is kept even if it is old',
  )
  await recordEvent(catalog, 'key_revoked', actorAt(), {})
  await maintainEvents(catalog, testTime(200 * daySeconds))
  const after = await listEvents(catalog, { limit: 1000 })
  assert.deepEqual(
    after.map(({ event, seq }) => [event, seq]),
    [
      ['key_revoked', before[0]!.seq + 1],
      ['key_created', before[1]!.seq],
      ...before.filter(({ event }) => event === 'tenant_created').map(({ event, seq }) => [event, seq]),
    ],
  )
})

test('audit events are deleted after their retention period, except the newest, and the numbering continues', async () => {
  const nobody = { now: testTime(300 * daySeconds), by: null, address: null, agent: null }
  await recordEvent(catalog, 'server_added', nobody, { detail: { name: 'kept' } })
  const [newest] = await listEvents(catalog, { limit: 1 })
  await maintainEvents(catalog, testTime(300 * daySeconds), 0)
  assert.ok((await listEvents(catalog, { limit: 1000 })).length > 1)
  await maintainEvents(catalog, testTime(300 * daySeconds + 10), 30)
  assert.deepEqual(await listEvents(catalog, { limit: 1000 }), [newest])
  await maintainEvents(catalog, testTime(900 * daySeconds), 30)
  assert.deepEqual(await listEvents(catalog, { limit: 1000 }), [newest])
  await recordEvent(catalog, 'server_added', nobody, { detail: { name: 'next' } })
  assert.equal((await listEvents(catalog, { limit: 1 }))[0]!.seq, newest!.seq + 1)
})
