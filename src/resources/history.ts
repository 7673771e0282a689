// The history as it is read: changes in their order, and who a record belonged to.

import type { Database, Row, Value } from '../database.ts'
import { type Change, changeColumns } from './changes.ts'
import { type Resource, type Resources, resourceNamed } from './resource.ts'

export const actions = ['create', 'update', 'delete'] as const satisfies Change['action'][]

/** Changes behind the one numbered `since`. null: whatever it is. `id` is a record's. `within`: milliseconds. */
export type ChangesQuery = {
  limit: number
  since: number
  resource: string | null
  id: number | null
  action: Change['action'] | null
  within: number
}

/** `entries`: JSON text of each change. `since`: where whoever follows goes on. */
export type ChangesPage = { entries: string[]; hasMore: boolean; since: number }

/** What a record belonged to: `to` is null while it lasts. The first member is named after the reference. */
export type Assignment = Record<string, Value> & { from: string; to: string | null }

/** A page of the history. Since the sequence has no gaps and is the order of the commits, no change comes to stand before
 *  one that was given. Throws TooSlow. */
export async function listChanges(database: Database, resources: Resources, query: ChangesQuery): Promise<ChangesPage> {
  database.limit(query.within)
  const ranges = rangesOf(resources, query).map((range) => selectRange(database, query, range))
  const union = ranges.map(({ sql }) => `select * from (${sql}) each_range`).join(' union all ')
  const values = ranges.flatMap((range) => range.values)
  const rows = await database.all(`${union} order by seq limit ?`, [...values, query.limit + 1])
  const hasMore = rows.length > query.limit
  if (hasMore) rows.pop()
  const since = (rows.at(-1)?.seq as number | undefined) ?? query.since
  return { entries: rows.map(toJson), hasMore, since }
}

/** Each of these conditions is one range of an index, in the order of the sequence. */
function rangesOf(resources: Resources, { resource, id, action }: ChangesQuery): Record<string, Value>[] {
  const names = resource === null ? resources.map(({ name }) => name) : [resource]
  if (id !== null) return names.map((name) => ({ resource: name, record_id: id, ...(action && { action }) }))
  if (resource === null && action === null) return [{}]
  const wanted = action === null ? actions : [action]
  return names.flatMap((name) => wanted.map((each) => ({ resource: name, action: each })))
}

function selectRange({ engine }: Database, { since, limit }: ChangesQuery, range: Record<string, Value>) {
  // On SQLite the clock is looked at now and then.
  const watch = engine === 'sqlite' ? 'and case when seq & 127 then 1 else in_time() end' : ''
  const tests = Object.keys(range).map((name) => `and ${name} = ?`)
  const sql = `select ${changeColumns.join(', ')} from changes where seq > ? ${watch} ${tests.join(' ')} order by seq limit ?`
  return { sql, values: [since, ...Object.values(range), limit + 1] }
}

/** What was before and after is JSON already. */
function toJson({ record_id, before, after, ...row }: Row): string {
  const { seq, at, resource, action, api_key_id, user_id, request_id } = row
  const [head, end] = [
    { seq, at, resource, id: record_id, action },
    { api_key_id, user_id, request_id },
  ].map((part) => JSON.stringify(part).slice(1, -1))
  return `{${head},"before":${before},"after":${after},${end}}`
}

/** The reference that every record of the resource has at every time; undefined where there is none. */
export function assignmentOf(resource: Resource): string | undefined {
  return Object.keys(resource.fields).find((name) => {
    const field = resource.fields[name]!
    return field.kind === 'reference' && field.required
  })
}

/** What a record belonged to since it was made, oldest first; undefined for one that is not there. */
export async function listAssignments(
  database: Database,
  resources: Resources,
  input: { resource: string; id: number; within: number },
): Promise<Assignment[] | undefined> {
  database.limit(input.within)
  const reference = assignmentOf(resourceNamed(resources, input.resource))
  if (!reference) throw new Error(`${input.resource} are not assigned to anything`)
  const sql = `select at, after from changes where resource = ? and record_id = ? order by seq`
  const [record, changes] = await Promise.all([
    database.get(`select id from ${input.resource} where id = ?`, [input.id]),
    database.all(sql, [input.resource, input.id]),
  ])
  return record && assignmentsFrom(reference, changes)
}

function assignmentsFrom(reference: string, changes: Row[]): Assignment[] {
  const assignments: Assignment[] = []
  for (const { at, after } of changes) {
    const given = JSON.parse((after as string | null) ?? '{}') as Record<string, Value>
    if (!(reference in given)) continue
    const last = assignments.at(-1)
    if (last) last.to = at as string
    assignments.push({ [reference]: given[reference]!, from: at as string, to: null } as Assignment)
  }
  return assignments
}
