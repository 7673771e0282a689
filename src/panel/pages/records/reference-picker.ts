// Lets users search for the record that a reference points to: with a button, or while typing if scripts are on.

import { html } from 'ghtml'
import { type Field, type Resource, resourceNamed } from '../../../resources/resource.ts'
import { titleOf } from '../../components/record-fields.ts'
import { fieldLabel } from '../../i18n/index.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { findRecord, readList } from './queries.ts'
import type { RecordRequest } from './request.ts'

type Reference = Field & { kind: 'reference' }
type Choice = { id: number; title: string; more: string }

/** The number of options shown at a time. */
const maxOptions = 8

/** Renders the options of a reference: the current one first, then the search results or the newest records. */
export async function pickOptions(
  request: RecordRequest,
  name: string,
  field: Reference,
  value: unknown,
): Promise<string> {
  const { texts, form } = request
  const resource = resourceNamed(request.resources, field.to)
  const words = form.get(`find.${name}`) ?? ''
  const current = await findCurrentChoice(request, resource, value)
  const found = await search(request, resource, words)
  const source = pageUrl('records.php', { ...request.baseParams, resource: resource.name, pick: name })
  const label = texts.records.search
  return html`<div class="picker" data-source="${source}">
<div class="find">
<input type="search" name="find.${name}" value="${words}" aria-label="${label}: ${fieldLabel(texts, name)}"
 placeholder="${label}" autocomplete="off">
<button name="find" value="${name}" formnovalidate>${label}</button>
</div>
<div class="options">!${options(request, name, current, found)}</div>
</div>`
}

/** Renders the options for panel.js, while the user types. */
export async function showOptions(request: RecordRequest): Promise<PageResponse> {
  const { query, resource } = request
  const name = query.get('pick')!
  const current = await findCurrentChoice(request, resource, query.get('chosen'))
  const found = await search(request, resource, query.get('q') ?? '')
  return { kind: 'fragment', body: options(request, name, current, found) }
}

async function findCurrentChoice(
  request: RecordRequest,
  resource: Resource,
  value: unknown,
): Promise<Choice | undefined> {
  const id = Number(value ?? 0)
  const found = Number.isSafeInteger(id) && id > 0 ? await findRecord(request, resource, id) : undefined
  return found && toChoice(resource, found.record)
}

async function search(request: RecordRequest, resource: Resource, words: string): Promise<Choice[]> {
  const q = words.replaceAll('\0', '').toWellFormed().trim().slice(0, 100)
  const params = { limit: String(maxOptions), sort: '-id', ...(q && { q: q.split(/\s+/).slice(0, 10).join(' ') }) }
  const { records } = await readList(request, resource, params)
  return records.map((record) => toChoice(resource, record))
}

/** `more`: text that tells records with the same title apart, such as an email address, a city or a code. */
function toChoice(resource: Resource, record: { id: number; [name: string]: unknown }): Choice {
  const title = titleOf(record, resource.title)
  const others = Object.keys(resource.fields).filter((name) => ['text', 'email'].includes(resource.fields[name]!.kind))
  const known = others.map((name) => record[name]).filter((value) => typeof value === 'string' && value !== title)
  return { id: record.id, title, more: known.slice(0, 2).join(' · ') }
}

function options({ texts }: RecordRequest, name: string, current: Choice | undefined, found: Choice[]): string {
  const others = found.filter(({ id }) => id !== current?.id)
  const all = [...(current ? [current] : []), ...others]
  if (all.length === 0) return html`<p class="none">${texts.records.nothingFound}</p>`
  const radios = all.map(({ id, title, more }) => {
    const checked = id === current?.id ? ' checked' : ''
    return html`<label><input type="radio" name="${name}" value="${id}"!${checked}>
${title} <small>${more}</small></label>`
  })
  return radios.join('')
}
