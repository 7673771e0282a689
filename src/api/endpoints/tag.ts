import type { Resource } from '../../domain/declarations/resource.ts'
import type { Tag } from '../openapi/types.ts'

/** The tag that groups a resource's operations in the OpenAPI document. */
export function tagOf({ name, about }: Resource): Tag {
  return { name, description: about ?? `The ${name} of the tenant.` }
}
