// A form cannot assign an asset to a person who has left, unless that person already holds it.

import { findPerson, leftMessage } from '../../desk/questions.ts'
import { findRecord } from '../queries.ts'
import type { RecordRequest } from '../request.ts'

const holderField = 'employee_id'

/** If the chosen holder has left, returns the error message by field name; otherwise undefined. */
export async function holderErrors(
  request: RecordRequest,
  id: number | null,
): Promise<Record<string, string> | undefined> {
  const { resource, form } = request
  const holderText = form.getAll(holderField).at(-1) ?? ''
  const person = resource.name === 'hardware' ? await findPerson(request, holderText) : undefined
  const message = person && leftMessage(request, person)
  if (message === undefined) return undefined
  const stored = id === null ? undefined : await findRecord(request, resource, id)
  return stored?.record.employee_id === person!.id ? undefined : { [holderField]: message }
}
