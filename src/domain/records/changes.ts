// A change's history row (contract §13), written in the same transaction as the change. Only erasure and retention
// modify it.

import { randomUUIDv7 } from 'node:crypto'
import type { Database, Value } from '../../engine/database/database.ts'
import { insertRows } from '../../engine/database/statements.ts'
import type { ChangeOf, MutationInput, Pipelined } from '../../engine/mutation.ts'
import type { Resources } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'

/** Who made a change: an API key, a user of the panel, or a command. */
export type Actor = { apiKeyId: string } | { userId: string } | { command: true }

/** What is recorded with every change: its time (RFC 3339, UTC), who made it, and the ids of its request and change
 *  set. */
export type ChangeContext = { now: string; actor: Actor; requestId: string; changeSet: string }

/** The change that an operation is making, apart from its request. */
export type OngoingChange = ChangeOf<Resources, ChangeContext>

export type PipelinedChange = OngoingChange & Pipelined

/** The input of an operation that changes data. */
export type ChangeInput<Request> = MutationInput<Request, ChangeContext>

/** Returns the id of a new change set, which groups the changes made by one request, form, import or undo (contract
 *  §16). The UUIDs begin with the time, so that their index grows only at its end. */
export function newChangeSet(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`
}

/** The time at the start of a change set's id; undefined for a UUID of a different version. */
export function timeOfChangeSet(uuid: string): string | undefined {
  if (uuid[14] !== '7') return undefined
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString()
}

/** `before` and `after` contain the changed fields. `before` is null for a creation, `after` for a deletion. */
export type Change = {
  resource: string
  recordId: number
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
}

/** A history row's columns, in table order. */
export const changeColumns = [
  'seq',
  'at',
  'resource',
  'record_id',
  'action',
  'before',
  'after',
  'api_key_id',
  'user_id',
  'request_id',
  'change_set',
]

const columnsAfterSeq = changeColumns.slice(1)
const parameters = columnsAfterSeq.map(() => '?').join(', ')

/** SQLite numbers a row itself, by the same rule. A query of the table would make it collect the row in a temporary
 *  table first, which takes 5 µs. */
const insertSql = {
  sqlite: `insert into changes (${columnsAfterSeq.join(', ')}) values (${parameters})`,
  postgres: `insert into changes (${changeColumns.join(', ')}) select coalesce(max(seq), 0) + 1, ${parameters} from changes`,
} as const satisfies Record<Database['engine'], string>

/** Adds a history row. A tenant's changes run one after another, so the numbers have no gaps and follow the order of
 *  commits. A client that reads changes in sequence therefore does not miss any. */
export function recordChange(database: Database, context: ChangeContext, change: Change): void {
  database.runDeferred(insertSql[database.engine], Object.values(columnsOf(context, change)))
}

/** Records several changes, in the given order. */
export async function recordChanges(
  database: Database,
  context: ChangeContext,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  const newest = await database.get('select coalesce(max(seq), 0) as seq from changes')
  const first = Number(newest!.seq) + 1
  insertRows(
    database,
    'changes',
    changes.map((change, index) => ({ seq: first + index, ...columnsOf(context, change) })),
  )
}

/** The columns of a row except `seq`, in table order. */
function columnsOf({ now, actor, requestId, changeSet }: ChangeContext, change: Change): Record<string, Value> {
  return {
    at: now,
    resource: change.resource,
    record_id: change.recordId,
    action: change.action,
    before: change.before && JSON.stringify(change.before),
    after: change.after && JSON.stringify(change.after),
    api_key_id: 'apiKeyId' in actor ? actor.apiKeyId : null,
    user_id: 'userId' in actor ? actor.userId : null,
    request_id: requestId,
    change_set: changeSet,
  }
}
