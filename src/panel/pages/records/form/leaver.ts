// If a form deactivates a person who still holds equipment, the offboarding page is shown instead.

import { isDay } from '../../../../domain/fields/field-values.ts'
import { validateChanges } from '../../../../domain/fields/validate.ts'
import { Problem } from '../../../../problem.ts'
import { titleOf } from '../../../components/record-fields.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { type PageResponse, redirectTo } from '../../../responses.ts'
import { listItems } from '../../desk/items.ts'
import { type FoundRecord, findRecord } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { typedValues } from './draft.ts'

/** `rest`: the form without the fields that deactivate the person; null if it changes nothing else. `next`: the
 *  redirect to the offboarding page. */
type LeaverForm = { rest: RecordRequest | null; next: PageResponse }

const endFields = ['is_active', 'end_date']

/** Returns undefined unless the form deactivates a person who holds equipment. */
export async function leaverOf(request: RecordRequest, id: number | null): Promise<LeaverForm | undefined> {
  const { resource, texts, baseParams } = request
  if (id === null || resource.name !== 'employees') return undefined
  const current = await findRecord(request, resource, id)
  const typed = typedValues(request)
  if (!current || !deactivates(request, current.record, typed)) return undefined
  if ((await listItems(request, { employee_id: String(id), limit: '1' })).length === 0) return undefined
  const form = new URLSearchParams(request.form)
  for (const name of endFields) form.delete(name)
  const rest = { ...request, form }
  const text = texts.verbs.holdsEquipment(titleOf(current.record, resource.title))
  const params = { tenant: baseParams.tenant, person: id, end_date: typed.end_date }
  return { rest: hasChanges(rest, current) ? rest : null, next: redirectTo('offboard.php', params, { text }) }
}

function deactivates(
  { texts, deps }: RecordRequest,
  record: FoundRecord['record'],
  { is_active: isActive, end_date: endDate = '' }: Record<string, string>,
): boolean {
  if (record.kind === 'storage') return false
  const isDeactivated = record.is_active === true && (isActive === '0' || isActive === 'false')
  const isOver = isDay(endDate) && endDate < dayOf(texts, deps.now()) && endDate !== record.end_date
  return isDeactivated || isOver
}

/** Also returns true for invalid values, because saving them then reports the errors. */
function hasChanges(rest: RecordRequest, { record }: FoundRecord): boolean {
  try {
    const { values } = validateChanges(rest.resource, typedValues(rest))
    return Object.entries(values).some(([name, value]) => record[name] !== value)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return true
  }
}
