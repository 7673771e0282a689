// Reads a single record as it was at a point in time.

import type { Database } from '../../engine/database/database.ts'
import type { RecordKey, Resource, Resources } from '../declarations/resource.ts'
import { builtRecordJson, type Includes } from '../records/json.ts'
import { includedIn, positionAt, recordsAsOf, withViews } from './as-of.ts'

/** Returns the JSON text of a record as it was at `moment`, or undefined if the record did not exist at that time. */
export async function findAsOf(
  database: Database,
  resource: Resource,
  resources: Resources,
  { key, moment, includes }: { key: RecordKey; moment: string; includes: Includes },
): Promise<string | undefined> {
  const { seq } = await positionAt(database, moment)
  const reached = [...new Set([resource, ...includedIn(resource, resources, includes)])]
  const views = withViews(reached.map((table) => [table.name, recordsAsOf(database.engine, table, seq)]))
  const json = builtRecordJson(database.engine, resource, resources, includes)
  const sql = `${views.sql} select ${json} as json from ${resource.name} where ${key.column} = ?`
  const [record] = await database.texts(sql, [...views.values, key.value])
  return record
}
