// The filters that a list offers, in chips that open small forms. The chip of an active filter holds its value. If
// scripts are enabled, a select applies its filter at once. Otherwise the user presses the form's button.

import { html } from 'ghtml'
import { type Resource, resourceNamed } from '../../../domain/declarations/resource.ts'
import { filtersOf } from '../../../domain/lists/request/options.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import { comboboxFields } from '../../components/forms/combobox.ts'
import { type Choice, filterSelect, hiddenFields, yesNoChoices } from '../../components/forms/forms.ts'
import { withSuggestions } from '../../components/forms/record-inputs.ts'
import { activeChip, chip } from '../../components/menu.ts'
import { titleOf } from '../../components/record-fields.ts'
import { amountInput } from '../../i18n/conventions.ts'
import { choiceLabel, fieldLabel, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { RecordRequest } from '../../requests/request.ts'
import type { ListFilter } from '../../resources/presentation.ts'
import { readList } from '../records/queries.ts'
import { type ChooserField, chooser, readChosen } from '../search/choices.ts'
import { describeFilter, filterLabel, wordLabel } from './filter-labels.ts'
import { addressParams, type ListState, stateUrl, typedName, withoutFilters } from './state.ts'

/** If there are more records than this, users search for them instead of choosing from a select. */
const maxOffered = 100

/** Each of the first filters and each active filter has a chip. The other filters share the last one. */
export async function filterChips(request: RecordRequest, state: ListState): Promise<string> {
  const { texts, resource, resources, presentation } = request
  const supported = filtersOf(resource, resources).filters
  const isSupported = ({ name }: ListFilter) => supported.some((each) => each.name === name)
  const isActive = (filter: ListFilter) => Object.keys(state.filters).some((name) => belongsTo(name, filter))
  const [first, more] = [presentation.filters.first.filter(isSupported), presentation.filters.more.filter(isSupported)]
  const chipFilters = [...first, ...more.filter(isActive)]
  const sharedFilters = more.filter((filter) => !isActive(filter))
  const suggested = await readSuggestions(request, [...chipFilters, ...sharedFilters])
  const show = (filter: ListFilter) => control(request, state, filter, suggested)
  const chips = chipFilters.map(async (filter) => {
    const body = filterForm(request, state, [filter], await show(filter))
    const names = Object.keys(state.filters).filter((name) => belongsTo(name, filter))
    return names.length > 0 ? removableChip(request, state, names, body) : chip(filterLabel(texts, filter.name), body)
  })
  const others = Object.keys(state.filters).filter((name) => !chipFilters.some((filter) => belongsTo(name, filter)))
  const withoutForm = others.map((name) => removableChip(request, state, [name]))
  const grid = html`<div class="grid">!${await Promise.all(sharedFilters.map(show))}</div>`
  const shared = chip(texts.lists.more, filterForm(request, state, sharedFilters, grid))
  return (await Promise.all([...chips, ...withoutForm, shared])).join('')
}

/** Renders the chip of an active filter. `names`: its parameters, such as both ends of a range. */
async function removableChip(
  request: RecordRequest,
  state: ListState,
  names: readonly string[],
  body?: string,
): Promise<string> {
  const { texts } = request
  const labels = await Promise.all(names.map((name) => describeFilter(request, name, state.filters[name]!)))
  const repeated = `${filterLabel(texts, names[0]!)}: `
  const label = labels.map((each, index) => (index === 0 ? each : each.replace(repeated, ''))).join(', ')
  const to = stateUrl(request, withoutFilters(state, names))
  return activeChip({ label, to, remove: texts.lists.remove(label), ...(body !== undefined && { body }) })
}

/** Renders a form that keeps all other filters. `body` is HTML. */
function filterForm(request: RecordRequest, state: ListState, filters: readonly ListFilter[], body: string): string {
  const replaced = Object.keys(state.filters).filter((name) => filters.some((filter) => belongsTo(name, filter)))
  return stateForm(request, withoutFilters(state, replaced), body)
}

/** Renders a form that keeps the list's state. `body` is HTML. */
export function stateForm({ texts, baseParams }: RecordRequest, state: ListState, body: string): string {
  return html`<form action="records.php" class="filter">!${hiddenFields({ ...baseParams, ...addressParams(state) })}
!${body}<p class="actions"><button class="main">${texts.lists.apply}</button></p></form>`
}

/** Whether a parameter belongs to a filter: `status` and `status[in]` both belong to the `status` filter. */
function belongsTo(parameter: string, { name }: ListFilter): boolean {
  return parameter.replace(/\[.*$/, '') === name
}

async function control(
  request: RecordRequest,
  { filters }: ListState,
  filter: ListFilter,
  suggested: Suggestions,
): Promise<string> {
  const { texts } = request
  const { name } = filter
  const label = filterLabel(texts, name)
  switch (filter.kind) {
    case 'choices':
      return checkboxes(request, filters, name)
    case 'flag':
      return select(texts, { name, label, choices: yesNoChoices(texts), value: filters[name] })
    case 'words': {
      const choices = filter.words.map((word): Choice => [word, wordLabel(texts, name, word)])
      return select(texts, { name, label, choices, value: filters[name] })
    }
    case 'recent': {
      const parameter = `${name}[gte]`
      const choices = ['-1d', '-7d', '-30d'].map(
        (word): Choice => [word, texts.lists.lastDays(-Number.parseInt(word, 10))],
      )
      return select(texts, { name: parameter, label, choices, value: filters[parameter] })
    }
    case 'text':
      return text(`${name}[contains]`, label, filters[`${name}[contains]`], suggested[name])
    case 'equal':
      return text(name, label, filters[name], suggested[name])
    case 'range':
      return range(request, filters, name)
    case 'record':
      return recordInput(request, filters, name)
  }
}

function checkboxes({ texts, resource }: RecordRequest, filters: ListState['filters'], name: string): string {
  const field = resource.fields[name]
  const values = field?.kind === 'choice' ? field.of : []
  const chosen = (filters[`${name}[in]`] ?? filters[name] ?? '').split(',')
  const items = values.map((value) => {
    const checked = chosen.includes(value) ? ' checked' : ''
    const label = choiceLabel(texts, value)
    return html`<li><label><input type="checkbox" name="${name}[in]" value="${value}"!${checked}> ${label}</label></li>`
  })
  const legend = html`<legend class="hidden">${fieldLabel(texts, name)}</legend>`
  return html`<fieldset>!${legend}<ul class="boxes">!${items}</ul></fieldset>`
}

type Select = { name: string; label: string; choices: Choice[]; value: string | undefined }

function select(texts: Texts, { choices, value, ...field }: Select): string {
  const isOther = value !== undefined && !choices.some(([each]) => each === value)
  const offered = isOther ? [...choices, [value, wordLabel(texts, field.name, value)] as const] : choices
  return filterSelect({ ...field, any: texts.records.any, choices: offered, value })
}

function text(name: string, label: string, value = '', suggested: readonly string[] = []): string {
  const input = html`<input name="${name}" value="${value}" dir="auto" autocomplete="off"`
  return html`<label>${label}!${withSuggestions(input, `filter-${name}`, suggested)}</label>`
}

/** The tenant's most frequent values, by filter name. */
type Suggestions = Record<string, readonly string[]>

/** The number of suggestions per filter. There are only a few, because every page of a list contains them, and because
 *  people rarely look through more. */
const maxSuggested = 20

async function readSuggestions(
  { deps, tenant, resource, resources }: RecordRequest,
  shown: readonly ListFilter[],
): Promise<Suggestions> {
  const { engine, listTimeoutMs: timeoutMs } = deps
  const read = (name: string): Promise<Suggestions> =>
    engine.run(tenant, recordOperations.suggestions, { resource: name, timeoutMs })
  const ofRelated = filtersOf(resource, resources).filters.map(async ({ name, via }) => {
    const isShown = shown.some((filter) => filter.name === name && filter.kind === 'equal')
    return via && isShown ? [[name, (await read(via.to))[via.column] ?? []] as const] : []
  })
  const [own, related] = await Promise.all([read(resource.name), Promise.all(ofRelated)])
  const suggestions = [...Object.entries(own), ...related.flat()]
  return Object.fromEntries(suggestions.map(([name, values]) => [name, values.slice(0, maxSuggested)]))
}

/** Renders two inputs, for dates, numbers or amounts of money. */
function range({ texts, resource }: RecordRequest, filters: ListState['filters'], name: string): string {
  const field = resource.fields[name]
  const isAmount = field?.kind === 'integer' && field.isAmount === true
  const isNumber = field?.kind === 'integer'
  const attributes = isAmount ? 'inputmode="decimal"' : `type="${isNumber ? 'number' : 'date'}"`
  const label = filterLabel(texts, name)
  const input = (operator: 'gte' | 'lte', hint: string) => {
    const parameter = `${name}[${operator}]`
    const value = filters[parameter] ?? ''
    const shown = isAmount && /^\d+$/.test(value) ? amountInput(texts, Number(value)) : value
    const inputName = isAmount ? typedName(parameter) : parameter
    return html`<label>${hint}<input name="${inputName}" value="${shown}" !${attributes} autocomplete="off"></label>`
  }
  const { atLeast, atMost, from, to } = texts.lists
  const inputs = input('gte', isNumber ? atLeast : from) + input('lte', isNumber ? atMost : to)
  return html`<fieldset class="range"><legend>${label}</legend>!${inputs}</fieldset>`
}

/** Renders a select with all records. For people, or if there are too many records, renders a field that searches
 *  records by name. */
async function recordInput(request: RecordRequest, filters: ListState['filters'], name: string): Promise<string> {
  const { texts, deps, resources } = request
  const [label, value] = [filterLabel(texts, name), filters[name]]
  const field = recordChoosers(request).find((each) => each.name === name)!
  const referenced = resourceNamed(resources, field.resource)
  const choices = deps.presentationOf(referenced).isChosenByName ? null : await readChoices(request, referenced)
  if (!choices) return chooser(request, { ...field, label }, value, new URLSearchParams())
  const isMissing = value !== undefined && !choices.some(([id]) => id === value)
  const offered = isMissing ? [...choices, [value, `#${value}`] as const] : choices
  return filterSelect({ name, label, any: resourceTexts(texts, referenced.name).all, choices: offered, value })
}

/** Returns null if there are too many records for a select. */
async function readChoices(request: RecordRequest, resource: Resource): Promise<Choice[] | null> {
  const sort = resource.title?.[0] ?? 'id'
  const { records, next } = await readList(request, resource, { sort, limit: String(maxOffered) })
  return next === null
    ? records.map((record): Choice => [String(record.id), titleOf(record, resource.title, request.texts)])
    : null
}

/** Returns the fields in which the user chooses the records for a list's filters. */
function recordChoosers({ resource, resources, presentation, deps }: RecordRequest): ChooserField[] {
  const { first, more } = presentation.filters
  const names = [...first, ...more].filter(({ kind }) => kind === 'record').map(({ name }) => name)
  return filtersOf(resource, resources).filters.flatMap(({ name, field }) => {
    if (field.kind !== 'reference' || !names.includes(name)) return []
    const { impliedFilters } = deps.presentationOf(resourceNamed(resources, field.to))
    return [{ name, resource: field.to, filter: impliedFilters }]
  })
}

/** Replaces typed names with the ids of their records. Text that does not match exactly one record becomes a search. */
export async function withTypedRecords(request: RecordRequest, state: ListState): Promise<ListState> {
  const { query } = request
  const filters = { ...state.filters }
  for (const field of recordChoosers(request)) {
    const { typed } = comboboxFields(field.name)
    if (!query.has(typed)) continue
    const { id, problem } = await readChosen({ ...request, form: query }, field)
    delete filters[field.name]
    if (id !== null) filters[field.name] = String(id)
    else if (problem !== 'empty') filters.q = query.get(typed)!.trim()
  }
  return { ...state, filters }
}
