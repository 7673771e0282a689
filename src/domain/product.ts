// The registry of operations: each module declares its own, and storage.run finds them by name. Every thread that runs
// operations loads this file.

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { Database } from '../engine/database/database.ts'
import type { JsonData, Operation, Operations, Pause } from '../engine/operation.ts'
import type { StoredResponse } from '../engine/responses/stored-response.ts'
import { bulkEditOperations } from './bulk/operations.ts'
import type { Resources } from './declarations/resource.ts'
import { closeBranchOperations } from './equipment/close-branch/operations.ts'
import { handOverFormOperations } from './equipment/hand-over-forms.ts'
import { deskOperations } from './equipment/operations.ts'
import { exportOperations } from './exports/operations.ts'
import { historyOperations } from './history/operations.ts'
import { retentionOperations } from './history/retention/operations.ts'
import { undoOperations } from './history/undo/operations.ts'
import { importDraftOperations } from './imports/draft-operations.ts'
import { importOperations } from './imports/operations.ts'
import { jobKinds } from './jobs/kinds.ts'
import { jobOperations } from './jobs/operations.ts'
import { erasureOperations } from './people-data/operations.ts'
import { bulkOperations } from './records/bulk.ts'
import { recordOperations } from './records/operations.ts'
import { searchOperations } from './search/operations.ts'
import { settingsOperations } from './settings/operations.ts'
import { summaryOperations } from './summary/operations.ts'
import { viewOperations } from './views/operations.ts'

/** Add a module's operations here. */
const modules = {
  ping: { writes: false, run: ping },
  ...recordOperations,
  ...bulkOperations,
  ...deskOperations,
  ...bulkEditOperations,
  ...closeBranchOperations,
  ...handOverFormOperations,
  ...historyOperations,
  ...exportOperations,
  ...undoOperations,
  ...erasureOperations,
  ...retentionOperations,
  ...searchOperations,
  ...settingsOperations,
  ...viewOperations,
  ...summaryOperations,
  ...jobOperations,
  ...importOperations,
  ...importDraftOperations,
} as const satisfies Operations

type Modules = typeof modules
export type OperationName = keyof Modules
export type Input<Name extends OperationName> = Parameters<Modules[Name]['run']>[2]
export type Output<Name extends OperationName> = Awaited<ReturnType<Modules[Name]['run']>>

/** The operations that an Idempotency-Key makes safe to retry. */
export type MutationName = {
  [Name in OperationName]: Output<Name> extends StoredResponse ? Name : never
}[OperationName]

/** No operation fits this type if its input is not JSON data. */
type TakingJson = {
  [Name in OperationName]: Input<Name> extends JsonData<Input<Name>> ? Operation<never, unknown> : never
}

export const operations: { readonly [Name in OperationName]: Operation<never, unknown> } = {
  ...modules,
} satisfies TakingJson

/** Where an operation runs: the tenant's database with the declarations of its records. */
export type OperationContext = { database: Database; resources: Resources; pause: Pause }

/** Runs an operation. The caller begins and ends the transaction. */
export function runOperation<Name extends OperationName>(
  { database, resources, pause }: OperationContext,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const operation = operations[name] as Operation<Input<Name>, Output<Name>>
  return operation.run(database, resources, input, pause)
}

/** Registers an external module's `operations` and `jobKinds` exports. Threads started later load it too. */
export async function registerOperations(url: string): Promise<void> {
  setEnvironmentData(externalModules, [...externalUrls(), url])
  await load(url)
}

const externalModules = 'tenantdesk.operations'

function externalUrls(): string[] {
  return (getEnvironmentData(externalModules) ?? []) as string[]
}

async function load(url: string): Promise<void> {
  const module = await import(url)
  Object.assign(operations, module.operations)
  Object.assign(jobKinds, module.jobKinds)
}

await Promise.all(externalUrls().map(load))

/** Throws Unavailable unless the database can be reached. */
async function ping(database: Database, _resources: Resources, _input: null): Promise<null> {
  await database.get('select id from tenant')
  return null
}
