// The history row of a change (contract §13): written in the transaction of the change and never modified.

import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { Values } from '../validate.ts'

/** Who made a change: an API key or a user of the panel. */
export type Actor = { apiKeyId: string } | { userId: string }

/** Recorded with every change: when (RFC 3339, UTC), by whom, in which request, and in which change set. */
export type ChangeContext = { now: string; actor: Actor; requestId: string; changeSet: string }

/** The id of a new change set: the changes that one request, form, import or undo makes (contract §16). Its UUIDs increase with
 *  time, so that their index grows at its end. */
export function newChangeSet(): string {
  return randomUUIDv7()
}

/** `before` and `after` contain the changed fields. `before` is null for a creation, `after` for a deletion. */
export type Change = {
  resource: string
  recordId: number
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
}

const insert = `
  insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set)
  select coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from changes`

/** The columns of a history row, in the order of its table. */
export const changeColumns = [
  ...['seq', 'at', 'resource', 'record_id', 'action', 'before', 'after', 'api_key_id', 'user_id', 'request_id'],
  'change_set',
]

/** Each tenant's changes run one after another, so the sequence has no gaps and matches the order of commits. A client that
 *  follows it misses no change. */
export function recordChange(database: Database, context: ChangeContext, change: Change): void {
  const apiKeyId = 'apiKeyId' in context.actor ? context.actor.apiKeyId : null
  const userId = 'userId' in context.actor ? context.actor.userId : null
  database.runDeferred(insert, [
    context.now,
    change.resource,
    change.recordId,
    change.action,
    change.before && JSON.stringify(change.before),
    change.after && JSON.stringify(change.after),
    apiKeyId,
    userId,
    context.requestId,
    context.changeSet,
  ])
}
