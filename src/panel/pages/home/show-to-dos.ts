// The to-dos on the home page, each with a link to its list. The page also names some of the people who have left or
// will leave soon.

import { html } from 'ghtml'
import type { Leavers, LeavingHolder } from '../../../domain/summary/leavers.ts'
import type { Summary } from '../../../domain/summary/summary.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { section } from '../../components/sections.ts'
import { dayOf } from '../../i18n/conventions.ts'
import { formatDate } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl, recordUrl } from '../../urls.ts'
import { leavingDays, repairDays, type ToDo, type ToDoName, toDosOf } from './to-dos.ts'

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
