// Reads the history as change sets, and renders them as sentences, grouped by day, with the time, the actor, and a link
// to the change set. A change set contains all changes made by a single request, form or job.

import { html } from 'ghtml'
import { configuration, withConfiguration } from '../../../domain/declarations/configuration.ts'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { historyOperations } from '../../../domain/history/operations.ts'
import { subjectLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { formatTime } from '../days.ts'
import type { IconName } from '../icons.ts'
import { titleOf } from '../record-fields.ts'
import { type TimelineEntry, timeline } from '../timeline.ts'
import {
  actorNames,
  type ChangesFilter,
  type Entry,
  entryRecords,
  type Names,
  readChanges,
  titlesOf,
} from './change-list.ts'
import { sentencesFor } from './change-sentence.ts'

/** Consecutive changes from a single change set. `entries`: the newest changes. `count`: how many changes in the set
 *  match the filter. `last`: the sequence number of the oldest of these changes. */
type ActivitySet = { entries: Entry[]; count: number; last: number }

/** How many of a change set's changes are shown, newest first. If there is only one more change, it is also shown. */
const maxShownChanges = 3

/** A page reads at most `maxReads` batches of `perRead` changes. */
const [maxReads, perRead] = [10, 100]

/** Returns change sets, newest first. `before`: the cursor for the next page. */
export async function readActivity(
  request: TenantRequest,
  { limit: maxSets, ...filter }: ChangesFilter,
): Promise<{ sets: ActivitySet[]; before: number | null }> {
  const sets: ActivitySet[] = []
  let next: number | null = filter.before ?? null
  for (let reads = 0; reads < maxReads; reads++) {
    const batch: ChangesFilter = { ...filter, limit: perRead, ...(next !== null && { before: next }) }
    const { entries, before } = await readChanges(request, batch)
    for (const entry of entries) addTo(sets, entry)
    next = before === null ? null : await nextCursor(request, filter, sets.at(-1)!)
    if (next === null || sets.length > maxSets) break
  }
  const shownSets = sets.slice(0, maxSets)
  return { sets: shownSets, before: sets.length > maxSets ? shownSets.at(-1)!.last : next }
}

function addTo(sets: ActivitySet[], entry: Entry): void {
  const set = sets.at(-1)
  const isSame = entry.change_set !== null && set?.entries[0]?.change_set === entry.change_set
  if (!set || !isSame) {
    sets.push({ entries: [entry], count: 1, last: entry.seq })
    return
  }
  set.entries.push(entry)
  set.count++
  set.last = entry.seq
}

/** Returns the cursor for the changes after a set. Counts a large set's remaining changes instead of reading them. */
async function nextCursor(
  { deps, tenant }: TenantRequest,
  { resource = null, id = null, action = null, by = null }: Omit<ChangesFilter, 'limit'>,
  set: ActivitySet,
): Promise<number | null> {
  const changeSet = set.entries[0]!.change_set
  if (changeSet === null || set.entries.length <= maxShownChanges) return set.last
  const query = { changeSet, last: set.last, resource, id, action, by, timeoutMs: deps.listTimeoutMs }
  const { first, count } = await deps.engine.run(tenant, historyOperations.changeRun, query)
  set.count += count - 1
  set.last = first
  return first > 1 ? first : null
}

/** Renders as many change sets as fit on a timeline. `rest`: the sequence number of the last change shown; null if all
 *  change sets fit. */
export async function activityByDay(
  request: TenantRequest,
  sets: ActivitySet[],
): Promise<{ list: string; rest: number | null }> {
  const entryTextsOfSets = await entryTexts(request, sets.flatMap(shownOf))
  const entries = sets.map((set) => timelineEntry(request, set, entryTextsOfSets))
  const { list, shown } = timeline(request, entries)
  return { list, rest: shown < sets.length ? sets[shown - 1]!.last : null }
}

/** Functions that name an entry's actor and record, and describe what the entry changed. */
type EntryTexts = Names & { describe: (entry: Entry) => string }

export async function entryTexts(request: TenantRequest, entries: Entry[]): Promise<EntryTexts> {
  const [actors, records] = await Promise.all([actorNames(request, entries), entryRecords(request, entries)])
  return { actors, titles: titlesOf(request, records), describe: sentencesFor(request, records) }
}

function shownOf({ entries, count }: ActivitySet): Entry[] {
  return count > maxShownChanges + 1 ? entries.slice(0, maxShownChanges) : entries
}

function timelineEntry(request: TenantRequest, set: ActivitySet, lookup: EntryTexts): TimelineEntry {
  const { texts } = request
  const first = set.entries[0]!
  const entries = shownOf(set)
  const rest = set.count - entries.length
  const more = rest > 0 ? html`<p>${texts.home.moreChanges(rest)}</p>` : ''
  const lines = entries.map((entry) => html`<p>!${aboutLink(request, entry, lookup)} · !${lookup.describe(entry)}</p>`)
  const time = html`<time datetime="${first.at}">${formatTime(texts, first.at)}</time>`
  const facts = [time, html`<span class="by">${texts.home.by(lookup.actors(first))}</span>`, ...setLink(request, first)]
  const body = html`!${lines}!${more}<p class="hint">!${facts.join(' · ')}</p>`
  return { at: first.at, action: first.action, icon: iconOf(request, first), body }
}

function iconOf({ resources, deps }: TenantRequest, { resource: name }: Entry): IconName {
  const resource = resources.find((each) => each.name === name)
  if (resource) return deps.presentationOf(resource).icon
  return name === 'settings' ? 'settings' : name === 'views' ? 'view' : 'edit'
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
