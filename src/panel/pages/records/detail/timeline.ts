// Renders a record's timeline: a sentence for each change, grouped by day, newest first. A person's timeline also
// contains the changes that gave them an asset or took it back.

import { html } from 'ghtml'
import { resourceNamed } from '../../../../domain/declarations/resource.ts'
import { historyOperations } from '../../../../domain/history/operations.ts'
import { aboutLink, entryTexts, setLink } from '../../../components/activity/activity.ts'
import { changedFields, type Entry, type Names, readChanges } from '../../../components/activity/change-list.ts'
import { formatTime } from '../../../components/days.ts'
import type { IconName } from '../../../components/icons.ts'
import { dot } from '../../../components/record-fields.ts'
import { type TimelineEntry, timeline } from '../../../components/timeline.ts'
import { timeZoneOf } from '../../../i18n/conventions.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { pageUrl } from '../../../urls.ts'

/** The record whose history is shown. A deleted record has only its id. */
type TimelineSubject = { id: number; kind?: unknown }

/** A link leads to earlier changes. */
const maxShown = 20

export async function recordTimeline(request: RecordRequest, record: TimelineSubject): Promise<string> {
  const { texts, resource, baseParams } = request
  const { id } = record
  const [own, handOuts] = await Promise.all([
    readChanges(request, { resource: resource.name, id, limit: maxShown }),
    readHandOuts(request, record),
  ])
  const { before } = own
  const entries = [...own.entries, ...handOuts].toSorted((one, other) => other.seq - one.seq).slice(0, maxShown)
  if (entries.length === 0) return html`<p class="none">${texts.activity.empty}</p>`
  const show = await entryRenderer(request, entries)
  const { list, shown } = timeline(request, entries.map(show))
  const isCut = shown < own.entries.length + handOuts.length
  const from = isCut ? entries[shown - 1]!.seq : before
  const next = pageUrl('activity.php', { tenant: baseParams.tenant, resource: resource.name, id, before: from })
  const more = from === null ? '' : html`<p><a href="${next}">${texts.records.earlier}</a></p>`
  const zone = timeZoneOf(texts)
  return html`!${list}!${more}<p class="hint">${texts.home.timesIn(zone)}</p>`
}

/** Returns an empty list for records that are not people: everything in a branch passes through its stock. */
async function readHandOuts(
  { deps, tenant, resource }: RecordRequest,
  { id, kind }: TimelineSubject,
): Promise<Entry[]> {
  if (resource.name !== 'employees' || kind === 'storage') return []
  const input = { holder: id, limit: maxShown, timeoutMs: deps.listTimeoutMs }
  return JSON.parse(`[${await deps.engine.run(tenant, historyOperations.handOuts, input)}]`)
}

async function entryRenderer(request: RecordRequest, entries: Entry[]) {
  const { texts } = request
  const { actors, titles, describe } = await entryTexts(request, entries)
  return (entry: Entry): TimelineEntry => {
    const time = html`<time datetime="${entry.at}">${formatTime(texts, entry.at)}</time>`
    const undo = setLink(request, entry, undefined)
    const by = html`<p class="hint">!${time}${dot}${texts.activity.by(actors(entry))}!${undo}</p>`
    // The asset that a person received or gave back is named. The record whose page this is needs no name.
    const subject = entry.resource === request.resource.name ? '' : `${aboutLink(request, entry, { titles })} · `
    const body = html`<p>!${subject}!${describe(entry)}</p>!${by}!${showValues(request, entry, { actors, titles })}`
    return { at: entry.at, action: entry.action, icon: iconOf(entry), body }
  }
}

/** Shows the old and new values. They are collapsed if the sentence already names one of them. */
function showValues(request: RecordRequest, entry: Entry, names: Names): string {
  const fieldTable = changedFields(request, entry, resourceNamed(request.resources, entry.resource), names)
  const isInSentence = Object.keys(entry.after ?? {}).some((name) => fieldsInSentences.includes(name))
  if (entry.action !== 'update' || !isInSentence || fieldTable === '')
    return html`<div class="changes">!${fieldTable}</div>`
  return html`<details class="changes"><summary>${request.texts.records.details}</summary>!${fieldTable}</details>`
}

/** The fields whose new values appear in the sentence itself. */
const fieldsInSentences = ['employee_id', 'customer_id', 'status', 'due_back', 'is_active', 'end_date']

const icons: Record<string, IconName> = { in_repair: 'repair', lost: 'lost', retired: 'retire', spare: 'return' }

function iconOf({ action, after }: Entry): IconName {
  if (action !== 'update') return action === 'create' ? 'add' : 'delete'
  if (after?.status && icons[String(after.status)]) return icons[String(after.status)]!
  if (after?.employee_id) return 'assign'
  if (after?.customer_id) return 'move'
  if (after?.is_active === false) return 'leave'
  return after?.due_back ? 'loan' : 'edit'
}
