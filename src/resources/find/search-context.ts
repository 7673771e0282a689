import type { Database } from '../../database/database.ts'
import type { ListQuery } from '../lists/query.ts'
import type { Resource, Resources } from '../resource.ts'

/** What the statements of a search have in common. `query`: the query for the records that may be found, without the
 *  words. */
export type SearchContext = {
  database: Database
  resource: Resource
  resources: Resources
  query: ListQuery
}
