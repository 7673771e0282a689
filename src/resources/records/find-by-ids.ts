import type { Database } from '../../database/database.ts'
import { padValues, placeholders } from '../../database/value-list.ts'
import { booleansOf, columns, type Resource } from '../resource.ts'
import type { StoredRecord } from './target.ts'

/** The records with these ids, by id. */
export async function findRecordsByIds(
  database: Database,
  resource: Resource,
  ids: readonly number[],
): Promise<Map<number, StoredRecord>> {
  if (ids.length === 0) return new Map()
  const sql = `select ${columns(resource).join(', ')} from ${resource.name} where id in (${placeholders(ids)})`
  const rows = await database.all(sql, padValues(ids))
  const booleans = booleansOf(resource)
  for (const row of rows) for (const name of booleans) row[name] = Boolean(row[name])
  return new Map(rows.map((row) => [row.id as number, row as StoredRecord]))
}
