// Renders a record's timeline: a sentence for each change, grouped by day, newest first.

import { html } from 'ghtml'
import { resourceNamed } from '../../../../resources/resource.ts'
import {
  actorNames,
  changedFields,
  type Entry,
  type Names,
  readChanges,
  recordTitles,
} from '../../../components/activity/change-list.ts'
import { sentencesFor } from '../../../components/activity/change-sentence.ts'
import { dayHeading, formatTime } from '../../../components/days.ts'
import type { IconName } from '../../../components/icons.ts'
import { timeline } from '../../../components/page-parts.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { pageUrl } from '../../../urls.ts'
import type { RecordRequest } from '../request.ts'

/** These limits keep the page small even if long notes have been changed often. A link leads to earlier changes. */
const maxShown = 20
const maxBytes = 50_000

export async function recordTimeline(request: RecordRequest, id: number): Promise<string> {
  const { texts, resource, deps, baseParams } = request
  const { entries, before } = await readChanges(request, { resource: resource.name, id, limit: maxShown })
  if (entries.length === 0) return html`<p class="none">${texts.activity.empty}</p>`
  const show = await entryRenderer(request, entries)
  const today = dayOf(texts, deps.now())
  const shown = limitSize(entries.map((entry) => ({ entry, ...show(entry) })))
  const days = Map.groupBy(shown, ({ entry }) => dayOf(texts, new Date(entry.at)))
  const groups = [...days].map(([day, entriesOfDay]) => ({ day: dayHeading(texts, day, today), entries: entriesOfDay }))
  const from = shown.length < entries.length ? shown.at(-1)!.entry.seq : before
  const next = pageUrl('activity.php', { tenant: baseParams.tenant, resource: resource.name, id, before: from })
  const more = from === null ? '' : html`<p><a href="${next}">${texts.records.earlier}</a></p>`
  const zone = texts.conventions?.timeZone ?? 'UTC'
  return html`!${timeline(groups)}!${more}<p class="hint">${texts.home.timesIn(zone)}</p>`
}

async function entryRenderer(request: RecordRequest, entries: Entry[]) {
  const { texts, canWrite, baseParams } = request
  const [actors, titles, describe] = await Promise.all([
    actorNames(request, entries),
    recordTitles(request, entries),
    sentencesFor(request, entries),
  ])
  return (entry: Entry) => {
    const time = html`<time datetime="${entry.at}">${formatTime(texts, entry.at)}</time>`
    const url = pageUrl('activity.php', { tenant: baseParams.tenant, change_set: entry.change_set })
    const undo = entry.change_set && html` · <a href="${url}">${canWrite ? texts.undo.link : texts.undo.view}</a>`
    const by = html`<p class="hint">!${time} · ${texts.home.by(actors(entry))}!${undo}</p>`
    return { icon: iconOf(entry), sentence: describe(entry), more: by + showValues(request, entry, { actors, titles }) }
  }
}

/** Shows the old and new values. They are collapsed if the sentence already names one of them. */
function showValues(request: RecordRequest, entry: Entry, names: Names): string {
  const shown = changedFields(request, entry, resourceNamed(request.resources, entry.resource), names)
  const isInSentence = Object.keys(entry.after ?? {}).some((name) => fieldsInSentences.includes(name))
  if (entry.action !== 'update' || !isInSentence || shown === '') return html`<div class="changes">!${shown}</div>`
  return html`<details class="changes"><summary>${request.texts.records.details}</summary>!${shown}</details>`
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

function limitSize<Shown extends { more: string }>(entries: Shown[]): Shown[] {
  let bytesLeft = maxBytes
  const fitting = entries.filter(({ more }) => {
    bytesLeft -= Buffer.byteLength(more)
    return bytesLeft >= 0
  })
  return fitting.length > 0 ? fitting : entries.slice(0, 1)
}
