// What moves when a branch is closed, and what has moved.

import { html } from 'ghtml'
import { resourceNamed } from '../../../resources/resource.ts'
import type { ClosingPreview } from '../../../storage/operations/close-branch.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { relatedList, section } from '../../components/sections.ts'
import { resourceTexts, type Texts } from '../../i18n/index.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { recordUrl } from '../../urls.ts'
import { undoForm } from '../bulk-edit/result.ts'
import type { RecordRequest } from '../records/request.ts'

type Counts = { people: number; items: number }

/** `target`: the name of the branch to which everything goes. */
export function showMoves(request: RecordRequest, found: ClosingPreview, target: string): string {
  const { texts } = request
  const { preview, empty, thenInactive, people, items, willMove } = texts.closeBranch
  if (found.people + found.items === 0) return html`<p class="lead">${empty}</p>`
  return html`<p class="lead">${preview(target)}</p>
!${figures(texts, found, willMove)}
!${recordList(request, 'employees', people, found.firstPeople, found.people)}
!${recordList(request, 'hardware', items, found.firstItems, found.items)}
<p>${thenInactive}</p>`
}

function figures(texts: Texts, { people, items }: Counts, labels: { people: string; items: string }): string {
  const counts = [
    [people, 'employees', labels.people],
    [items, 'hardware', labels.items],
  ] as const
  const shown = counts.filter(([count]) => count > 0)
  const lines = shown.map(
    ([count, resource, label]) => html`<li><b>${resourceTexts(texts, resource).count(count)}</b> ${label}</li>`,
  )
  return html`<ul class="figures">!${lines}</ul>`
}

/** The first of `count` records. */
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
  const left = count - first.length
  const more = left > 0 ? html`<p>${request.texts.closeBranch.more(left)}</p>` : ''
  return section(title, relatedList(links) + more)
}

/** The confirmation, with a button to undo it. */
export function showClosed(request: RecordRequest, branch: PanelRecord): PageResponse {
  const { texts, query } = request
  const changeSet = /^[0-9a-f-]{36}$/.exec(query.get('done') ?? '')?.[0]
  if (!changeSet) throw new PageError(404, 'not_found')
  const count = (name: string) => Number(/^\d{1,9}$/.exec(query.get(name) ?? '')?.[0] ?? 0)
  const { done, moved } = texts.closeBranch
  const counts = { people: count('people'), items: count('items') }
  const body = html`!${figures(texts, counts, moved)}!${undoForm(request, changeSet)}`
  return { kind: 'page', title: done(titleOf(branch)), body }
}
