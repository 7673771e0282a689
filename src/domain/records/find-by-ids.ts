import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/value-list.ts'
import { columns, type Resource } from '../declarations/resource.ts'
import { type StoredRecord, toRecord } from './target.ts'

/** Returns the records with these ids, keyed by id. Ids of records that do not exist are left out. */
export async function findRecordsByIds(
  database: Database,
  resource: Resource,
  ids: readonly number[],
): Promise<Map<number, StoredRecord>> {
  if (ids.length === 0) return new Map()
  const sql = `select ${columns(resource).join(', ')} from ${resource.name} where id in (${placeholders(ids)})`
  const rows = await database.all<StoredRecord>(sql, padValues(ids))
  return new Map(rows.map((row) => [row.id, toRecord(resource, row)]))
}
