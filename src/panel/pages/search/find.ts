// Runs a search in a single tenant, and renders its form and its results: each record's title, its details, and the
// fields that contain a search word.

import { html } from 'ghtml'
import { isCode, type Resource, resourceNamed } from '../../../domain/declarations/resource.ts'
import { compactCode, fold, wordsOf } from '../../../domain/search/fold.ts'
import { type SearchGroup, searchOperations } from '../../../domain/search/operations.ts'
import type { TenantLocation } from '../../../engine/tenant-databases.ts'
import { stateBadge } from '../../components/badge.ts'
import { hiddenFields } from '../../components/forms/forms.ts'
import { excerpt, highlight, isFoundIn } from '../../components/highlight.ts'
import { type IconName, icon } from '../../components/icons.ts'
import { includedRecord, type PanelRecord, separator, titleFieldOf, titleOf } from '../../components/record-fields.ts'
import { choiceLabel, fieldLabel, type Texts } from '../../i18n/index.ts'
import type { PanelDependencies, SignedInRequest, TenantRequest } from '../../requests/request.ts'
import type { Presentation } from '../../resources/presentation.ts'

/** The results for one resource. `total`: how many records match; a lower bound if `hasMore` is true. `exactMatches`:
 *  the records that the text identifies, for example by tag or serial number. `titleMatches`: the people, assets and
 *  branches whose name is the text. */
export type ResultGroup = {
  resource: string
  records: PanelRecord[]
  total: number
  hasMore: boolean
  exactMatches: PanelRecord[]
  titleMatches: PanelRecord[]
}

function isIdentifiedBy({ identifiers }: Presentation, record: PanelRecord, text: string): boolean {
  const typed = compactCode(fold(text))
  return identifiers.some((name) => compactCode(fold(String(record[name] ?? ''))) === typed)
}

/** Search text is truncated to this many characters. */
const maxLength = 200

export function searchedText({ query }: Pick<SignedInRequest, 'query'>): string {
  return toSearchedText(query.get('q') ?? '')
}

/** Removes characters that no record contains, and limits the length. */
export function toSearchedText(typed: string): string {
  return typed.replaceAll('\0', '').toWellFormed().trim().slice(0, maxLength)
}

/** Returns what a search in all resources looks for. `limit`: the number of results per resource. */
export function allGroups({ inMenuOrder, resources }: PanelDependencies, limit: number): SearchGroup[] {
  return inMenuOrder(resources).map(({ name }) => ({ resource: name, limit }))
}

/** Searches the records of one or more resources. Throws Unavailable and TooSlow (engine/database/database.ts). */
export async function findRecords(
  { engine, listTimeoutMs, resources, presentationOf }: PanelDependencies,
  { tenant }: { tenant: TenantLocation },
  text: string,
  groups: readonly SearchGroup[],
): Promise<ResultGroup[]> {
  const foundGroups = await engine.run(tenant, searchOperations.search, { text, groups, timeoutMs: listTimeoutMs })
  return foundGroups.map(({ resource, data, total, hasMore, exact }) => {
    const records: PanelRecord[] = JSON.parse(`[${data}]`)
    const presentation = presentationOf(resourceNamed(resources, resource))
    const exactMatches = records.filter(
      (record) => exact.includes(record.id) && isIdentifiedBy(presentation, record, text),
    )
    const { title } = resourceNamed(resources, resource)
    const titleMatches = records.filter((record) => {
      const ownTitle = String(record[titleFieldOf(record, title) ?? 'id'])
      return record.kind !== 'storage' && wordsOf(ownTitle).join(' ') === wordsOf(text).join(' ')
    })
    return { resource, records, total, hasMore, exactMatches, titleMatches }
  })
}

/** Returns the URL of the one record that the text identifies or names; undefined if there are none or several. */
export function onlyMatch(
  groups: readonly ResultGroup[],
  urlOf: (group: ResultGroup, id: number) => string,
): string | undefined {
  for (const kind of ['exactMatches', 'titleMatches'] as const) {
    const urls = groups.flatMap((group) => group[kind].map(({ id }) => urlOf(group, id)))
    if (urls.length > 0) return urls.length === 1 ? urls[0] : undefined
  }
  return undefined
}

/** Renders the search page's form. If the request is not about a tenant, the form searches all tenants that the user
 *  can open. */
export function searchForm(request: SignedInRequest | TenantRequest, text: string): string {
  const { texts } = request
  const tenant = 'baseParams' in request ? request.baseParams.tenant : undefined
  const { fieldLabel } = texts.search
  return html`<form action="search.php" role="search" class="search-page">!${hiddenFields({ tenant })}
<input type="search" name="q" value="${text}" dir="auto" aria-label="${fieldLabel}" placeholder="${fieldLabel}"
 autocomplete="off" spellcheck="false" maxlength="200"!${text === '' ? ' autofocus' : ''}>
<button class="main">${texts.records.search}</button></form>`
}

/** `texts`: adapted to the tenant's conventions if these are known. */
type ResultOptions = { deps: PanelDependencies; texts: Texts; resource: Resource; text: string }

/** The title with the code beside it, and the details, are HTML in which the search words are marked. */
export type Result = { icon: IconName; titleHtml: string; detailsHtml: string }

export function toResult({ deps, texts, resource, text }: ResultOptions, record: PanelRecord): Result {
  const words = [...wordsOf(text), compactCode(wordsOf(text).join(''))].filter(Boolean)
  const title = titleOf(record, resource.title, texts)
  const presentation = deps.presentationOf(resource)
  const { code: codeField } = presentation
  const fields = showFields({ texts, resource, presentation }, record, words)
  const state = stateOf(texts, record)
  const details = [...fields, ...relatedTitles(resource, record, words)].toSorted(
    (one, other) => rankOf(one) - rankOf(other),
  )
  const code = codeField === undefined ? null : record[codeField]
  const isCoded = typeof code === 'string' && code !== title
  const codeHtml = isCoded ? html` <code>!${highlight(code, words, true)}</code>` : ''
  return {
    icon: presentation.iconOf(record),
    titleHtml: html`<b dir="auto">!${highlight(title, words, title === code)}</b>!${codeHtml}`,
    detailsHtml: [...(state ? [state] : []), ...details].join(separator),
  }
}

/** Details that contain a search word come first, because narrow screens cut off the end. */
function rankOf(detailHtml: string): number {
  return detailHtml.includes('<mark>') ? 0 : 1
}

/** Renders a group's results as list items. `urlOf`: returns the URL of the page for a record. */
export function resultItems(
  { deps, texts }: Pick<SignedInRequest, 'deps' | 'texts'>,
  text: string,
  { resource: name, records }: ResultGroup,
  urlOf: (id: number) => string,
): string[] {
  const resource = resourceNamed(deps.resources, name)
  return records.map((record) => {
    const { icon: iconName, titleHtml, detailsHtml } = toResult({ deps, texts, resource, text }, record)
    return html`<li><a href="${urlOf(record.id)}">!${icon(iconName)}<span class="result">
<span>!${titleHtml}</span>
<small>!${detailsHtml}</small></span></a></li>`
  })
}

type ShownFields = { texts: Texts; resource: Resource; presentation: Presentation }

/** Shows an asset's status. For other records, shows whether the record is a storage location or inactive. */
function stateOf(texts: Texts, { status, kind, is_active: isActive }: PanelRecord): string {
  if (typeof status === 'string') return stateBadge(status, choiceLabel(texts, status))
  if (kind === 'storage') return html`${choiceLabel(texts, 'storage')}`
  return isActive === false ? stateBadge('inactive', texts.search.inactive) : ''
}

/** Returns the fields that are always shown, and those that contain a search word (with their labels). The code is
 *  shown beside the title instead. */
function showFields({ texts, resource, presentation }: ShownFields, record: PanelRecord, words: string[]): string[] {
  const { code: codeField, searchFacts: facts } = presentation
  const title = titleOf(record, resource.title, texts)
  return Object.keys(resource.fields).flatMap((name) => {
    const [field, value] = [resource.fields[name]!, record[name]]
    if (typeof value !== 'string' || value === '' || value === title || name === codeField) return []
    if (!presentation.hasField(record, name)) return []
    if (field.kind !== 'text' && field.kind !== 'email') return []
    const isFound = isFoundIn(value, words, isCode(field))
    if (!isFound && !facts.includes(name)) return []
    const marked = highlight(excerpt(value, words), words, isCode(field))
    return [
      facts.includes(name) ? html`<bdi>!${marked}</bdi>` : html`${fieldLabel(texts, name)}: <bdi>!${marked}</bdi>`,
    ]
  })
}

/** Returns the titles of related records, such as an asset's holder and that holder's branch. */
function relatedTitles(resource: Resource, record: PanelRecord, words: string[]): string[] {
  const references = Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'reference')
  return references.flatMap((name) => {
    const to = includedRecord(record, name)
    if (!to) return []
    const further = includedRecord(to, 'customer_id')
    const titles = [titleOf(to, ['name', 'email']), ...(further ? [titleOf(further)] : [])]
    return [...new Set(titles)].map((title) => html`<bdi>!${highlight(title, words)}</bdi>`)
  })
}
