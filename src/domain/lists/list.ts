import type { Database } from '../../engine/database/database.ts'
import type { Resource, Resources } from '../declarations/resource.ts'
import type { ListQuery } from './query.ts'

/** A list to read: the records of one resource in a tenant's database that match a query. */
export type List = { database: Database; resource: Resource; resources: Resources; query: ListQuery }
