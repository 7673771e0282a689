// The filter form above a list of records.

import { html } from 'ghtml'
import { type Filter, filtersOf } from '../../../resources/lists/options.ts'
import { type Choice, filterSelect, hiddenField, submitButton } from '../../components/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { choiceLabel, fieldLabel, type Texts } from '../../i18n/index.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from './request.ts'

/** An input of the form, and the name of its parameter. */
type FilterControl = { name: string; html: string }

/** Returns the list parameters of the query, without empty fields of the filter form. */
export function listParams({ query }: RecordRequest): Record<string, string> {
  const reserved = ['tenant', 'resource']
  return Object.fromEntries([...query].filter(([name, value]) => !reserved.includes(name) && value.trim() !== ''))
}

export function filterForm(request: RecordRequest, params: Record<string, string>): string {
  const { texts, resource, baseParams, resources } = request
  const { filters } = filtersOf(resource, resources)
  const controls = filters.flatMap((filter) => filterControls(texts, filter, params))
  const names = controls.map(({ name }) => name)
  const isFiltered = Object.keys(params).some((name) => !['q', 'sort', 'cursor', 'limit'].includes(name))
  const clear = isFiltered ? html`<a href="${pageUrl('records.php', baseParams)}">${texts.records.clear}</a>` : ''
  return html`<details class="filters"!${isFiltered ? ' open' : ''}><summary>${texts.records.filters}</summary>
<form action="records.php" class="grid">
!${hiddenFields({ ...baseParams, ...omit(params, ['cursor', ...names]) })}
!${controls.map(({ html }) => html)}
!${buttonRow(submitButton(texts.records.filter), clear)}
</form></details>`
}

/** Choices, booleans and dates can be filtered. Text is covered by the search, references by links. */
function filterControls(texts: Texts, filter: Filter, params: Record<string, string>): FilterControl[] {
  const { name, field } = filter
  if (filter.via) return []
  switch (field.kind) {
    case 'choice': {
      const choices = field.of.map((each): Choice => [each, choiceLabel(texts, each)])
      return [selectControl(texts, name, choices, params)]
    }
    case 'boolean': {
      const choices: Choice[] = [
        ['true', texts.yes],
        ['false', texts.no],
      ]
      return [selectControl(texts, name, choices, params)]
    }
    case 'date': {
      const label = fieldLabel(texts, name)
      return [
        dateControl(`${name}[gte]`, texts.records.from(label), params),
        dateControl(`${name}[lte]`, texts.records.to(label), params),
      ]
    }
    default:
      return []
  }
}

function selectControl(texts: Texts, name: string, choices: Choice[], params: Record<string, string>): FilterControl {
  const label = fieldLabel(texts, name)
  return { name, html: filterSelect({ name, label, any: texts.records.any, choices, value: params[name] }) }
}

function dateControl(name: string, label: string, params: Record<string, string>): FilterControl {
  const value = params[name] ?? ''
  return { name, html: html`<label>${label}<input type="date" name="${name}" value="${value}"></label>` }
}

export function hiddenFields(parameters: Record<string, string | undefined>): string {
  return Object.entries(parameters)
    .map(([name, value]) => (value === undefined ? '' : hiddenField(name, value)))
    .join('')
}

/** Returns the parameters without these names. */
export function omit(params: Record<string, string>, names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)))
}
