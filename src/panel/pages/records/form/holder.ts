// A form cannot give an asset to someone who has left. Whoever has it already may keep it.

import { findPerson, leftMessage } from '../../desk/questions.ts'
import { findRecord } from '../queries.ts'
import type { RecordRequest } from '../request.ts'

const field = 'employee_id'

/** What is wrong with the holder that the form chooses, by the name of the field; undefined if nothing is. */
export async function holderErrors(
  request: RecordRequest,
  id: number | null,
): Promise<Record<string, string> | undefined> {
  const { resource, form } = request
  const given = form.getAll(field).at(-1) ?? ''
  const person = resource.name === 'hardware' ? await findPerson(request, given) : undefined
  const message = person && leftMessage(request, person)
  if (message === undefined) return undefined
  const present = id === null ? undefined : await findRecord(request, resource, id)
  return present?.record.employee_id === person!.id ? undefined : { [field]: message }
}
