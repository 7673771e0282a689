// Renders the section with a new person's equipment, in the form that adds the person.

import { formSection } from '../../../components/forms/forms.ts'
import { equipmentFields } from '../../desk/equipment.ts'
import type { RecordRequest } from '../request.ts'
import type { Draft } from './draft.ts'

/** Returns an empty string unless the record is a new person. */
export async function equipmentSection(request: RecordRequest, id: number | null, draft: Draft): Promise<string> {
  const { texts, resource, resources } = request
  if (id !== null || resource.name !== 'employees' || !resources.some(({ name }) => name === 'hardware')) return ''
  const branch = Number(draft.values.customer_id ?? 0) || null
  const fields = await equipmentFields(
    { ...request, form: draft.formValues ?? request.form },
    branch,
    draft.errors ?? {},
  )
  return formSection('equipment', texts.verbs.equipment, fields, 'desk')
}
