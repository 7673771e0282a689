import type { Resource } from '../../resources/resource.ts'
import type { Tag } from '../openapi/types.ts'

/** The group of a resource's operations in the document. */
export function tagOf({ name, about }: Resource): Tag {
  return { name, description: about ?? `The ${name} of the tenant.` }
}
