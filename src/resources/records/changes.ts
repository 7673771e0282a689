// The history row of a change (contract §13): written in the transaction of the change, edited by nothing.

import type { Database } from '../../database/database.ts'
import type { Values } from '../validate.ts'

/** Who made a change: an API key or a person of the panel. */
export type Actor = { apiKeyId: string } | { userId: string }

/** What every change is written down with: when (RFC 3339, UTC), by whom, in which request. */
export type ChangeContext = { now: string; actor: Actor; requestId: string }

/** `before` and `after` hold what the change touched: nothing before a creation, nothing after a deletion. */
export type Change = {
  resource: string
  recordId: number
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
}

const insert = `
  insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id)
  select coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? from changes`

/** The columns of a history row, in the order of its table. */
export const changeColumns = [
  ...['seq', 'at', 'resource', 'record_id', 'action', 'before', 'after', 'api_key_id', 'user_id', 'request_id'],
]

/** The sequence has no gaps and is the order of the commits, so that whoever follows it misses nothing: the changes of a tenant
 *  are made one after another. */
export function recordChange(database: Database, occasion: ChangeContext, change: Change): void {
  const apiKeyId = 'apiKeyId' in occasion.actor ? occasion.actor.apiKeyId : null
  const userId = 'userId' in occasion.actor ? occasion.actor.userId : null
  database.runDeferred(insert, [
    occasion.now,
    change.resource,
    change.recordId,
    change.action,
    change.before && JSON.stringify(change.before),
    change.after && JSON.stringify(change.after),
    apiKeyId,
    userId,
    occasion.requestId,
  ])
}
