// The registry of operations: each module declares its own, and storage.run finds them by name. Every thread that runs
// operations loads this file.

import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import type { Database } from '../database/database.ts'
import type { Resources } from '../resources/resource.ts'
import { jobKinds } from './jobs/kinds.ts'
import { erasureOperations } from './operations/history/erasure.ts'
import { historyOperations } from './operations/history/history.ts'
import { retentionOperations } from './operations/history/retention.ts'
import { undoOperations } from './operations/history/undo.ts'
import { bulkEditJobOperations } from './operations/jobs/bulk-edit-jobs.ts'
import { bulkEditOperations } from './operations/jobs/bulk-edits.ts'
import { importDraftOperations } from './operations/jobs/import-drafts.ts'
import { importOperations } from './operations/jobs/imports.ts'
import { jobOperations } from './operations/jobs/jobs.ts'
import type { JsonData, Operation, Operations, Pause } from './operations/operation.ts'
import { closeBranchOperations } from './operations/panel/close-branch.ts'
import { deskOperations } from './operations/panel/desk.ts'
import { handOverFormOperations } from './operations/panel/hand-over-forms.ts'
import { bulkOperations } from './operations/records/bulk.ts'
import { exportOperations } from './operations/records/exports.ts'
import { recordOperations } from './operations/records/records.ts'
import { searchOperations } from './operations/records/search.ts'
import { summaryOperations } from './operations/records/summary.ts'
import { settingsOperations } from './operations/settings.ts'
import { viewOperations } from './operations/views.ts'
import type { StoredResponse } from './responses/stored-response.ts'

/** Add a module's operations here. */
const modules = {
  ping: { writes: false, run: ping },
  ...recordOperations,
  ...bulkOperations,
  ...deskOperations,
  ...bulkEditOperations,
  ...bulkEditJobOperations,
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
