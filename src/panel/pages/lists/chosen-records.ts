// Turns names that users type into filters by person or by branch.

import { comboboxFields } from '../../components/combobox.ts'
import type { RecordRequest } from '../records/request.ts'
import { type ChooserField, readChosen } from '../search/choices.ts'
import type { ListState } from './state.ts'

const choosers: readonly ChooserField[] = [
  { name: 'customer_id', resource: 'customers' },
  { name: 'employee_id', resource: 'employees', filter: { kind: 'person' } },
]

/** The field that chooses the record of a filter. */
export function chooserOf(name: string): ChooserField {
  const known = choosers.find((each) => each.name === name)
  if (!known) throw new Error(`no field chooses ${name}`)
  return known
}

/** Replaces typed names with the ids of their records. Text that does not choose one record becomes the search. */
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
