// Renders a collapsed list of the assets that a person held in the past. For each asset, the list shows the last day
// on which the person held it and, if known, the first.

import { html } from 'ghtml'
import { resourceNamed } from '../../../../domain/declarations/resource.ts'
import type { PastItem } from '../../../../domain/history/assignments.ts'
import { historyOperations } from '../../../../domain/history/operations.ts'
import { type PanelRecord, titleOf } from '../../../components/record-fields.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { formatDate, type Texts } from '../../../i18n/index.ts'
import { readRecords } from '../../../read-records.ts'
import { recordUrl } from '../../../urls.ts'
import type { RecordRequest } from '../request.ts'

/** The page lists at most this many assets, the latest first. */
const maxShown = 50

/** Returns an empty string for storage locations, and for people without past assets. */
export async function pastItems(request: RecordRequest, { id, kind }: PanelRecord): Promise<string> {
  const { deps, tenant, resources, texts } = request
  if (kind === 'storage') return ''
  const input = { holder: id, limit: maxShown, timeoutMs: deps.listTimeoutMs }
  const items = await deps.storage.run(tenant, historyOperations.pastItems, input)
  if (items.length === 0) return ''
  const hardware = resourceNamed(resources, 'hardware')
  const records = await readRecords(request, hardware, [...new Set(items.map((item) => item.id))])
  const names = new Map(records.map((each) => [each.id, titleOf(each, hardware.title)]))
  const list = items.map(
    (item) => html`<li>!${itemLink(request, item, names)} <small>${period(texts, item)}</small></li>`,
  )
  return html`<details><summary>${texts.recordPages.pastItems} <small>${items.length}</small></summary>
<ol class="related">!${list}</ol></details>`
}

/** A deleted asset has no title, so its id is shown. */
function itemLink(request: RecordRequest, { id }: PastItem, names: Map<number, string>): string {
  return html`<a href="${recordUrl(request, 'hardware', id)}"><bdi>${names.get(id) ?? `#${id}`}</bdi></a>`
}

function period(texts: Texts, { from, to }: PastItem): string {
  const [start, end] = [from, to].map((moment) => moment && formatDate(texts, dayOf(texts, new Date(moment))))
  return start === null ? texts.recordPages.until(end!) : `${start} – ${end}`
}
