// Rate-limited audit events that anonymous clients can cause, such as failed sign-ins. A flood grows the audit log slowly, and
// the log still gives the total. The counts are in the catalog, so nodes share them and a crash loses none.

import { type Database, limitClause } from '../database/database.ts'
import { type AuditActor, type AuditSubject, writeEvent } from './audit-log.ts'
import { type Catalog, keepsKeys } from './catalog.ts'

/** Separate rows per kind of event and minute; further events share one row with `detail.count`. */
const ownRowsPerMinute = 20

/** Clocks of nodes differ by less than this. A minute further in the future comes from a wrong clock. */
const clockDifferenceMs = 10 * 60_000

const dayMs = 86_400_000

/** Failures are deleted after 90 days; all other events stay, unless there is a retention for them. */
const failureRetentionMs = 90 * dayMs
const deleteBatchSize = 1000

/** As in the index `audit_events_failures`. */
const failures = `event in ('sign_in_failed', 'sign_in_throttled', 'confirmation_failed', 'confirmation_throttled',
  'password_change_failed', 'password_change_throttled', 'link_refused', 'form_refused', 'page_denied')`

/** Records an event in a separate row, or counts it once the limit for this minute is reached. */
export async function writeLimitedEvent(
  database: Database,
  event: string,
  actor: AuditActor,
  about: AuditSubject,
): Promise<void> {
  await writeCounts(database, actor.now)
  const row = await database.get('select events from audit_event_counts where event = ?', [event])
  const events = ((row?.events as number | undefined) ?? 0) + 1
  await database.run(
    `insert into audit_event_counts (event, minute, events) values (?, ?, ?)
     on conflict (event) do update set events = excluded.events`,
    [event, minuteOf(actor.now), events],
  )
  if (events <= ownRowsPerMinute) await writeEvent(database, event, actor, about)
}

/** Records the counts of past minutes, deletes old failures, and all events after their retention; `retentionDays` 0: they stay.
 *  Deletes a limited number at a time. */
export async function maintainEvents(catalog: Catalog, now: Date, retentionDays = 0): Promise<void> {
  const before = new Date(now.getTime() - failureRetentionMs).toISOString()
  if (retentionDays > 0)
    await deleteEventsBefore(catalog, new Date(now.getTime() - retentionDays * dayMs).toISOString())
  const isOver = await catalog.database.get(`select 1 as found from audit_event_counts where ${over}`, bounds(now))
  const isOld = await catalog.database.get(
    `select 1 as found from audit_events where ${failures} and at < ? ${limitClause}`,
    [before, 1],
  )
  if (!isOver && !isOld) return
  await catalog.transaction(async (database) => {
    await writeCounts(database, now)
    // Keep the newest event: the next `seq` is derived from it.
    await database.run(
      `delete from audit_events where seq < (select max(seq) from audit_events) and seq in
         (select seq from audit_events where ${failures} and at < ? order by at ${limitClause})`,
      [before, deleteBatchSize],
    )
  }, keepsKeys)
}

/** Events are in the order of time, apart from differences between the nodes' clocks: one that is older than those before it stays
 *  until they go. Keeps the newest. */
async function deleteEventsBefore(catalog: Catalog, moment: string): Promise<void> {
  const oldest = await catalog.database.get('select at from audit_events order by seq limit 1')
  if (!oldest || (oldest.at as string) >= moment) return
  const some = `select seq, at from audit_events order by seq limit ${deleteBatchSize}`
  const sql = `delete from audit_events where seq < (select max(seq) from audit_events) and seq in
    (select seq from (${some}) oldest where at < ?)`
  await catalog.transaction(async (database) => database.run(sql, [moment]), keepsKeys)
}

const over = '(minute < ? or minute > ?)'

function bounds(now: Date): [string, string] {
  return [minuteOf(now), minuteOf(new Date(now.getTime() + clockDifferenceMs))]
}

async function writeCounts(database: Database, now: Date): Promise<void> {
  const rows = await database.all(`select event, minute, events from audit_event_counts where ${over}`, bounds(now))
  for (const { event, minute, events } of rows) {
    await database.run('delete from audit_event_counts where event = ?', [event!])
    const count = (events as number) - ownRowsPerMinute
    const nobody: AuditActor = { now, by: null, address: null, agent: null }
    const detail = { several: true, minute, count }
    if (count > 0) await writeEvent(database, event as string, nobody, { detail })
  }
}

function minuteOf(moment: Date): string {
  return moment.toISOString().slice(0, 16)
}
