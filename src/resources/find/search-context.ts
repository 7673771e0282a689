import type { Database } from '../../database/database.ts'
import type { ListQuery } from '../lists/query.ts'
import type { Resource, Resources } from '../resource.ts'

/** The values that all statements of a search share. `query`: the list query that limits which records the search may
 *  find. It does not contain the words. */
export type SearchContext = {
  database: Database
  resource: Resource
  resources: Resources
  query: ListQuery
}
