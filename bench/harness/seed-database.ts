// Inserts many records directly into the database, without history.

import type { Database, Value } from '../../src/database/database.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { derivedValues } from '../../src/resources/records/derived-columns.ts'
import { emptyValue, type Field, type Resource } from '../../src/resources/resource.ts'
import { setCounter } from '../../src/resources/schema/counters.ts'
import { createDeferredIndexesIfLarge, hasDeferredIndexes } from '../../src/resources/schema/deferred-indexes.ts'
import { countUnindexed, indexPending } from '../../src/resources/search/index.ts'

/** `make` gets the numbers of the records, from 1. */
export async function insertRecords(
  database: Database,
  name: string,
  count: number,
  make: (at: number) => Record<string, Value>,
): Promise<void> {
  const resource = resources.find((each) => each.name === name)!
  const empty = Object.entries<Field>(resource.fields).map(([field, { ...declared }]) => [field, emptyValue(declared)])
  for (let at = 1; at <= count; ) {
    const batch = Array.from({ length: Math.min(200, count - at + 1) }, () => {
      const id = at
      const now = new Date(1.6e12 + at * 1000).toISOString()
      const values = { ...Object.fromEntries(empty), ...make(at++) }
      const members = { ...values, created_at: now, updated_at: now }
      return { id, ...members, ...derivedValues(database.engine, resource, members) }
    })
    const columns = Object.keys(batch[0]!)
    const places = `(${columns.map(() => '?').join(', ')})`
    const sql = `insert into ${name} (${columns.join(', ')}) values ${batch.map(() => places).join(', ')}`
    await database.run(
      sql,
      batch.flatMap((each) => Object.values(each) as Value[]),
    )
  }
  setCounter(database, name, count)
  await createDeferredIndexesIfLarge(database, resource)
}

/** Adds all records to the search index. */
export async function indexAll(database: Database, resource: Resource): Promise<void> {
  if (!(await hasDeferredIndexes(database, resource))) return
  while ((await countUnindexed(database, resource)) > 0) await indexPending(database, resource)
}
