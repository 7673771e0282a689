// Shows a tenant's to-dos: how many records each has, and by name those that somebody has to be asked about.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { Leavers, LeavingHolder } from '../../../domain/summary/leavers.ts'
import type { Summary } from '../../../domain/summary/summary.ts'
import type { Tone } from '../../components/badge.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { includedRecord, type PanelRecord } from '../../components/record-fields.ts'
import { section } from '../../components/sections.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { formatDate, ownText } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { linkRecord, listUrl, pageUrl } from '../../urls.ts'
import { daysUntil, dueBadge, recordName } from '../records/detail/wording.ts'
import { readList } from '../records/queries.ts'
import { leavingDays, loanDays, repairDays, type ToDo, type ToDoName, toDosOf } from './to-dos.ts'

/** `tone`: how urgent the to-do is. `namesItems`: names the first assets and their holders. */
const looks: Record<ToDoName, { icon: IconName; tone: Tone; namesItems?: true }> = {
  left: { icon: 'leave', tone: 'bad' },
  leaving: { icon: 'leave', tone: 'warn' },
  loans: { icon: 'loan', tone: 'bad', namesItems: true },
  due: { icon: 'loan', tone: 'warn', namesItems: true },
  repairs: { icon: 'repair', tone: 'warn', namesItems: true },
  warranties: { icon: 'calendar', tone: 'neutral' },
  contracts: { icon: 'branch', tone: 'neutral' },
  unmarked: { icon: 'tag', tone: 'neutral' },
}

export async function showToDos(request: TenantRequest, summary: Summary, noticeDays: number): Promise<string> {
  const { toDo: title, allClear } = request.texts.home
  const items = await Promise.all(
    toDosOf(summary, noticeDays).map(async (toDo) => {
      const { icon: name, tone, namesItems } = looks[toDo.name]
      const details = namesItems ? await showItems(request, toDo) : showLeavers(request, toDo, summary.leavers)
      const url = listUrl(request, toDo.resource, toDo.params)
      return html`<li data-to-do="${toDo.name}" data-tone="${tone}">!${icon(name)}
<a href="${url}">!${withCount(sentenceOf(request, toDo, noticeDays))}</a>!${details}</li>`
    }),
  )
  const list = items.length === 0 ? html`<p class="none">${allClear}</p>` : html`<ul class="todos">!${items}</ul>`
  return section(title, list)
}

function sentenceOf({ texts }: TenantRequest, { name, count }: ToDo, noticeDays: number): string {
  const days = {
    leaving: leavingDays,
    due: loanDays,
    repairs: repairDays,
    warranties: noticeDays,
    contracts: noticeDays,
  }
  return texts.home.toDos[name](count, ownText(days, name) ?? 0)
}

/** Puts the number with which a sentence begins into an element of its own, so that the numbers form a column. */
function withCount(sentence: string): string {
  const [, count, rest] = /^([\d.,]+) (.*)$/s.exec(sentence) ?? []
  return count === undefined ? html`${sentence}` : html`<b>${count}</b> ${rest!}`
}

/** At most this many assets are named below a to-do. */
const maxItems = 3

/** Names the first assets of a to-do, with their holders and the day on which they are due back. */
async function showItems(request: TenantRequest, toDo: ToDo): Promise<string> {
  const { resources, texts, deps } = request
  const [hardware, employees] = [resourceNamed(resources, 'hardware'), resourceNamed(resources, 'employees')]
  const { records } = await readList(request, hardware, { ...toDo.params, limit: String(maxItems) })
  const link = (resource: typeof hardware, record: PanelRecord) =>
    linkRecord(request, resource.name, record.id, recordName(request, resource, record))
  const items = records.map((record) => {
    const holder = includedRecord(record, 'employee_id')
    const { due_back: day } = record
    const due = typeof day === 'string' ? ` ${dueBadge(texts, daysUntil(texts, deps.now(), day))}` : ''
    const by = holder && html` <small>· !${link(employees, holder)}</small>`
    return html`<li><span>!${link(hardware, record)}!${by}</span>!${due}</li>`
  })
  const rest = toDo.count - records.length
  const more = rest > 0 ? moreLink(request, toDo, texts.home.moreAssets(rest)) : ''
  return html`<ul>!${items}!${more}</ul>`
}

function moreLink(request: TenantRequest, toDo: ToDo, label: string): string {
  return html`<li><small><a href="${listUrl(request, toDo.resource, toDo.params)}">${label}</a></small></li>`
}

/** Lists people below the to-dos `left` and `leaving`. `first`: the people to name below either of the two. After the
 *  last of these people, the page says how many more there are. */
function showLeavers(request: TenantRequest, toDo: ToDo, { people, first }: Leavers): string {
  const isLeft = toDo.name === 'left'
  if (!isLeft && toDo.name !== 'leaving') return ''
  const leavers = first.filter((each) => hasLeft(request, each) === isLeft)
  const more = leavers.length > 0 && leavers.at(-1) === first.at(-1) ? people - first.length : 0
  const rest = more > 0 ? moreLink(request, toDo, request.texts.home.moreLeavers(more)) : ''
  return leavers.length === 0 ? '' : html`<ul>!${leavers.map((each) => showLeaver(request, each))}!${rest}</ul>`
}

function hasLeft({ deps, texts }: TenantRequest, { is_active, end_date }: LeavingHolder): boolean {
  return !is_active || (end_date !== null && end_date < dayOf(texts, deps.now()))
}

function showLeaver(request: TenantRequest, { id, title, end_date, assets }: LeavingHolder): string {
  const { texts, deps } = request
  const { left, leaves, leftEarlier } = texts.home
  const today = dayOf(texts, deps.now())
  const day = end_date === null ? '' : formatDate(texts, end_date)
  const when = end_date === null ? leftEarlier : end_date < today ? left(day) : leaves(day)
  const offboard = pageUrl('offboard.php', { ...request.baseParams, person: id })
  const collect = request.canWrite ? html` <a class="button" href="${offboard}">${texts.home.collect}</a>` : ''
  return html`<li><span>!${linkRecord(request, 'employees', id, title)}
<small>${when} · ${texts.resources.hardware.count(assets)}</small></span>!${collect}</li>`
}
