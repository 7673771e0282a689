// Removes a person's data from what users have saved: the queries of views, and the values that mappings of imports give to
// rows or in place of cells. Also rewrites records and history rows without personal data, whatever they are about.

import { unescape as decode } from 'node:querystring'
import { type Awaitable, type Database, limitClause } from '../../engine/database/database.ts'
import { importMappings } from '../declarations/import-mappings.ts'
import { columns, type Resource } from '../declarations/resource.ts'
import { views } from '../declarations/views.ts'
import type { Values } from '../fields/validate.ts'
import { withErasedTexts } from '../imports/import.ts'
import type { ImportMapping } from '../imports/mappings/mapping.ts'
import { type ChangeContext, recordChange, type StoredRecord, toRecord } from '../records/changes.ts'
import { changedValues, overwriteRecord } from '../records/records.ts'

/** Returns the text, or what replaces it if it is about the person. */
export type EraseText = (text: string) => string

const savedTexts: readonly {
  resource: Resource
  column: string
  eraseIn: (saved: string, erase: EraseText) => string
}[] = [
  { resource: views, column: 'query', eraseIn: eraseQuery },
  {
    resource: importMappings,
    column: 'mapping',
    eraseIn: (json, erase) => JSON.stringify(withErasedTexts(JSON.parse(json) as ImportMapping, erase)),
  },
]

function eraseQuery(query: string, erase: EraseText): string {
  const eraseParameter = (parameter: string) => {
    const start = parameter.indexOf('=') + 1
    const value = decode(parameter.slice(start).replaceAll('+', ' '))
    const erased = erase(value) === value ? value.split(',').map(erase).join(',') : erase(value)
    return erased === value ? parameter : parameter.slice(0, start) + encodeURIComponent(erased)
  }
  return query.split('&').map(eraseParameter).join('&')
}

/** Returns whether a record had the person's data. */
export async function eraseSavedTexts(
  database: Database,
  context: ChangeContext,
  erase: EraseText,
  pause: () => Awaitable<void>,
): Promise<boolean> {
  let isChanged = false
  for (const { resource, column, eraseIn } of savedTexts) {
    const eraseValues = (values: Values): Values => {
      const text = values[column]
      const erased = typeof text === 'string' ? eraseIn(text, erase) : text
      return erased === text ? values : { ...values, [column]: erased! }
    }
    const sql = `select ${columns(resource).join(', ')} from ${resource.name} where id > ? order by id ${limitClause}`
    for (let page: StoredRecord[] = [], last = 0; ; last = page.at(-1)!.id) {
      page = await database.all<StoredRecord>(sql, [last, pageSize])
      for (const record of page.map((row) => toRecord(resource, row)))
        isChanged = overwriteErased(database, context, resource, { record, erased: eraseValues(record) }) || isChanged
      if (page.length < pageSize) break
      await pause()
    }
    await eraseHistory(database, { resource }, eraseValues, pause)
  }
  return isChanged
}

/** How many rows one statement reads. Processing them takes about a millisecond. */
const pageSize = 100

/** Overwrites a record with its erased values and adds a history row, unless they are equal. The row does not contain the
 *  erased values: its `before` and `after` are equal. Returns whether the record has changed. */
export function overwriteErased(
  database: Database,
  context: ChangeContext,
  resource: Resource,
  { record, erased }: { record: StoredRecord; erased: Values },
): boolean {
  const changed = changedValues(record, erased)
  if (Object.keys(changed).length === 0) return false
  overwriteRecord(database, resource, { ...record, ...changed, updated_at: context.now }, changed)
  const values = { before: changed, after: changed }
  recordChange(database, context, { resource: resource.name, recordId: record.id, action: 'update', ...values })
  return true
}

type ChangedValues = { seq: number; record_id: number; before: string | null; after: string | null }

/** Applies `erase` to the values in the history of one record, or of all records if there is no `id`. `rows`: how many
 *  history rows there are. `changes`: how many of them were changed. */
export async function eraseHistory(
  database: Database,
  { resource, id }: { resource: Resource; id?: number },
  erase: (values: Values) => Values,
  pause: () => Awaitable<void>,
): Promise<{ rows: number; changes: number }> {
  const eraseJson = (json: string | null) => {
    if (json === null) return null
    const values: Values = JSON.parse(json)
    const erased = erase(values)
    return erased === values ? json : JSON.stringify(erased)
  }
  const sql = `select seq, record_id, before, after from changes
    where resource = ? and record_id <= ? and (record_id, seq) > (?, ?) order by record_id, seq ${limitClause}`
  let [rows, changes] = [0, 0]
  for (let last = { record_id: id ?? 0, seq: 0 }; ; ) {
    const values = [resource.name, id ?? Number.MAX_SAFE_INTEGER, last.record_id, last.seq, pageSize]
    const page = await database.all<ChangedValues>(sql, values)
    for (const { seq, before, after } of page) {
      const erased = [eraseJson(before), eraseJson(after)]
      if (erased[0] === before && erased[1] === after) continue
      changes++
      database.runDeferred('update changes set before = ?, after = ? where seq = ?', [erased[0]!, erased[1]!, seq])
    }
    rows += page.length
    if (page.length < pageSize) return { rows, changes }
    last = page.at(-1)!
    await pause()
  }
}
