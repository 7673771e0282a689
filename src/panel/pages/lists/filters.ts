// The filters that a list offers, in chips that open small forms. If scripts are enabled, a select applies its filter
// at once. Otherwise the user presses the form's button.

import { html } from 'ghtml'
import { filtersOf } from '../../../domain/lists/request/options.ts'
import { recordOperations } from '../../../domain/records/operations.ts'
import { type Choice, filterSelect, hiddenFields } from '../../components/forms/forms.ts'
import { withSuggestions } from '../../components/forms/record-inputs.ts'
import { chip } from '../../components/menu.ts'
import { titleOf } from '../../components/record-fields.ts'
import { amountInput } from '../../i18n/conventions.ts'
import { choiceLabel, fieldLabel, resourceTexts, type Texts } from '../../i18n/index.ts'
import { readList } from '../records/queries.ts'
import type { RecordRequest } from '../records/request.ts'
import { chooser } from '../search/choices.ts'
import { chooserOf } from './chosen-records.ts'
import { filterLabel, wordLabel } from './filter-labels.ts'
import { addressParams, type ListState, typedName, withoutFilters } from './state.ts'

/** `choices`: checkboxes for a field's values. `words`: one of several words or numbers of days. `record`: a
 *  referenced record. `text`: text that the value contains. `equal`: the whole value. `range`: from one day or
 *  amount to another. `recent`: the last 1, 7 or 30 days. `flag`: yes or no. */
type ListFilter =
  | { kind: 'choices' | 'text' | 'equal' | 'range' | 'recent' | 'flag'; name: string }
  | { kind: 'words'; name: string; words: readonly string[] }
  | { kind: 'record'; name: string; of: string }

/** `first`: filters that each have their own chip. `more`: filters in the shared chip "More filters". */
const filtersByResource: Record<string, { first: readonly ListFilter[]; more: readonly ListFilter[] }> = {
  customers: {
    first: [
      { kind: 'choices', name: 'type' },
      { kind: 'flag', name: 'is_active' },
    ],
    more: [
      { kind: 'text', name: 'city' },
      { kind: 'text', name: 'country' },
      { kind: 'range', name: 'contract_end' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
  employees: {
    first: [
      { kind: 'record', name: 'customer_id', of: 'customers' },
      { kind: 'words', name: 'employment', words: ['current', '30d', 'left'] },
      { kind: 'text', name: 'department' },
    ],
    more: [
      { kind: 'text', name: 'title' },
      { kind: 'flag', name: 'is_remote' },
      { kind: 'range', name: 'start_date' },
      { kind: 'range', name: 'end_date' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
  hardware: {
    first: [
      { kind: 'choices', name: 'status' },
      { kind: 'choices', name: 'type' },
      { kind: 'record', name: 'customer_id', of: 'customers' },
      { kind: 'record', name: 'employee_id', of: 'employees' },
      { kind: 'words', name: 'warranty', words: ['30d', '60d', '90d', 'valid', 'expired', 'none'] },
    ],
    more: [
      { kind: 'text', name: 'manufacturer' },
      { kind: 'text', name: 'model' },
      { kind: 'equal', name: 'employee.department' },
      { kind: 'words', name: 'employee.employment', words: ['current', '30d', 'left'] },
      { kind: 'words', name: 'loan', words: ['out', 'overdue', '7d'] },
      { kind: 'flag', name: 'is_loaner' },
      { kind: 'range', name: 'purchase_cost' },
      { kind: 'range', name: 'purchase_date' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
}

/** If there are more branches than this, users search for them instead of choosing from a select. */
const maxBranches = 100

export async function filterChips(request: RecordRequest, state: ListState): Promise<string> {
  const { texts, resource, resources } = request
  const declared = filtersByResource[resource.name]
  if (!declared) return ''
  const suggested = await readSuggestions(request)
  const known = filtersOf(resource, resources).filters.map(({ name }) => name)
  const [first, more] = [declared.first, declared.more].map((each) => each.filter(({ name }) => known.includes(name)))
  const chips = first!.map(async (filter) => {
    const label = filterLabel(texts, filter.name)
    return chip(label, filterForm(request, state, [filter], await control(request, state, filter, suggested)))
  })
  const controls = await Promise.all(more!.map((filter) => control(request, state, filter, suggested)))
  const rest = chip(texts.lists.more, filterForm(request, state, more!, html`<div class="grid">!${controls}</div>`))
  return (await Promise.all([...chips, rest])).join('')
}

/** Renders a form that keeps all other filters. `body` is HTML. */
function filterForm(request: RecordRequest, state: ListState, filters: readonly ListFilter[], body: string): string {
  const { texts, baseParams } = request
  const replaced = Object.keys(state.filters).filter((name) => filters.some((filter) => belongsTo(name, filter)))
  const hiddenInputs = hiddenFields({ ...baseParams, ...addressParams(withoutFilters(state, replaced)) })
  return html`<form action="records.php" class="filter">!${hiddenInputs}
!${body}<p class="actions"><button class="main">${texts.lists.apply}</button></p></form>`
}

/** Whether a parameter belongs to a filter: `status` and `status[in]` both belong to the `status` filter. */
function belongsTo(parameter: string, { name }: ListFilter): boolean {
  return parameter.replace(/\[.*$/, '') === name
}

async function control(
  request: RecordRequest,
  state: ListState,
  filter: ListFilter,
  suggested: Suggestions,
): Promise<string> {
  const { texts } = request
  const { name } = filter
  const { filters } = state
  const label = filterLabel(texts, name)
  switch (filter.kind) {
    case 'choices':
      return checkboxes(request, filters, name)
    case 'flag':
      return select(
        texts,
        name,
        label,
        [
          ['true', texts.yes],
          ['false', texts.no],
        ],
        filters[name],
      )
    case 'words':
      return select(
        texts,
        name,
        label,
        filter.words.map((word) => [word, wordLabel(texts, name, word)]),
        filters[name],
      )
    case 'recent': {
      const days = ['-1d', '-7d', '-30d'].map(
        (word): Choice => [word, texts.lists.lastDays(-Number.parseInt(word, 10))],
      )
      return select(texts, `${name}[gte]`, label, days, filters[`${name}[gte]`])
    }
    case 'text':
      return text(`${name}[contains]`, label, filters[`${name}[contains]`], suggested[name])
    case 'equal':
      return text(name, label, filters[name], suggested[name])
    case 'range':
      return range(request, filters, name)
    case 'record':
      return recordInput(request, filters, filter)
  }
}

function checkboxes({ texts, resource }: RecordRequest, filters: ListState['filters'], name: string): string {
  const field = resource.fields[name]
  const values = field?.kind === 'choice' ? field.of : []
  const chosen = (filters[`${name}[in]`] ?? filters[name] ?? '').split(',')
  const items = values.map(
    (value) =>
      html`<li><label><input type="checkbox" name="${name}[in]" value="${value}"!${
        chosen.includes(value) ? ' checked' : ''
      }> ${choiceLabel(texts, value)}</label></li>`,
  )
  const legend = html`<legend class="hidden">${fieldLabel(texts, name)}</legend>`
  return html`<fieldset>!${legend}<ul class="boxes">!${items}</ul></fieldset>`
}

function select(texts: Texts, name: string, label: string, choices: Choice[], value: string | undefined): string {
  const isOther = value !== undefined && !choices.some(([each]) => each === value)
  const offered = isOther ? [...choices, [value, wordLabel(texts, name, value)] as const] : choices
  return filterSelect({ name, label, any: texts.lists.any, choices: offered, value })
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

async function readSuggestions({ deps, tenant, resource }: RecordRequest): Promise<Suggestions> {
  const { storage, listTimeoutMs: timeoutMs } = deps
  const read = (name: string) => storage.run(tenant, recordOperations.suggestions, { resource: name, timeoutMs })
  const [resourceValues, holderValues] = await Promise.all([
    read(resource.name),
    resource.name === 'hardware' ? read('employees') : {},
  ])
  const suggestions = { ...resourceValues, 'employee.department': (holderValues as Suggestions).department ?? [] }
  return Object.fromEntries(Object.entries(suggestions).map(([name, values]) => [name, values.slice(0, maxSuggested)]))
}

/** Renders two inputs, for dates or for amounts of money. */
function range({ texts, resource }: RecordRequest, filters: ListState['filters'], name: string): string {
  const field = resource.fields[name]
  const isAmount = field?.kind === 'integer'
  const label = filterLabel(texts, name)
  const input = (operator: 'gte' | 'lte', hint: string) => {
    const parameter = `${name}[${operator}]`
    const value = filters[parameter] ?? ''
    const shown = isAmount && /^\d+$/.test(value) ? amountInput(texts, Number(value)) : value
    const attributes = isAmount ? 'inputmode="decimal"' : 'type="date"'
    const inputName = isAmount ? typedName(parameter) : parameter
    return html`<label>${hint}<input name="${inputName}" value="${shown}" !${attributes} autocomplete="off"></label>`
  }
  const inputs = input('gte', texts.lists.atLeast) + input('lte', texts.lists.atMost)
  return html`<fieldset class="range"><legend>${label}</legend>!${inputs}</fieldset>`
}

/** Renders a select with all branches. For people, or if there are too many branches, renders a field that searches
 *  records by name. */
async function recordInput(
  request: RecordRequest,
  filters: ListState['filters'],
  { name, of }: ListFilter & { kind: 'record' },
): Promise<string> {
  const { texts } = request
  const [label, value] = [filterLabel(texts, name), filters[name]]
  const choices = of === 'customers' ? await branchChoices(request) : null
  if (!choices) return chooser(request, { ...chooserOf(name), label }, value, new URLSearchParams())
  const isMissing = value !== undefined && !choices.some(([id]) => id === value)
  const offered = isMissing ? [...choices, [value, `#${value}`] as const] : choices
  return filterSelect({ name, label, any: resourceTexts(texts, of).all, choices: offered, value })
}

/** Returns null if there are too many branches for a select, or if there is no `customers` resource. */
async function branchChoices(request: RecordRequest): Promise<Choice[] | null> {
  const customers = request.resources.find((each) => each.name === 'customers')
  if (!customers) return null
  const found = await readList(request, customers, { sort: 'name', limit: String(maxBranches) })
  if (found.next !== null) return null
  return found.records.map((record): Choice => [String(record.id), titleOf(record, customers.title)])
}
