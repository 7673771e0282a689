// Reads an asset's repairs from its history, and lists when each repair began and ended, who recorded this, and the
// notes about the repair.

import { html } from 'ghtml'
import { actorNames, type Entry, readChanges } from '../../../components/activity/change-list.ts'
import { daysBetween } from '../../../components/days.ts'
import { linkedText } from '../../../components/linked-text.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { card } from '../../../components/sections.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { choiceLabel, formatDate } from '../../../i18n/index.ts'
import { plural } from '../../../i18n/plural.ts'
import type { RecordRequest } from '../../../requests/request.ts'

/** At most this many of an asset's latest changes are searched for repairs. */
const maxSearchedChanges = 200

const inRepair = 'in_repair'

/** `sent`: null if the repair began before the searched changes. `ended`: null if the asset is still in repair. */
type Repair = { sent: Entry | null; ended: Entry | null }

/** Returns an empty string for assets without repairs in the searched changes. */
export async function repairLog(request: RecordRequest, record: PanelRecord): Promise<string> {
  const { texts } = request
  const repairs = await readRepairs(request, record)
  if (repairs.length === 0) return ''
  const actors = await actorNames(request, entriesOf(repairs))
  const items = repairs.toReversed().map((each) => html`<li>!${showRepair(request, each, actors)}</li>`)
  return card(texts.verbs.repairs.title, html`<ol class="related">!${items}</ol>`)
}

/** Returns the asset without those lines of its notes that its repair log shows. */
export async function withoutRepairNotes(request: RecordRequest, record: PanelRecord): Promise<PanelRecord> {
  if (typeof record.notes !== 'string') return record
  const repairs = await readRepairs(request, record)
  const without = (text: string, lines: string) => (lines === '' ? text : text.replace(`\n${lines}\n`, '\n'))
  const shownLines = entriesOf(repairs).map(addedNotes)
  return { ...record, notes: shownLines.reduce(without, `\n${record.notes}\n`).trim() || null }
}

async function readRepairs(request: RecordRequest, { id }: PanelRecord): Promise<Repair[]> {
  const { name } = request.resource
  const { entries } = await readChanges(request, { resource: name, id, limit: maxSearchedChanges })
  return repairsOf(entries.toReversed())
}

function entriesOf(repairs: readonly Repair[]): Entry[] {
  return repairs.flatMap(({ sent, ended }) => [sent, ended].flatMap((entry) => entry ?? []))
}

/** `entries`: oldest first. */
function repairsOf(entries: readonly Entry[]): Repair[] {
  const repairs: Repair[] = []
  for (const entry of entries) {
    const { status } = entry.after ?? {}
    if (status === undefined) continue
    const last = repairs.at(-1)
    if (status === inRepair) repairs.push({ sent: entry, ended: null })
    else if (entry.before?.status !== inRepair) continue
    else if (last && last.ended === null) last.ended = entry
    else repairs.push({ sent: null, ended: entry })
  }
  return repairs
}

function showRepair(request: RecordRequest, { sent, ended }: Repair, actors: (entry: Entry) => string): string {
  const { texts, deps } = request
  const { repairs } = texts.verbs
  const line = (label: string, entry: Entry, ...more: string[]) => {
    const day = dayOf(texts, new Date(entry.at))
    const about = [...more, texts.activity.by(actors(entry))].map((each) => html` · <bdi>${each}</bdi>`)
    const note = noteIn(entry)
    return html`<p><b>${label}</b> <time datetime="${entry.at}">${formatDate(texts, day)}</time><small>!${about}</small>
!${note && html`<br><bdi>!${linkedText(texts, note)}</bdi>`}</p>`
  }
  const end = ended?.at ?? deps.now().toISOString()
  const days = sent ? daysBetween(dayOf(texts, new Date(sent.at)), dayOf(texts, new Date(end))) : 0
  const duration = days > 0 ? [plural(texts.locale, days, ended ? repairs.after : repairs.since)] : []
  const head = sent ? line(repairs.sent, sent, ...(ended ? [] : duration)) : ''
  return head + (ended ? line(endLabel(request, ended), ended, ...duration) : '')
}

/** Instead of coming back from repair, an asset can be lost or retired. */
function endLabel({ texts }: RecordRequest, { after }: Entry): string {
  const status = String(after?.status)
  return status === 'lost' || status === 'retired' ? choiceLabel(texts, status) : texts.verbs.repairs.back
}

/** Returns the line that the change added to the notes, without its date. */
function noteIn(entry: Entry): string {
  return addedNotes(entry).replace(/^\d{4}-\d\d-\d\d: /, '')
}

function addedNotes({ before, after }: Entry): string {
  const [oldNotes, newNotes] = [before?.notes ?? '', after?.notes ?? ''].map(String) as [string, string]
  return newNotes.startsWith(oldNotes) ? newNotes.slice(oldNotes.length).trim() : ''
}
