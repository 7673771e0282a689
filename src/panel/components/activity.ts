// The history as people read it: sentences, grouped by day, with the time, who did it, and a link to undo it.

import { html } from 'ghtml'
import { configuration, withConfiguration } from '../../resources/declarations/configuration.ts'
import { resourceNamed } from '../../resources/resource.ts'
import { subjectLabel } from '../i18n/index.ts'
import type { TenantRequest } from '../request.ts'
import { pageUrl, recordUrl } from '../urls.ts'
import { actorNames, type Entry, recordTitles } from './change-list.ts'
import { sentencesFor } from './change-sentence.ts'
import { dayHeading, dayOf, formatTime } from './days.ts'
import { type IconName, icon } from './icons.ts'
import { titleOf } from './record-fields.ts'

/** Of a change set with more changes than this, the first ones are shown. */
const mostOfSet = 3

/** `entries`: the newest first, at least one. Returns HTML. */
export async function activityByDay(request: TenantRequest, entries: Entry[]): Promise<string> {
  const { texts, deps } = request
  const known = await readKnown(request, entries)
  const today = dayOf(texts, deps.now())
  const days = Map.groupBy(entries, ({ at }) => dayOf(texts, new Date(at)))
  const items = [...days].flatMap(([day, ofDay]) => [
    html`<li class="day"><h3><time datetime="${day}">${dayHeading(texts, day, today)}</time></h3></li>`,
    ...consecutiveSets(ofDay).map((set) => showSet(request, set, known)),
  ])
  return html`<ol class="timeline">!${items}</ol>`
}

/** What is known of the records and people that entries name. */
type Known = {
  actors: (entry: Entry) => string
  titles: (resource: string, id: number) => string | undefined
  tell: (entry: Entry) => string
}

async function readKnown(request: TenantRequest, entries: Entry[]): Promise<Known> {
  const [actors, titles, tell] = await Promise.all([
    actorNames(request, entries),
    recordTitles(request, entries),
    sentencesFor(request, entries),
  ])
  return { actors, titles, tell }
}

/** Entries in a row that belong to one change set. */
function consecutiveSets(entries: Entry[]): Entry[][] {
  const sets: Entry[][] = []
  for (const entry of entries) {
    const last = sets.at(-1)
    const isSame = entry.change_set !== null && last?.at(-1)?.change_set === entry.change_set
    if (isSame) last!.push(entry)
    else sets.push([entry])
  }
  return sets
}

function showSet(request: TenantRequest, set: Entry[], known: Known): string {
  const { texts } = request
  const first = set[0]!
  const shown = set.length > mostOfSet + 1 ? set.slice(0, mostOfSet) : set
  const rest = set.length - shown.length
  const more = rest > 0 ? html`<p>${texts.home.moreChanges(rest)}</p>` : ''
  const lines = shown.map((entry) => html`<p>!${aboutLink(request, entry, known)} !${known.tell(entry)}</p>`)
  const time = html`<time datetime="${first.at}">${formatTime(texts, first.at)}</time>`
  const facts = [time, html`<span class="by">${texts.home.by(known.actors(first))}</span>`, ...setLink(request, first)]
  return html`<li data-action="${first.action}">!${icon(icons[first.resource] ?? 'edit')}!${lines}!${more}
<p class="hint">!${facts.join(' · ')}</p></li>`
}

const icons: Record<string, IconName> = {
  ...{ hardware: 'asset', employees: 'person', customers: 'branch', settings: 'settings', views: 'view' },
}

/** The record that an entry is about: a link, unless it was deleted. */
function aboutLink(request: TenantRequest, { resource: name, id, before, after }: Entry, { titles }: Known): string {
  const resource = resourceNamed(withConfiguration(request.resources), name)
  if (configuration.includes(resource)) return html`<b>${subjectLabel(request.texts, name)}</b>`
  const present = titles(name, id)
  if (present !== undefined) return html`<a href="${recordUrl(request, name, id)}"><bdi>${present}</bdi></a>`
  return html`<b><bdi>${titleOf({ id, ...before, ...after }, resource.title)}</bdi></b>`
}

/** The page of the change set, which offers to undo it. */
function setLink({ texts, canWrite, baseParams }: TenantRequest, { change_set }: Entry): string[] {
  if (change_set === null) return []
  const url = pageUrl('activity.php', { tenant: baseParams.tenant, change_set })
  return [html`<a href="${url}">${canWrite ? texts.undo.link : texts.undo.view}</a>`]
}
