// A record's page as of a past day: the values that the record had then.

import { html } from 'ghtml'
import { filtersOf } from '../../../../domain/lists/request/options.ts'
import { emptyState } from '../../../components/sections.ts'
import { resourceTexts } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import type { PageResponse } from '../../../responses.ts'
import { listUrl, recordUrl } from '../../../urls.ts'
import { formatPastMoment, pastNote, timeOf, toPastRequest } from '../past.ts'
import { readList, referringLists } from '../queries.ts'
import { holderCard } from './assignments.ts'
import { factCards } from './facts.ts'
import { recordHead } from './head.ts'
import { recordName } from './wording.ts'

/** `past`: a past day or time. */
export async function showPastRecord(request: RecordRequest, id: number, past: string): Promise<PageResponse> {
  const { resource, resources, texts } = request
  const day = formatPastMoment(texts, past)
  const note = pastNote(texts, texts.recordPages.asOfNote(day), recordUrl(request, resource.name, id))
  const include = filtersOf(resource, resources).includes.map(({ name }) => name)
  const params = { 'id[in]': String(id), as_of: timeOf(texts, past), include: include.join(',') }
  const [record] = (await readList(request, resource, params)).records
  if (!record) {
    const body = note + emptyState(texts.recordPages.notThen(day))
    return { kind: 'page', title: `${resourceTexts(texts, resource.name).one} #${id}`, body, status: 404 }
  }
  const pastRequest = toPastRequest(request, past)
  const body = html`!${note}!${recordHead(pastRequest, record)}
<div class="columns main-aside"><div>!${holderCard(pastRequest, record)}!${factCards(pastRequest, record)}</div>
<div>!${heldLinks(pastRequest, id)}</div></div>`
  return { kind: 'page', title: recordName(request, resource, record), bodyHasHeading: true, body }
}

/** Renders links to the lists of the records that belonged to this one. */
function heldLinks(request: RecordRequest, id: number): string {
  const links = referringLists(request).map(({ from, filter }) => {
    const url = listUrl(request, from.name, { [filter.name]: id })
    return html`<h2><a href="${url}">${resourceTexts(request.texts, from.name).many}</a></h2>`
  })
  return links.join('')
}
