// Brings the stored search texts of existing records to the present form (resources/search/fold.ts).

import type { Database, Row, Value } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { renewSearchText, searchColumn } from '../search/fold.ts'
import { columnsOfText, isSearched } from '../search/index.ts'
import { createDeferredIndexesIfLarge, dropDeferredIndexes } from './deferred-indexes.ts'

/** Records read at a time. */
const batchSize = 1000

/** Changes only the records whose text is different in the present form. */
export async function renewSearchTexts(database: Database, resources: readonly Resource[]): Promise<void> {
  for (const each of resources) if (isSearched(each)) await renew(database, each)
}

/** PostgreSQL adds a changed record to every index again, so its deferred indexes are dropped first and created anew. SQLite only
 *  changes the search index, which it does later and in batches. */
async function renew(database: Database, resource: Resource): Promise<void> {
  const mustRebuild = database.engine === 'postgres' && (await dropDeferredIndexes(database, resource))
  const read = `select id, ${searchColumn} as text from ${resource.name} where id > ? order by id limit ${batchSize}`
  for (let last: Value = 0; ; ) {
    const rows: Row[] = await database.all(read, [last])
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
