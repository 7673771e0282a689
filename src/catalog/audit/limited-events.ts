// Limits the audit events that anonymous clients can cause, such as failed sign-ins. During a flood, the audit log
// grows slowly and still contains the total. The counts are in the catalog, so that all nodes share them and no count
// is lost in a crash. Also deletes old events.

import { type Database, limitClause } from '../../engine/database/database.ts'
import { type Catalog, keepsCachedKeys, runStatement } from '../catalog.ts'
import { type AuditActor, type AuditSubject, writeEvent } from './audit-log.ts'

/** The maximum number of separate rows per kind of event and minute. All further events of that kind and minute share
 *  one row with `detail.count`. */
const separateRowsPerMinute = 20

/** Node clocks are assumed to differ by less than this. A stored minute that is further in the future comes
 *  from a node with a wrong clock. */
const clockDifferenceMs = 10 * 60_000

const dayMs = 86_400_000

/** Failures are deleted after 90 days. All other events are kept, unless the operator sets a retention period. */
const failureRetentionMs = 90 * dayMs
const deleteBatchSize = 1000

/** The same condition as in the `audit_events_failures` index. */
const failures = `event in ('sign_in_failed', 'sign_in_throttled', 'confirmation_failed', 'confirmation_throttled',
  'password_change_failed', 'password_change_throttled', 'link_refused', 'form_refused', 'page_denied')`

/** Records an event in a separate row, or only counts it if the limit for this minute has been reached. */
export async function writeLimitedEvent(
  database: Database,
  event: string,
  actor: AuditActor,
  subject: AuditSubject,
): Promise<void> {
  await writeCounts(database, actor.now)
  const row = await database.get<{ events: number }>('select events from audit_event_counts where event = ?', [event])
  const events = (row?.events ?? 0) + 1
  await database.run(
    `insert into audit_event_counts (event, minute, events) values (?, ?, ?)
     on conflict (event) do update set events = excluded.events`,
    [event, minuteOf(actor.now), events],
  )
  if (events <= separateRowsPerMinute) await writeEvent(database, event, actor, subject)
}

/** Records the counts of past minutes, and deletes a batch of old failures. Unless `retentionDays` is 0, also deletes a
 *  batch of events that are older than this many days. */
export async function maintainEvents(catalog: Catalog, now: Date, retentionDays = 0): Promise<void> {
  const before = new Date(now.getTime() - failureRetentionMs).toISOString()
  if (retentionDays > 0)
    await deleteEventsBefore(catalog, new Date(now.getTime() - retentionDays * dayMs).toISOString())
  const isOver = await catalog.database.get(
    `select 1 as found from audit_event_counts where ${isMinuteOver}`,
    openMinutes(now),
  )
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
  }, keepsCachedKeys)
}

/** Deletes a batch of events, lowest `seq` first, and keeps the newest event. The nodes' clocks differ, so an event can
 *  be older than its predecessor; such an event may be deleted slightly late. */
async function deleteEventsBefore(catalog: Catalog, moment: string): Promise<void> {
  const oldest = await catalog.database.get<{ at: string }>('select at from audit_events order by seq limit 1')
  if (!oldest || oldest.at >= moment) return
  const oldestBatch = `select seq, at from audit_events order by seq limit ${deleteBatchSize}`
  const sql = `delete from audit_events where seq < (select max(seq) from audit_events) and seq in
    (select seq from (${oldestBatch}) oldest where at < ?)`
  await runStatement(catalog, sql, [moment])
}

const isMinuteOver = '(minute < ? or minute > ?)'

function openMinutes(now: Date): [string, string] {
  return [minuteOf(now), minuteOf(new Date(now.getTime() + clockDifferenceMs))]
}

async function writeCounts(database: Database, now: Date): Promise<void> {
  const rows = await database.all<{ event: string; minute: string; events: number }>(
    `select event, minute, events from audit_event_counts where ${isMinuteOver}`,
    openMinutes(now),
  )
  for (const { event, minute, events } of rows) {
    await database.run('delete from audit_event_counts where event = ?', [event])
    const count = events - separateRowsPerMinute
    const anonymous: AuditActor = { now, by: null, address: null, agent: null }
    const detail = { several: true, minute, count }
    if (count > 0) await writeEvent(database, event, anonymous, { detail })
  }
}

function minuteOf(moment: Date): string {
  return moment.toISOString().slice(0, 16)
}
