// The values that forms suggest for fields such as the manufacturer, taken from the newest records.

import type { Database } from '../../engine/database/database.ts'
import { deriveOnce, type Resource } from '../declarations/resource.ts'

/** Only this many of the newest records are read, so that suggestions do not require an index and are equally fast for
 *  tenants of any size. */
const maxRecords = 1000

/** The maximum number of values per field. */
const maxValues = 50

const suggestedFields = deriveOnce(({ fields }: Resource) =>
  Object.keys(fields).filter((name) => {
    const field = fields[name]!
    return field.kind === 'text' && field.isSuggested
  }),
)

/** The values by field, most frequent first. */
export async function listSuggestions(database: Database, resource: Resource): Promise<Record<string, string[]>> {
  const names = suggestedFields(resource)
  if (names.length === 0) return {}
  const sql = `select ${names.join(', ')} from ${resource.name} order by id desc limit ?`
  const rows = await database.all(sql, [maxRecords])
  return Object.fromEntries(names.map((name) => [name, mostFrequent(rows.map((row) => row[name]))]))
}

function mostFrequent(values: unknown[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.slice(0, maxValues).map(([value]) => value)
}
