// Lists the people and assets that will move when a branch is closed, and later confirms how many have moved.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { ClosingPreview } from '../../../domain/equipment/close-branch/operations.ts'
import { titleOf } from '../../components/record-fields.ts'
import { relatedList, section } from '../../components/sections.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import { recordUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'

type Counts = { people: number; items: number }

/** `target`: the name of the branch that receives the people and assets. */
export function showMoves(request: RecordRequest, found: ClosingPreview, target: string): string {
  const { texts } = request
  const { preview, empty, thenInactive, willMove } = texts.closeBranch
  if (found.people + found.items === 0) return html`<p class="lead">${empty}</p>`
  return html`<p class="lead">${preview(target)}</p>!${figures(texts, found, willMove)}<p>${thenInactive}</p>`
}

/** Lists the names of the first people and the first assets that will move. */
export function listMoves(request: RecordRequest, found: ClosingPreview): string {
  const { people, items } = request.texts.closeBranch
  return html`!${recordList(request, 'employees', people, found.firstPeople, found.people)}
!${recordList(request, 'hardware', items, found.firstItems, found.items)}`
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
  const shown = parts.filter(({ number }) => number > 0)
  return shown.map(({ number, resource, label }) => ({ count: resourceTexts(texts, resource).count(number), label }))
}

/** Lists the first of `count` records. */
function recordList(
  request: RecordRequest,
  name: string,
  title: string,
  first: readonly { id: number; [name: string]: unknown }[],
  count: number,
): string {
  if (first.length === 0) return ''
  const resource = resourceNamed(request.resources, name)
  const links = first.map((record) => {
    const url = recordUrl(request, name, record.id)
    return html`<li><a href="${url}"><bdi>${titleOf(record, resource.title)}</bdi></a></li>`
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
