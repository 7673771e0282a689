// Lists the people and assets that will move when a branch is closed, and later confirms how many have moved.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { ClosingPreview } from '../../../domain/equipment/close-branch/operations.ts'
import type { StoredRecord } from '../../../domain/records/target.ts'
import { titleOf } from '../../components/record-fields.ts'
import { relatedList, section } from '../../components/sections.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { recordUrl } from '../../urls.ts'

type Counts = { people: number; items: number }

/** `target`: the name of the branch that receives the people and assets. */
export function showMoves(request: TenantRequest, preview: ClosingPreview, target: string): string {
  const { texts } = request
  const { preview: lead, empty, thenInactive, willMove } = texts.closeBranch
  if (preview.people + preview.items === 0) return html`<p class="lead">${empty}</p>`
  return html`<p class="lead">${lead(target)}</p>!${figures(texts, preview, willMove)}<p>${thenInactive}</p>`
}

/** Lists the names of the first people and the first assets that will move. */
export function listMoves(request: TenantRequest, preview: ClosingPreview): string {
  const { people, items } = request.texts.closeBranch
  const lists = [
    { resource: 'employees', title: people, first: preview.firstPeople, count: preview.people },
    { resource: 'hardware', title: items, first: preview.firstItems, count: preview.items },
  ]
  return lists.map((list) => recordList(request, list)).join('\n')
}

function figures(texts: Texts, counts: Counts, labels: { people: string; items: string }): string {
  const lines = partsOf(texts, counts, labels).map(({ count, label }) => html`<li><b>${count}</b> ${label}</li>`)
  return html`<ul class="counts">!${lines}</ul>`
}

/** Returns the counts that are not zero, with their nouns. */
function partsOf(texts: Texts, { people, items }: Counts, labels: { people: string; items: string }) {
  const parts = [
    { number: people, resource: 'employees', label: labels.people },
    { number: items, resource: 'hardware', label: labels.items },
  ]
  const moving = parts.filter(({ number }) => number > 0)
  return moving.map(({ number, resource, label }) => ({ count: resourceTexts(texts, resource).count(number), label }))
}

type RecordList = { resource: string; title: string; first: StoredRecord[]; count: number }

/** Lists the first of `count` records. */
function recordList(request: TenantRequest, { resource, title, first, count }: RecordList): string {
  if (first.length === 0) return ''
  const titleFields = resourceNamed(request.resources, resource).title
  const links = first.map((record) => {
    const url = recordUrl(request, resource, record.id)
    return html`<li><a href="${url}"><bdi>${titleOf(record, titleFields)}</bdi></a></li>`
  })
  const remaining = count - first.length
  const more = remaining > 0 ? html`<p>${request.texts.closeBranch.more(remaining)}</p>` : ''
  return section(title, relatedList(links) + more)
}

/** Returns the confirmation: which branch was closed, and how many people and assets have moved. */
export function closedText(texts: Texts, branch: string, counts: Counts): string {
  const { done, moved } = texts.closeBranch
  const parts = partsOf(texts, counts, moved).map(({ count, label }) => `${count} ${label}`)
  return [done(branch), ...(parts.length > 0 ? [`${parts.join(', ')}.`] : [])].join(' ')
}
