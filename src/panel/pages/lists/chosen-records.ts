// For filters by branch or person: finds the record whose name the user has typed.

import { comboboxFields } from '../../components/forms/combobox.ts'
import type { RecordRequest } from '../records/request.ts'
import { type ChooserField, readChosen } from '../search/choices.ts'
import type { ListState } from './state.ts'

const choosers: readonly ChooserField[] = [
  { name: 'customer_id', resource: 'customers' },
  { name: 'employee_id', resource: 'employees', filter: { kind: 'person' } },
]

/** Returns the field in which the user chooses the record for a filter. */
export function chooserOf(name: string): ChooserField {
  const known = choosers.find((each) => each.name === name)
  if (!known) throw new Error(`there is no chooser for the filter ${name}`)
  return known
}

/** Replaces typed names with the ids of their records. Text that does not match exactly one record becomes a search. */
export async function withTypedRecords(request: RecordRequest, state: ListState): Promise<ListState> {
  const { query } = request
  const filters = { ...state.filters }
  for (const field of choosers) {
    const { typed } = comboboxFields(field.name)
    if (!query.has(typed)) continue
    const { id, problem } = await readChosen({ ...request, form: query }, field)
    delete filters[field.name]
    if (id !== null) filters[field.name] = String(id)
    else if (problem !== 'empty') filters.q = query.get(typed)!.trim()
  }
  return { ...state, filters }
}
