// Updates the stored search texts of existing records to the current format (resources/search/fold.ts).

import type { Database, Row, Value } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { renewSearchText, searchColumn } from '../search/fold.ts'
import { columnsOfText, isSearched } from '../search/index.ts'
import { createDeferredIndexesIfLarge, dropDeferredIndexes } from './deferred-indexes.ts'

/** How many records one query reads. */
const batchSize = 1000

/** Changes only the records whose search text would differ in the current format. */
export async function renewSearchTexts(database: Database, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) if (isSearched(resource)) await renew(database, resource)
}

/** PostgreSQL would update every index for each changed record, so its deferred indexes are dropped first and recreated
 *  at the end. On SQLite only the search index changes, and it is updated later in batches. */
async function renew(database: Database, resource: Resource): Promise<void> {
  const mustRebuild = database.engine === 'postgres' && (await dropDeferredIndexes(database, resource))
  const selectSql = `select id, ${searchColumn} as text from ${resource.name} where id > ? order by id limit ${batchSize}`
  for (let last: Value = 0; ; ) {
    const rows: Row[] = await database.all(selectSql, [last])
    for (const { id, text } of rows) {
      const renewed = renewSearchText(resource, text as string)
      if (renewed !== text) update(database, resource, id as number, renewed)
    }
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
