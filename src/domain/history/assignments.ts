// Who held what, read from the history: a record's assignments, and the assets that someone held or was given.

import { budgetCheck, type Database, type Dialect, limitClause, type Value } from '../../engine/database/database.ts'
import { type Resource, type Resources, referencesOf, resourceNamed } from '../declarations/resource.ts'
import { changeColumns } from '../records/changes.ts'
import { type ChangeRow, changeJson, isNotRemoved } from './history.ts'
import { historyStart, startSeq } from './positions.ts'

/** What a record was assigned to, and when. `to` is null for the current assignment. The first member is named after
 *  the reference, such as `employee_id`, and contains the id of the record that the reference pointed to. */
export type Assignment = Record<string, Value> & { from: string; to: string | null }

/** Returns the name of the resource's required reference, or undefined if the resource has none. */
export function assignmentFieldOf(resource: Resource): string | undefined {
  return referencesOf(resource).find(({ required }) => required)?.name
}

/** Lists a record's assignments, oldest first, from its creation or, if older changes were removed, from the start of
 *  the history. A deletion ends the last assignment. Returns undefined if neither the history nor the table contains
 *  the record. Throws TooSlow. */
export async function listAssignments(
  database: Database,
  resources: Resources,
  input: { resource: string; id: number; timeoutMs: number },
): Promise<Assignment[] | undefined> {
  database.setBudget(input.timeoutMs)
  const reference = assignmentFieldOf(resourceNamed(resources, input.resource))
  if (!reference) throw new Error(`records of ${input.resource} are not assigned to anything`)
  const { engine } = database
  const [before, after] = ['before', 'after'].map((column) => `${memberOf(engine, column)} ->> '${reference}'`)
  const checks = [...budgetCheck(database, 'seq'), isNotRemoved].map(({ sql }) => sql)
  const conditions = ['resource = ?', 'record_id = ?', ...checks, `(${after} is not null or action = 'delete')`]
  const columns = `at, action, ${before} as previously_assigned_to, ${after} as assigned_to`
  const sql = `select ${columns} from changes where ${conditions.join(' and ')} order by seq`
  const changes = await database.all<AssignmentChange>(sql, [input.resource, input.id])
  const earlier = await earlierAssignment(database, reference, input, changes[0])
  const events = [...earlier, ...changes]
  return events.length === 0 ? undefined : assignmentsFrom(reference, events)
}

/** A change that assigns a record, or a deletion, which ends an assignment. */
type AssignmentEvent = { at: string; assigned_to: Value }

type AssignmentChange = AssignmentEvent & { action: string; previously_assigned_to: Value }

/** If older changes were removed, returns the assignment at the start of the history. This is the assignment before the
 *  first remaining change, or the current assignment if no change remains. */
async function earlierAssignment(
  database: Database,
  reference: string,
  { resource, id }: { resource: string; id: number },
  first: AssignmentChange | undefined,
): Promise<AssignmentEvent[]> {
  const { seq, at } = await historyStart(database)
  if (seq === 0 || first?.action === 'create') return []
  if (first) return [{ at, assigned_to: first.previously_assigned_to }]
  const sql = `select ${reference} as assigned_to from ${resource} where id = ?`
  const record = await database.get<{ assigned_to: Value }>(sql, [id])
  return record ? [{ at, ...record }] : []
}

function assignmentsFrom(reference: string, events: readonly AssignmentEvent[]): Assignment[] {
  return events.flatMap(({ at, assigned_to }, index) =>
    assigned_to === null ? [] : { [reference]: Number(assigned_to), from: at, to: events[index + 1]?.at ?? null },
  )
}

/** An asset that someone held from `from` to `to`. `from`: null if the person received the asset before the start of
 *  the history. */
export type PastItem = { id: number; from: string | null; to: string }

/** SQL for the former `employee_id` in a change: the holder from whom an asset was taken. Null if the change did not
 *  affect the holder. An index uses the same expression. */
export function formerHolder(engine: Dialect['engine']): string {
  return `${memberOf(engine, 'before')} ->> 'employee_id'`
}

/** SQL for a JSON column of the history, from which `->>` reads a member. */
function memberOf(engine: Dialect['engine'], column: string): string {
  return engine === 'sqlite' ? column : `cast(${column} as json)`
}

/** Lists the assets that were taken from a holder by a change or a deletion, latest first. Reads only the changes to
 *  these assets. */
export async function listPastItems(
  database: Database,
  { holder, limit, timeoutMs }: { holder: number; limit: number; timeoutMs: number },
): Promise<PastItem[]> {
  database.setBudget(timeoutMs)
  const { engine } = database
  const receivedAt = `select given.at from changes given
    where given.resource = 'hardware' and given.record_id = changes.record_id and given.seq < changes.seq
      and given.seq > ${startSeq} and cast(${memberOf(engine, 'given.after')} ->> 'employee_id' as text) = ?
    order by given.seq desc limit 1`
  return database.all<PastItem>(
    `select record_id as id, (${receivedAt}) as "from", at as "to" from changes
     where ${formerHolder(engine)} = ? and resource = 'hardware' and seq > ${startSeq} order by seq desc ${limitClause}`,
    [String(holder), engine === 'sqlite' ? holder : String(holder), limit],
  )
}

/** Lists the changes that gave assets to a holder or took them away, as JSON text, latest first. Reads only the changes
 *  to assets that the holder has or had. */
export async function listHandOuts(
  database: Database,
  { holder, limit, timeoutMs }: { holder: number; limit: number; timeoutMs: number },
): Promise<string[]> {
  database.setBudget(timeoutMs)
  const { engine } = database
  const former = formerHolder(engine)
  const newHolder = `${memberOf(engine, 'after')} ->> 'employee_id'`
  const inHistory = engine === 'sqlite' ? holder : String(holder)
  const rows = await database.all<ChangeRow>(
    `select ${changeColumns.join(', ')} from changes
     where resource = 'hardware' and seq > ${startSeq} and (${former} = ? or ${newHolder} = ?) and record_id in (
       select id from hardware where employee_id = ?
       union select record_id from changes where ${former} = ? and resource = 'hardware')
     order by seq desc ${limitClause}`,
    [inHistory, inHistory, holder, inHistory, limit],
  )
  return rows.map(changeJson)
}
