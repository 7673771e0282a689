// Updates the stored search texts of existing records to the current format (domain/search/fold.ts).

import type { Database, Row, Value } from '../../engine/database/database.ts'
import type { Resource } from '../declarations/resource.ts'
import { searchedFields } from '../lists/request/options.ts'
import { searchColumn, searchText } from '../search/fold.ts'
import { columnsOfText, isSearched } from '../search/index.ts'
import { createDeferredIndexesIfLarge, dropDeferredIndexes } from './derived.ts'

/** How many records one query reads. */
const batchSize = 1000

/** Changes only the records whose search text would differ in the current format. */
export async function renewSearchTexts(database: Database, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) if (isSearched(resource)) await renew(database, resource)
}

/** PostgreSQL would update every index for each changed record, so its deferred indexes are dropped before the first
 *  change and recreated at the end. On SQLite only the search index changes, and it is updated later in batches. */
async function renew(database: Database, resource: Resource): Promise<void> {
  const { name } = resource
  const columns = [...new Set(['id', searchColumn, ...searchedFields(resource)])].join(', ')
  const selectSql = `select ${columns} from ${name} where id > ? order by id limit ${batchSize}`
  let mustRebuild: boolean | undefined
  for (let last: Value = 0; ; ) {
    const rows: Row[] = await database.all(selectSql, [last])
    const outdated = rows.filter((row) => row[searchColumn] !== searchText(resource, row))
    if (outdated.length > 0)
      mustRebuild ??= database.engine === 'postgres' && (await dropDeferredIndexes(database, resource))
    for (const row of outdated) update(database, resource, row.id as number, searchText(resource, row))
    if (rows.length < batchSize) break
    last = rows.at(-1)!.id!
  }
  if (mustRebuild) await createDeferredIndexesIfLarge(database, resource)
}

function update(database: Database, { name }: Resource, id: number, text: string): void {
  const columns = columnsOfText(database.engine, text)
  const sets = Object.keys(columns).map((column) => `${column} = ?`)
  database.runDeferred(`update ${name} set ${sets.join(', ')} where id = ?`, [...Object.values(columns), id])
}
