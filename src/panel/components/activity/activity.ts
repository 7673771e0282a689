// Reads the history as change sets, and renders them as sentences, grouped by day, with the time, the actor, and a link
// to the change set. A change set contains all changes made by a single request, form or job.

import { html } from 'ghtml'
import { configuration, withConfiguration } from '../../../domain/declarations/configuration.ts'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { ChangeSetTotals } from '../../../domain/history/history.ts'
import { historyOperations } from '../../../domain/history/operations.ts'
import { resourceTexts, subjectLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { changeSetUrl, linkRecord } from '../../urls.ts'
import { formatTime } from '../days.ts'
import type { IconName } from '../icons.ts'
import { dot, titleOf } from '../record-fields.ts'
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

/** A change set, or a single change without one. `entries`: the newest changes. `totals`: about all its changes that
 *  match the filter; undefined for a single change. */
type ActivitySet = { entries: Entry[]; totals: ChangeSetTotals | undefined }

/** A change set with more changes is summarized. */
const maxShownChanges = 4

/** A page reads at most `maxReads` batches of `perRead` changes. */
const [maxReads, perRead] = [10, 100]

/** Returns change sets, newest first, each at its newest change. `before`: the cursor for the next page. */
export async function readActivity(request: TenantRequest, { limit: maxSets, ...filter }: ChangesFilter) {
  const sets: ActivitySet[] = []
  const totals = new Map<string, ChangeSetTotals>()
  let next: number | null = filter.before ?? null
  for (let reads = 0; reads < maxReads; reads++) {
    const batch: ChangesFilter = { ...filter, limit: perRead, ...(next !== null && { before: next }) }
    const { entries, before } = await readChanges(request, batch)
    await readTotals(request, filter, entries, totals)
    for (const entry of entries) addTo(sets, entry, totals, filter.before)
    next = before === null ? null : await nextCursor(request, entries.at(-1)!)
    if (next === null || sets.length > maxSets) break
  }
  const shownSets = sets.slice(0, maxSets)
  return { sets: shownSets, before: sets.length > maxSets ? cursorAbove(sets[maxSets]!) : next }
}

/** Adds the totals of the entries' change sets to `totals`. */
async function readTotals(
  { deps, tenant }: TenantRequest,
  { resource = null, id = null, action = null, by = null }: Omit<ChangesFilter, 'limit'>,
  entries: Entry[],
  totals: Map<string, ChangeSetTotals>,
): Promise<void> {
  const changeSets = [...new Set(entries.flatMap(({ change_set }) => change_set ?? []))].filter(
    (each) => !totals.has(each),
  )
  const query = { changeSets, resource, id, action, by, timeoutMs: deps.listTimeoutMs }
  for (const each of await deps.engine.run(tenant, historyOperations.changeSets, query))
    totals.set(each.changeSet, each)
}

/** Adds an entry to its change set's, unless an earlier page, which ended at the change number `before`, has shown
 *  that set. */
function addTo(
  sets: ActivitySet[],
  entry: Entry,
  totals: Map<string, ChangeSetTotals>,
  before = Number.POSITIVE_INFINITY,
) {
  const ofSet = entry.change_set === null ? undefined : totals.get(entry.change_set)
  if (ofSet && ofSet.last >= before) return
  const known = ofSet && sets.find((each) => each.totals === ofSet)
  if (known) known.entries.push(entry)
  else sets.push({ entries: [entry], totals: ofSet })
}

/** The cursor for a page that begins with this set. */
function cursorAbove({ entries }: ActivitySet): number {
  return entries[0]!.seq + 1
}

/** Returns the cursor for the changes before this entry, without those of its change set that directly precede it: a
 *  run of consecutive numbers. Null if no other changes precede it. */
async function nextCursor({ deps, tenant }: TenantRequest, { seq, change_set }: Entry): Promise<number | null> {
  if (change_set === null) return seq
  const query = { changeSet: change_set, last: seq, timeoutMs: deps.listTimeoutMs }
  const first = await deps.engine.run(tenant, historyOperations.runStart, query)
  return first > 1 ? first : null
}

/** Renders as many change sets as fit on a timeline. `rest`: the cursor for a page that begins with the first change
 *  set that did not fit; null if all fit. */
export async function activityByDay(request: TenantRequest, sets: ActivitySet[]) {
  const entryTextsOfSets = await entryTexts(request, sets.flatMap(sampleOf))
  const entries = sets.map((set) => timelineEntry(request, set, entryTextsOfSets))
  const { list, shown } = timeline(request, entries)
  return { list, rest: shown < sets.length ? cursorAbove(sets[shown]!) : null }
}

/** Functions that name an entry's actor and record, and describe what the entry changed. `describeGenerally` does not
 *  name the records that the sentence mentions. */
type EntryTexts = Names & Record<'describe' | 'describeGenerally', (entry: Entry) => string>

export async function entryTexts(request: TenantRequest, entries: Entry[]): Promise<EntryTexts> {
  const [actors, records] = await Promise.all([actorNames(request, entries), entryRecords(request, entries)])
  const { describe, describeGenerally } = sentencesFor(request, records)
  return { actors, titles: titlesOf(request, records), describe, describeGenerally }
}

/** Whether a change set is summarized is decided by at most this many of its changes. */
const maxSample = 30

function sampleOf({ entries }: ActivitySet): Entry[] {
  return entries.slice(0, maxSample)
}

function timelineEntry(request: TenantRequest, set: ActivitySet, wording: EntryTexts): TimelineEntry {
  const { texts } = request
  const first = set.entries[0]!
  const count = set.totals?.count ?? 1
  const lines =
    count > maxShownChanges
      ? summaryOf(request, set, wording)
      : set.entries.map((entry) => html`!${aboutLink(request, entry, wording)} · !${wording.describe(entry)}`)
  const time = html`<time datetime="${first.at}">${formatTime(texts, first.at)}</time>`
  const by = html`<span class="by">${texts.activity.by(wording.actors(first))}</span>`
  const facts = [time, by, ...undoState(request, set)].join(dot) + setLink(request, first, set.totals)
  const body = html`!${lines.map((line) => html`<p>!${line}</p>`)}<p class="hint">!${facts}</p>`
  return { at: first.at, action: first.action, icon: iconOf(request, first), body }
}

function undoState({ texts }: TenantRequest, { totals }: ActivitySet): string[] {
  if (!totals) return []
  const { kind, isUndone } = totals
  const { did, wasUndone, wasRedone } = texts.undo
  const later = isUndone ? [kind === 'undo' ? wasRedone : wasUndone] : []
  return [...(kind === 'change' ? [] : [did[kind]]), ...later].map((text) => html`${text}`)
}

/** Summarizes a change set: one line for each kind of change, such as "179 assets · Returned to stock in …". */
function summaryOf(request: TenantRequest, set: ActivitySet, wording: EntryTexts): string[] {
  const { texts } = request
  const { count, groups } = set.totals!
  if (groups.length === 0) return [html`<b>${texts.home.changes(count)}</b>`]
  return groups
    .toSorted((one, other) => other.count - one.count)
    .map((group) => {
      const entries = sampleOf(set).filter((each) => each.resource === group.resource && each.action === group.action)
      const sentence = commonSentence(entries, group.count, wording)
      if (group.count === 1 && entries.length === 1)
        return html`!${aboutLink(request, entries[0]!, wording)} · !${sentence}`
      return html`<b>${countOf(request, group)}</b> · !${sentence || html`${texts.activity.actions[group.action]}`}`
    })
}

/** Returns the sentence that describes all changes of a kind; empty if they have none in common. The sentence does not
 *  name records if the changes are about different ones, or if `entries` are not all of them. */
function commonSentence(entries: Entry[], count: number, wording: EntryTexts): string {
  const [whole, general] = [wording.describe, wording.describeGenerally].map(
    (describe) => new Set(entries.map(describe)),
  )
  if (whole!.size === 1 && entries.length === count) return [...whole!][0]!
  return general!.size === 1 ? [...general!][0]! : ''
}

function countOf({ texts, resources }: TenantRequest, { resource, count }: ChangeSetTotals['groups'][number]): string {
  if (resources.some(({ name }) => name === resource)) return resourceTexts(texts, resource).count(count)
  return subjectLabel(texts, resource)
}

function iconOf({ resources, deps }: TenantRequest, { resource: name }: Entry): IconName {
  const resource = resources.find((each) => each.name === name)
  if (resource) return deps.presentationOf(resource).icon
  return name === 'settings' ? 'settings' : name === 'views' ? 'view' : 'edit'
}

/** Renders the record that an entry is about, as a link unless the record was deleted. */
export function aboutLink(
  request: TenantRequest,
  { resource: name, id, before, after }: Entry,
  { titles }: Pick<Names, 'titles'>,
): string {
  const resource = resourceNamed(withConfiguration(request.resources), name)
  if (configuration.includes(resource)) {
    const own = after?.name ?? before?.name
    const ownName = typeof own === 'string' && name !== 'settings' ? html`: <bdi>${own}</bdi>` : ''
    return html`<b>${subjectLabel(request.texts, name)}!${ownName}</b>`
  }
  const currentTitle = titles(name, id)
  if (currentTitle !== undefined) return linkRecord(request, name, id, currentTitle)
  return html`<b><bdi>${titleOf({ id, ...before, ...after }, resource.title, request.texts)}</bdi></b>`
}

/** Renders a link to the change set's page, where users with `canWrite` can undo the changes, or redo what an undo
 *  undid. */
export function setLink(request: TenantRequest, { change_set }: Entry, totals: ChangeSetTotals | undefined): string {
  if (change_set === null) return ''
  const { view, viewOrUndo, viewOrRedo } = request.texts.undo
  const label = !request.canWrite || totals?.isUndone ? view : totals?.kind === 'undo' ? viewOrRedo : viewOrUndo
  const link = html`<a href="${changeSetUrl(request, change_set)}">${label}</a>`
  return html`<span class="on-screen">${dot}!${link}</span>`
}
