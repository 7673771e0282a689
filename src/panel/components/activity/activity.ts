// Renders the history as sentences, grouped by day, with the time, the actor, and a link to the change set.

import { html } from 'ghtml'
import { configuration, withConfiguration } from '../../../domain/declarations/configuration.ts'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { subjectLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { formatTime } from '../days.ts'
import type { IconName } from '../icons.ts'
import { titleOf } from '../record-fields.ts'
import { type TimelineEntry, timeline } from '../timeline.ts'
import { type ActivitySet, maxShownChanges } from './activity-sets.ts'
import { actorNames, type Entry, recordTitles } from './change-list.ts'
import { sentencesFor } from './change-sentence.ts'

/** Renders as many change sets as fit on a timeline. `rest`: the sequence number of the last change shown; null if all
 *  change sets fit. */
export async function activityByDay(
  request: TenantRequest,
  sets: ActivitySet[],
): Promise<{ list: string; rest: number | null }> {
  const known = await readKnown(request, sets.flatMap(shownOf))
  const entries = sets.map((set) => timelineEntry(request, set, known))
  const { list, shown } = timeline(request, entries)
  return { list, rest: shown < sets.length ? sets[shown - 1]!.last : null }
}

/** Functions that name an entry's actor and record, and describe what the entry changed. */
type EntryTexts = {
  actors: (entry: Entry) => string
  titles: (resource: string, id: number) => string | undefined
  describe: (entry: Entry) => string
}

async function readKnown(request: TenantRequest, entries: Entry[]): Promise<EntryTexts> {
  const [actors, titles, describe] = await Promise.all([
    actorNames(request, entries),
    recordTitles(request, entries),
    sentencesFor(request, entries),
  ])
  return { actors, titles, describe }
}

function shownOf({ entries, count }: ActivitySet): Entry[] {
  return count > maxShownChanges + 1 ? entries.slice(0, maxShownChanges) : entries
}

function timelineEntry(request: TenantRequest, set: ActivitySet, known: EntryTexts): TimelineEntry {
  const { texts } = request
  const first = set.entries[0]!
  const shown = shownOf(set)
  const rest = set.count - shown.length
  const more = rest > 0 ? html`<p>${texts.home.moreChanges(rest)}</p>` : ''
  const lines = shown.map((entry) => html`<p>!${aboutLink(request, entry, known)} · !${known.describe(entry)}</p>`)
  const time = html`<time datetime="${first.at}">${formatTime(texts, first.at)}</time>`
  const facts = [time, html`<span class="by">${texts.home.by(known.actors(first))}</span>`, ...setLink(request, first)]
  const body = html`!${lines}!${more}<p class="hint">!${facts.join(' · ')}</p>`
  return { at: first.at, action: first.action, icon: icons[first.resource] ?? 'edit', body }
}

const icons: Record<string, IconName> = {
  hardware: 'asset',
  employees: 'person',
  customers: 'branch',
  settings: 'settings',
  views: 'view',
}

/** Renders the record that an entry is about, as a link unless the record was deleted. */
function aboutLink(
  request: TenantRequest,
  { resource: name, id, before, after }: Entry,
  { titles }: EntryTexts,
): string {
  const resource = resourceNamed(withConfiguration(request.resources), name)
  if (configuration.includes(resource)) return html`<b>${subjectLabel(request.texts, name)}</b>`
  const currentTitle = titles(name, id)
  if (currentTitle !== undefined) return html`<a href="${recordUrl(request, name, id)}"><bdi>${currentTitle}</bdi></a>`
  return html`<b><bdi>${titleOf({ id, ...before, ...after }, resource.title)}</bdi></b>`
}

/** Renders a link to the change set's page, where users with `canWrite` can undo the changes. */
function setLink({ texts, canWrite, baseParams }: TenantRequest, { change_set }: Entry): string[] {
  if (change_set === null) return []
  const url = pageUrl('activity.php', { tenant: baseParams.tenant, change_set })
  return [html`<a href="${url}">${canWrite ? texts.undo.link : texts.undo.view}</a>`]
}
