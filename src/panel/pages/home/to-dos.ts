// A tenant's to-dos, and the card that shows them. Each to-do is defined by a list query, so its count is always the
// number of records in that list.

import { parse } from 'node:querystring'
import { html } from 'ghtml'
import { type Resources, resourceNamed } from '../../../domain/declarations/resource.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { readListRequest } from '../../../domain/lists/request/request.ts'
import type { Leavers, LeavingHolder } from '../../../domain/summary/leavers.ts'
import type { Summary, SummaryRequest } from '../../../domain/summary/summary.ts'
import { builtInQuery, presentAssets, warrantyQuery } from '../../../domain/views/built-in.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { section } from '../../components/sections.ts'
import { dayIn, dayOf } from '../../i18n/conventions.ts'
import { formatDate } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl, recordUrl } from '../../urls.ts'

/** Equipment held by people who will leave within this many days is a to-do, so that someone can ask for it in time. */
const leavingDays = 14

/** A repair is overdue after this many days. The built-in view uses the same number. */
const repairDays = 14

type ToDoList = { resource: string; query: (noticeDays: number) => string }

/** In order of urgency. */
const toDoLists = {
  left: { resource: 'hardware', query: () => builtInQuery('Held by people who left') },
  leaving: {
    resource: 'hardware',
    query: () => `employee.employment=${leavingDays}d&employee.kind=person&${presentAssets}&sort=employee_id`,
  },
  loans: { resource: 'hardware', query: () => builtInQuery('Loans overdue') },
  repairs: { resource: 'hardware', query: () => builtInQuery('In repair for over 14 days') },
  warranties: { resource: 'hardware', query: warrantyQuery },
  contracts: {
    resource: 'customers',
    query: (days) => `is_active=true&contract_end[gte]=today&contract_end[lte]=${days}d&sort=contract_end`,
  },
  unmarked: { resource: 'hardware', query: () => builtInQuery('Without serial number or asset tag') },
} as const satisfies Record<string, ToDoList>

type ToDoName = keyof typeof toDoLists
const names = Object.keys(toDoLists) as ToDoName[]

/** A to-do with at least one record. `params`: the parameters of its list. */
type ToDo = { name: ToDoName; resource: string; params: Record<string, string>; count: number }

/** `timeZone` and `noticeDays`: the values of the tenant's `time_zone` and `warranty_notice_days` settings. */
type SummaryInput = { resources: Resources; listTimeoutMs: number; now: Date; timeZone: string; noticeDays: number }

/** Returns the request for a summary that contains the counts of all to-dos. */
export function summaryRequest(input: SummaryInput): SummaryRequest {
  const { resources, listTimeoutMs, now, timeZone, noticeDays } = input
  const toDay = (moment: Date) => dayIn(timeZone, moment)
  const lists = names.map((name) => {
    const { resource } = toDoLists[name]
    const scope = { resource: resourceNamed(resources, resource), resources, now, toDay }
    const params = paramsOf(name, noticeDays)
    const { cursor, ...listRequest } = readListRequest(params, scope)
    return { resource, query: { ...listRequest, after: null, timeoutMs: listTimeoutMs } }
  })
  const leavingBy = daysAfter(toDay(now), leavingDays)
  return { lists, leavingBy, timeoutMs: listTimeoutMs }
}

function paramsOf(name: ToDoName, noticeDays: number): Record<string, string> {
  return { ...parse(toDoLists[name].query(noticeDays)) } as Record<string, string>
}

function toDosOf({ lists }: Summary, noticeDays: number): ToDo[] {
  return names.flatMap((name, index) => {
    const { resource } = toDoLists[name]
    const count = lists[index]!
    return count === 0 ? [] : [{ name, resource, params: paramsOf(name, noticeDays), count }]
  })
}

/** Returns the total number of records in all to-dos. */
export function countToDos({ lists }: Summary): number {
  return lists.reduce((sum, count) => sum + count, 0)
}

const icons: Record<ToDoName, IconName> = {
  left: 'leave',
  leaving: 'leave',
  loans: 'loan',
  repairs: 'repair',
  warranties: 'calendar',
  contracts: 'branch',
  unmarked: 'tag',
}

export function showToDos(request: TenantRequest, summary: Summary, noticeDays: number): string {
  const { toDo, allClear } = request.texts.home
  const toDos = toDosOf(summary, noticeDays)
  const items = toDos.map((each) => {
    const url = pageUrl('records.php', { ...request.baseParams, resource: each.resource, ...each.params })
    const people = showLeavers(request, each.name, summary.leavers)
    return html`<li data-to-do="${each.name}">!${icon(icons[each.name])}
<a href="${url}">${sentenceOf(request, each, noticeDays)}</a>!${people}</li>`
  })
  const list = items.length === 0 ? html`<p class="none">${allClear}</p>` : html`<ul class="todos">!${items}</ul>`
  return section(toDo, list)
}

function sentenceOf({ texts }: TenantRequest, { name, count }: ToDo, noticeDays: number): string {
  const sentences = texts.home.toDos
  switch (name) {
    case 'leaving':
      return sentences.leaving(count, leavingDays)
    case 'repairs':
      return sentences.repairs(count, repairDays)
    case 'warranties':
      return sentences.warranties(count, noticeDays)
    case 'contracts':
      return sentences.contracts(count, noticeDays)
    default:
      return sentences[name](count)
  }
}

/** Lists people below the to-dos `left` and `leaving`. `first`: the people to name below either of the two. After the
 *  last of these people, the page says how many more there are. */
function showLeavers(request: TenantRequest, toDo: ToDoName, { people, first }: Leavers): string {
  if (toDo !== 'left' && toDo !== 'leaving') return ''
  const leavers = first.filter((each) => hasLeft(request, each) === (toDo === 'left'))
  const more = leavers.length > 0 && leavers.at(-1) === first.at(-1) ? people - first.length : 0
  const rest = more > 0 ? html`<li>${request.texts.home.moreLeavers(more)}</li>` : ''
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
  const collect = request.canWrite ? html` <small><a href="${offboard}">${texts.home.collect}</a></small>` : ''
  return html`<li><a href="${recordUrl(request, 'employees', id)}"><bdi>${title}</bdi></a>
<small>${when} · ${texts.resources.hardware.count(assets)}</small>!${collect}</li>`
}
