// Builds the task for a create request, in the form in which the service sends it to a writer thread.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { customers } from '../../src/domain/declarations/customers.ts'
import { newChangeSet } from '../../src/domain/records/changes.ts'
import { recordOperations } from '../../src/domain/records/operations.ts'
import type { Input } from '../../src/engine/operation.ts'
import { noSlot, type Task } from '../../src/engine/sqlite/threads/messages.ts'

const defaults = Object.fromEntries(
  Object.entries(customers.fields).map(([name, field]) => [name, 'default' in field ? field.default : null]),
)

const idempotencyDefaults = { fingerprint: 'constant', scopes: '*:read *:write', reuse: 'replay' } as const

export function createTask(
  taskId: number,
  tenant: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
  body: object,
): Task {
  const key = headers['idempotency-key']
  const input: Input<typeof recordOperations.mutate> = {
    context: {
      now: new Date().toISOString(),
      actor: { apiKeyId: tenant },
      requestId: randomUUID(),
      changeSet: newChangeSet(new Date()),
    },
    idempotency: key === undefined ? null : { key: String(key), ...idempotencyDefaults },
    request: { action: 'create', resource: 'customers', values: { ...defaults, ...body }, location: '/?id=' },
  }
  return { taskId, slot: noSlot, tenant, name: recordOperations.mutate.name, input }
}
