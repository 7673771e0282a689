// Inserts many records directly into the database, without history.

import { resources } from '../../../src/domain/declarations/all.ts'
import { emptyValue, type Field, type Resource } from '../../../src/domain/declarations/resource.ts'
import { createDeferredIndexesIfLarge, derivedValues, hasDeferredIndexes } from '../../../src/domain/schema/derived.ts'
import { countUnindexed, indexPending } from '../../../src/domain/search/index.ts'
import type { Database, Value } from '../../../src/engine/database/database.ts'
import { setCounter } from '../../../src/engine/database/statements.ts'

/** Inserts `count` records with consecutive ids from `firstId`. `make` returns the values of the record with the given
 *  id. */
export async function insertRecords(
  database: Database,
  name: string,
  count: number,
  make: (id: number) => Record<string, Value>,
  firstId = 1,
): Promise<void> {
  const resource = resources.find((resource) => resource.name === name)!
  const empty = Object.entries<Field>(resource.fields).map(([field, { ...declared }]) => [field, emptyValue(declared)])
  const last = firstId + count - 1
  for (let next = firstId; next <= last; ) {
    const batch = Array.from({ length: Math.min(200, last - next + 1) }, () => {
      const id = next++
      const now = new Date(1.6e12 + id * 1000).toISOString()
      const values = { ...Object.fromEntries(empty), ...make(id) }
      const members = { ...values, created_at: now, updated_at: now }
      return { id, ...members, ...derivedValues(database.engine, resource, members) }
    })
    const columns = Object.keys(batch[0]!)
    const placeholders = `(${columns.map(() => '?').join(', ')})`
    const sql = `insert into ${name} (${columns.join(', ')}) values ${batch.map(() => placeholders).join(', ')}`
    await database.run(
      sql,
      batch.flatMap((record) => Object.values(record) as Value[]),
    )
  }
  setCounter(database, name, last)
  await createDeferredIndexesIfLarge(database, resource)
}

/** Adds all records to the search index. */
export async function indexAll(database: Database, resource: Resource): Promise<void> {
  if (!(await hasDeferredIndexes(database, resource))) return
  while ((await countUnindexed(database, resource)) > 0) await indexPending(database, resource)
}
