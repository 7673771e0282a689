import { externalIdField, type Resource } from '../../domain/declarations/resource.ts'
import { externalIdSchema } from '../openapi/schemas/schemas.ts'
import type { Parameter } from '../openapi/types.ts'

/** Returns the parameter that selects one record by its external id, or an empty list if the resource has no external
 *  ids. */
export function externalIdParameter({ singular: one, fields }: Resource): Parameter[] {
  if (!(externalIdField in fields)) return []
  const description = `The id of the ${one} in your own system, instead of \`id\`. Selects one record, never a list.`
  return [{ name: externalIdField, in: 'query', schema: externalIdSchema, description }]
}
