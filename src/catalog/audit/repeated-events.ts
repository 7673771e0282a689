// Aggregates audit events that clients can cause at will, such as rejected forms, so that a flood of them does not fill
// the audit log. Counts them in memory: the requests that cause them do not write anything else, and a flood of
// requests must not become a flood of catalog transactions. limited-events.ts counts in the catalog instead, because a
// failed sign-in needs a transaction anyway.

import { networkOf } from '../../lib/ip-network.ts'
import type { Catalog } from '../catalog.ts'
import { type AuditActor, type AuditSubject, recordEvent } from './audit-log.ts'

export type RepeatedEvents = {
  /** Records the first event per kind and source immediately. A source is a user, an email address or a network.
   *  Further events within a minute are counted, and written as one row with `detail.count` when the minute ends. While
   *  the catalog is unreachable, events are only counted. */
  record(event: string, actor: AuditActor, about: AuditSubject): Promise<void>
  close(): Promise<void>
}

/** At most one row per kind and source is written within this time. */
const windowMs = 60_000
const flushIntervalMs = 5000
/** If a minute has more combinations of kind and source than this, further sources share one row per kind. */
const maxSources = 20

type EventCount = {
  event: string
  actor: AuditActor
  about: AuditSubject
  until: number
  count: number
  isShared: boolean
}

export function openRepeatedEvents(catalog: Catalog, now: () => Date): RepeatedEvents {
  const eventCounts = new Map<string, EventCount>()

  function keyOf(event: string, actor: AuditActor, about: AuditSubject): string {
    const key = `${event} ${actor.by ?? about.userId ?? about.email ?? networkOf(actor.address ?? '')}`
    return eventCounts.has(key) || eventCounts.size < maxSources ? key : event
  }

  async function flush(isEnding = false): Promise<void> {
    const time = now().getTime()
    const due = [...eventCounts].filter(([, { until }]) => isEnding || until <= time || until > time + windowMs)
    for (const [key, entry] of due) {
      if (entry.count === 0) eventCounts.delete(key)
      else await writeCount(entry, time)
    }
  }

  async function writeCount(entry: EventCount, time: number): Promise<void> {
    const { event, actor, about, count, isShared } = entry
    entry.until = time + windowMs
    entry.count = 0
    const recordedActor = isShared ? { ...actor, by: null, address: null, agent: null } : actor
    const detail = { ...about.detail, ...(isShared && { several: true }), count }
    await recordEvent(catalog, event, recordedActor, { ...about, detail }).catch(() => {
      entry.count += count // the catalog is unreachable: the count is written when the next window ends
    })
  }

  const timer = setInterval(() => flush(), flushIntervalMs).unref()

  return {
    async record(event, actor, about) {
      await flush()
      const key = keyOf(event, actor, about)
      const eventCount = eventCounts.get(key)
      if (eventCount) {
        Object.assign(eventCount, { actor, about, count: eventCount.count + 1 })
        return
      }
      const isShared = key === event
      const entry = { event, actor, about, until: now().getTime() + windowMs, count: 0, isShared }
      eventCounts.set(key, entry)
      await recordEvent(catalog, event, actor, about).catch(() => {
        entry.count++
      })
    },
    async close() {
      clearInterval(timer)
      await flush(true)
    },
  }
}
