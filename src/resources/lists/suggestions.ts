// The values that the newest records have in fields such as a manufacturer, which forms offer while typing.

import type { Database } from '../../database/database.ts'
import { deriveOnce } from '../derive.ts'
import type { Resource } from '../resource.ts'

/** A form offers what is used now, so that it does not need an index and a tenant's size does not matter. */
const newestRecords = 1000

/** Per field, the most frequent first. */
const mostValues = 50

/** The names of the fields whose values are suggested. */
export const suggestedFields = deriveOnce(({ fields }: Resource) =>
  Object.keys(fields).filter((name) => {
    const field = fields[name]!
    return field.kind === 'text' && field.isSuggested
  }),
)

/** The values by field. */
export async function listSuggestions(database: Database, resource: Resource): Promise<Record<string, string[]>> {
  const names = suggestedFields(resource)
  if (names.length === 0) return {}
  const sql = `select ${names.join(', ')} from ${resource.name} order by id desc limit ?`
  const rows = await database.all(sql, [newestRecords])
  return Object.fromEntries(names.map((name) => [name, mostFrequent(rows.map((row) => row[name]))]))
}

function mostFrequent(values: unknown[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.slice(0, mostValues).map(([value]) => value)
}
