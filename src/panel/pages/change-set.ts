// /activity.php?change_set=…: the changes that one request, form or job made. If the changes can be undone, the page
// has a button for that.

import { html } from 'ghtml'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import { historyOperations } from '../../domain/history/operations.ts'
import type { Conflict } from '../../domain/history/undo/conflicts.ts'
import { undoOperations } from '../../domain/history/undo/operations.ts'
import type { SetKind, Undos } from '../../domain/history/undo/undos.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { readUuid } from '../../lib/text.ts'
import { actorNames, changeList, type Entry, readChanges, recordTitles } from '../components/activity/change-list.ts'
import { showTime } from '../components/days.ts'
import { submitButton, undoForm } from '../components/forms/forms.ts'
import { buttonRow, card, pageLinks, relatedList, section } from '../components/sections.ts'
import { resourceTexts } from '../i18n/index.ts'
import { plural } from '../i18n/plural.ts'
import { changeInput } from '../requests/mutation-input.ts'
import { readNumber } from '../requests/read-number.ts'
import type { TenantRequest } from '../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../responses.ts'
import { changeSetUrl, pageUrl, recordUrl, safePagePath } from '../urls.ts'
import { firstSelectedId } from './bulk-edit/selection-form.ts'

const perPage = 25

/** The outcome of an undo or of its preview: the number of reverted records and the undo's change set, or the reason
 *  why the undo is impossible. */
type Outcome = { undone: number; undoChangeSet: string | null } | { conflicts: Conflict[] } | 'too_large'

export async function showChangeSet(request: TenantRequest, given: string, status = 200): Promise<PageResponse> {
  const { texts, query, baseParams } = request
  const changeSet = requireUuid(given)
  const [undos, outcome] = await Promise.all([
    request.deps.engine.run(request.tenant, undoOperations.undosOf, { changeSet }),
    request.canWrite ? runUndo(request, changeSet, true) : undefined,
  ])
  const before = readNumber(query.get('before'))
  const filter = { limit: perPage, changeSet, ...(before !== undefined && { before }) }
  const page = await readChanges(request, filter)
  if (!request.canWrite && page.entries.length === 0 && before === undefined) throw new PageError(404, 'not_found')
  const kind = await kindOf(request, changeSet)
  const isPossible = outcome !== undefined && outcome !== 'too_large' && 'undone' in outcome && outcome.undone > 0
  const { list, rest } = await changeList(request, page.entries, kind === 'undo' ? 'restored' : 'made')
  const from = rest ?? page.before
  const next =
    from === null ? undefined : pageUrl('activity.php', { ...baseParams, change_set: changeSet, before: from })
  const { changes, wasRestored, titles } = texts.undo
  const head = kind === 'change' ? '' : await describeUndo(request, changeSet, undos, { kind, isPossible })
  const form = isPossible && kind === 'change' ? undoCard(request, changeSet, outcome.undone) : ''
  const obstacles = isPossible || kind !== 'change' ? '' : await showObstacles(request, outcome, undos)
  const heading = kind === 'undo' ? wasRestored : changes
  const body = head + form + obstacles + section(heading, list) + pageLinks(texts, { next })
  return { kind: 'page', title: titles[kind], body, status }
}

async function kindOf({ deps, tenant }: TenantRequest, changeSet: string): Promise<SetKind> {
  return (await deps.engine.run(tenant, historyOperations.setKinds, { changeSets: [changeSet] }))[changeSet]!
}

export async function submitUndo(request: TenantRequest): Promise<PageResponse> {
  const { baseParams } = request
  const changeSet = requireUuid(request.query.get('change_set') ?? '')
  const outcome = await runUndo(request, changeSet, false)
  if (outcome === 'too_large' || 'conflicts' in outcome) return showChangeSet(request, changeSet, 409)
  const { undone, undoChangeSet } = outcome
  const isUndo = (await kindOf(request, changeSet)) !== 'undo'
  const text = await outcomeText(request, undoChangeSet ?? changeSet, { count: undone, isUndo })
  const back = request.form.get('back')
  if (back !== null) {
    const toast = { text, changeSet: undoChangeSet, isUndo }
    return { kind: 'redirect', to: `${safePagePath(back)}#${firstSelectedId}`, toast }
  }
  return redirectTo('activity.php', { ...baseParams, change_set: undoChangeSet ?? changeSet }, { text })
}

/** Says what an undo or redo did: “6 people restored.” if all of the change set's records are people. Undoing the
 *  creation of records removes them, and redoing it restores them. */
async function outcomeText(
  request: TenantRequest,
  changeSet: string,
  { count, isUndo }: { count: number; isUndo: boolean },
): Promise<string> {
  const { undo } = request.texts
  const { entries } = await readChanges(request, { limit: perPage, changeSet })
  const [resource, ...others] = new Set(entries.map((each) => each.resource))
  const records = resourceTexts(request.texts, others.length === 0 ? (resource ?? '') : '').count(count)
  const [action, ...otherActions] = new Set(entries.map((each) => each.action))
  if (action === 'delete' && otherActions.length === 0) return undo.removed(records)
  return isUndo || (action === 'create' && otherActions.length === 0) ? undo.done(records) : undo.redone(records)
}

function requireUuid(text: string): string {
  const uuid = readUuid(text)
  if (uuid === undefined) throw new PageError(400, 'bad_request')
  return uuid
}

/** `dryRun`: checks whether the undo is possible, without undoing anything. Throws Unavailable. Throws a PageError if
 *  the change set is unknown. */
async function runUndo(request: TenantRequest, changeSet: string, dryRun: boolean): Promise<Outcome> {
  const { deps, tenant, resources } = request
  const writable = withConfiguration(resources).map(({ name }) => name)
  const input = changeInput(request, { changeSet, dryRun, writable })
  const once = dryRun ? { ...input, idempotency: null } : input
  const response: StoredResponse = await deps.engine.run(tenant, undoOperations.undo, once)
  const body = JSON.parse(response.body)
  if (response.status === 200) return { undone: body.undone, undoChangeSet: body.change_set }
  if (response.status === 409) return { conflicts: body.records }
  if (response.status === 404) throw new PageError(404, 'not_found')
  return 'too_large'
}

function undoCard(request: TenantRequest, changeSet: string, count: number): string {
  const { texts } = request
  const { title, possible } = texts.undo
  const sentence = html`<p>${plural(texts.locale, count, possible)}</p>`
  return card(title, sentence + undoForm(request, changeSet, buttonRow(submitButton(title))))
}

/** Says whose changes this change set undid or made again. The page offers the opposite, unless someone has done it. */
async function describeUndo(
  request: TenantRequest,
  changeSet: string,
  { undone, undoneBy }: Undos,
  { kind, isPossible }: { kind: 'undo' | 'redo'; isPossible: boolean },
): Promise<string> {
  const { undid, redid, undidOlder, redoneBy, alreadyBy, title: undo, redo } = request.texts.undo
  const isUndo = kind === 'undo'
  const what = (await describeSet(request, undone!, isUndo ? undid : redid)) ?? html`<p>${undidOlder}</p>`
  const later = undoneBy === null ? undefined : await describeSet(request, undoneBy, isUndo ? redoneBy : alreadyBy)
  const opposite = isPossible ? undoForm(request, changeSet, buttonRow(submitButton(isUndo ? redo : undo))) : ''
  return html`<div class="card">!${what}!${later ?? opposite}</div>`
}

/** The page lists at most this many conflicts. */
const maxConflicts = 50

async function showObstacles(
  request: TenantRequest,
  outcome: Outcome | undefined,
  { undoneBy }: Undos,
): Promise<string> {
  const { texts } = request
  const { impossible, nothing, tooLarge, inTheWay, more, isUndone, alreadyBy } = texts.undo
  if (undoneBy !== null)
    return card(isUndone, (await describeSet(request, undoneBy, alreadyBy)) ?? html`<p>${nothing}</p>`)
  if (outcome === undefined) return ''
  if (outcome === 'too_large') return card(impossible, html`<p>${tooLarge}</p>`)
  if ('undone' in outcome) return card(impossible, html`<p>${nothing}</p>`)
  const { conflicts } = outcome
  const firstConflicts = conflicts.slice(0, maxConflicts)
  const titles = await recordTitles(request, firstConflicts.map(toRecord))
  const items = firstConflicts.map((each) => {
    const reason = texts.undo.reasons[each.reason]
    return html`<li>!${recordName(request, each, titles(each.resource, each.id))}: ${reason}</li>`
  })
  const remaining = conflicts.length - firstConflicts.length
  const rest = remaining > 0 ? html`<p>${plural(texts.locale, remaining, more)}</p>` : ''
  return card(impossible, html`<p>${inTheWay}</p>!${relatedList(items)}!${rest}`)
}

/** Returns a sentence that says who made a change set and when, with a link to it. Returns undefined if the history no
 *  longer contains the change set. */
async function describeSet(
  request: TenantRequest,
  changeSet: string,
  sentence: (who: string, when: string) => string,
): Promise<string | undefined> {
  const { texts } = request
  const { entries } = await readChanges(request, { changeSet, limit: 1 })
  const [entry] = entries
  if (!entry) return undefined
  const who = (await actorNames(request, entries))(entry)
  const url = changeSetUrl(request, changeSet)
  const what = sentence(html`<bdi>${who}</bdi>`, showTime(texts, entry.at))
  return html`<p>!${what} <a href="${url}">${texts.undo.view}</a></p>`
}

function toRecord({ resource, id }: Conflict): Pick<Entry, 'resource' | 'id' | 'before' | 'after'> {
  return { resource, id, before: null, after: null }
}

/** A deleted record has no title, so its id is shown. */
function recordName(request: TenantRequest, { resource, id }: Conflict, title: string | undefined): string {
  const { one } = resourceTexts(request.texts, resource)
  if (title === undefined) return html`${one} #${id}`
  return html`<a href="${recordUrl(request, resource, id)}">${one} ${title}</a>`
}
