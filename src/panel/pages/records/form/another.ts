// Adding several records one after another, with the button “Save and add another”.

import type { RecordRequest } from '../../../requests/request.ts'
import { asksWhere } from '../../desk/where.ts'

export const addAnotherName = 'add_another'
/** The URL parameter of a form that follows another one for the same kind of record. Enter then means the same as
 *  before: save and add another. So a scanner, which ends each code with Enter, can go on. */
export const againName = 'again'

/** Fields that usually have the same value when a user adds several records one after another. */
const sharedFields = [
  'customer_id',
  'department',
  'type',
  'manufacturer',
  'model',
  'purchase_date',
  'purchase_cost',
  'warranty_end',
  'employee_id',
  'status',
  'city',
  'country',
]

/** Returns the parameters of the form for another record, in which the shared fields are filled in. `record`: the one
 *  that has been saved. */
export function anotherParams({ baseParams, resource, form }: RecordRequest, record: Record<string, unknown>) {
  const shared = sharedFields.map((name) => [name, asksWhere(resource, name) ? String(record[name]) : form.get(name)])
  return { ...baseParams, new: 1, [againName]: 1, ...Object.fromEntries(shared) }
}
