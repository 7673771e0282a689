// For filters by branch or person: finds the record whose name the user has typed.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { filtersOf } from '../../../domain/lists/request/options.ts'
import { comboboxFields } from '../../components/forms/combobox.ts'
import type { RecordRequest } from '../records/request.ts'
import { type ChooserField, readChosen } from '../search/choices.ts'
import type { ListState } from './state.ts'

/** Returns the fields in which the user chooses the records for a list's filters. */
export function recordChoosers({ resource, resources, presentation, deps }: RecordRequest): ChooserField[] {
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
