// The actions on the pages for assets, people and storage locations, rendered as buttons and links.

import { html } from 'ghtml'
import { offeredVerbs, stateOf, type VerbName } from '../../../domain/equipment/verbs.ts'
import { summaryOperations } from '../../../domain/summary/operations.ts'
import { tagRecord } from '../../../engine/responses/stored-response.ts'
import { stateBadge } from '../../components/badge.ts'
import { form, hiddenField, onceField } from '../../components/forms/forms.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { includedRecord, type PanelRecord } from '../../components/record-fields.ts'
import { amountInput, formatWholeAmount } from '../../i18n/conventions.ts'
import { choiceLabel, formatNumber, resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { linkRecord, listUrl, pageUrl } from '../../urls.ts'
import { daysUntil, dueBadge } from '../records/detail/wording.ts'
import { detailsOf, type Item, listItems, withTag } from './items.ts'

/** Verbs that bring an asset back. One click performs such a verb, because it does not require any answers. */
const immediateVerbs: readonly VerbName[] = ['return', 'back_from_repair']

const icons: Record<VerbName, IconName> = {
  back_from_repair: 'return',
  assign: 'assign',
  return: 'return',
  hand_over: 'assign',
  lend: 'loan',
  send_to_repair: 'repair',
  move: 'move',
  report_lost: 'lost',
  retire: 'retire',
}

/** `shown`: buttons and links, with the primary action first. `more`: the actions in the menu. */
export type Actions = { shown: string[]; more: string[] }

/** Up to `maxFrequent` of these verbs are shown next to the primary action, if the asset's state allows them. */
const frequentVerbs: readonly VerbName[] = ['hand_over', 'send_to_repair', 'lend']
const maxFrequent = 2

/** Returns the actions that an asset's state allows. `item` must include its holder. */
export function itemActions(request: TenantRequest, item: PanelRecord): Actions {
  const [first, ...others] = offeredVerbs(stateOf(item, includedRecord(item, 'employee_id')))
  const secondary = frequentVerbs.filter((name) => others.includes(name)).slice(0, maxFrequent)
  const rest = others.filter((name) => !secondary.includes(name))
  const action = (name: VerbName) => itemAction(request, item, name, name === first)
  const shown = first === undefined ? [] : [first, ...secondary]
  return { shown: shown.map(action), more: [...rest.map(action), addAnotherLink(request, item)] }
}

/** The fields whose values are usually the same for assets that were bought together. */
const copiedFields = [
  'type',
  'name',
  'manufacturer',
  'model',
  'purchase_date',
  'warranty_end',
  'is_loaner',
  'employee_id',
  'status',
] as const

const textOf = (value: PanelRecord[string] | undefined) => ((value ?? null) === null ? null : String(value))

/** Returns a link to the form for a new asset, prefilled with values from this asset. */
function addAnotherLink({ texts, baseParams: { tenant } }: TenantRequest, item: PanelRecord): string {
  const values = Object.fromEntries(copiedFields.map((name) => [name, textOf(item[name])]))
  const cost = item.purchase_cost === null ? null : amountInput(texts, Number(item.purchase_cost))
  const params = { tenant, resource: 'hardware', new: 1, ...values, purchase_cost: cost }
  return html`<a class="button" href="${pageUrl('records.php', params)}">!${icon('copy')}${texts.verbs.addAnother}</a>`
}

function itemAction(request: TenantRequest, item: PanelRecord, name: VerbName, isMain: boolean): string {
  const { texts, baseParams } = request
  const label = texts.verbs.names[name]
  const { tenant } = baseParams
  if (!immediateVerbs.includes(name)) {
    const url = pageUrl('assign.php', { tenant, do: name, ids: item.id })
    return html`<a class="button${isMain ? ' main' : ''}" href="${url}">!${icon(icons[name])}${label}</a>`
  }
  const { employee: _, ...record } = item
  const { etag } = tagRecord(record)
  const fields = [onceField(), hiddenField('ids', String(item.id)), hiddenField(`etag.${item.id}`, etag)]
  const button = html`<button!${isMain ? ' class="main"' : ''}>!${icon(icons[name])}${label}</button>`
  return form(request, pageUrl('assign.php', { tenant, do: name }), fields.join('') + button, { className: 'inline' })
}

/** Returns the actions for a person. Storage locations, and people who have left, have no actions. */
export function personActions({ texts, baseParams: { tenant } }: TenantRequest, person: PanelRecord): Actions {
  if (person.kind === 'storage' || !person.is_active) return { shown: [], more: [] }
  const give = pageUrl('assign.php', { tenant, person: person.id })
  const offboard = pageUrl('offboard.php', { tenant, person: person.id })
  const offboardLink = html`<a class="button" href="${offboard}">!${icon('leave')}${texts.verbs.offboard}</a>`
  const giveLink = html`<a class="button main" href="${give}">!${icon('assign')}${texts.verbs.give}</a>`
  return { shown: [giveLink, offboardLink], more: [] }
}

/** A holder's page lists at most this many assets. */
const maxHeld = 50

/** Lists the assets that a person or storage location holds. Users who can write also get checkboxes, and buttons
 *  that act on the ticked assets. */
export async function heldItems(request: TenantRequest, holder: PanelRecord): Promise<string> {
  const { texts, canWrite, baseParams, deps, tenant } = request
  const params = { employee_id: String(holder.id), sort: '-id', limit: String(maxHeld) }
  const [items, total] = await Promise.all([
    listItems(request, params),
    deps.engine.run(tenant, summaryOperations.holderSummary, { id: holder.id, timeoutMs: deps.listTimeoutMs }),
  ])
  const labels = resourceTexts(texts, 'hardware')
  const url = listUrl(request, 'hardware', { employee_id: holder.id })
  const cost = total.cost > 0 ? ` · ${texts.home.value}: ${formatWholeAmount(texts, total.cost)}` : ''
  const count = items.length > 0 ? html` <small>${formatNumber(texts, total.assets)}${cost}</small>` : ''
  const head = html`<h2><a href="${url}">${labels.many}</a>!${count}</h2>`
  if (items.length === 0)
    return html`<section class="card">!${head}<p class="none">${texts.verbs.holdsNothing}</p></section>`
  const rows = items.map((item) => heldItem(request, item))
  const more = total.assets > items.length ? html`<p><a href="${url}">${labels.all}</a></p>` : ''
  const list = html`<ul class="picks">!${rows}</ul>!${more}`
  if (!canWrite) return html`<section class="card held">!${head}!${list}</section>`
  const verbs: VerbName[] = holder.kind === 'storage' ? ['assign', 'move'] : ['return', 'hand_over']
  const buttons = verbs.map((name) => html`<button name="do" value="${name}">${texts.verbs.names[name]}</button>`)
  const content = html`!${onceField()}!${hiddenField('from', String(holder.id))}!${list}
<p class="actions">!${buttons}</p>`
  const action = pageUrl('assign.php', { tenant: baseParams.tenant })
  return html`<section class="card held">!${head}!${form(request, action, content)}</section>`
}

function heldItem(request: TenantRequest, item: Item): string {
  const { texts, canWrite, deps } = request
  const link = withTag(request, item, linkRecord(request, 'hardware', item.id, item.name))
  const { status: name } = item.state
  const { due_back: day } = item.record
  const due = typeof day === 'string' ? html`!${dueBadge(texts, daysUntil(texts, deps.now(), day))} ` : ''
  const status = due + stateBadge(name, choiceLabel(texts, name))
  const more = html`<small><bdi>${detailsOf(texts, item, 'without holder').join(' · ')}</bdi></small>`
  if (!canWrite) return html`<li><span class="grow">!${link} !${more}</span>!${status}</li>`
  const box = html`<input type="checkbox" name="ids" value="${item.id}" aria-label="${item.name}">`
  return html`<li>!${box}<span class="grow">!${link} !${more}</span>!${status}</li>`
}
