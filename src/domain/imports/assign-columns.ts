// Starts checking a draft import with the columns that a panel user has assigned.

import type { Storage, TenantContext } from '../../engine/storage.ts'
import { type Resource, resourceNamed } from '../declarations/resource.ts'
import type { ImportDraft } from './draft-operations.ts'
import { findDecimals } from './find-decimals.ts'
import type { ImportCaller } from './import.ts'
import { type AssignmentFault, assignColumns, assumptionsOf, type Columns, watchFormats } from './reading/columns.ts'
import { defaultMatch } from './reading/targets.ts'

/** `names`: each column's target; null skips the column. `match`: the column that identifies records; null for the
 *  default. */
export type Assignment = { names: readonly (string | null)[]; match: string | null }

/** Starts checking the draft; the caller schedules the job. Returns the fault in the assignment, or null if there is
 *  none. Throws `not_found` if the draft no longer exists. */
export async function checkDraft(
  storage: Pick<Storage, 'run'>,
  { tenant, resources }: TenantContext,
  draft: ImportDraft,
  { names, match }: Assignment,
  caller: ImportCaller,
  now: () => Date,
): Promise<AssignmentFault | null> {
  const resource = resourceNamed(resources, draft.resource)
  const titles = draft.columns.map(({ title }) => title)
  const assigned = assignColumns(titles, names, match, resource, resources)
  if ('fault' in assigned) return assigned
  const columns = await withFormats(storage, { tenant, resources }, draft, resource, assigned)
  const map = Object.fromEntries(titles.map((title) => [title, ''])) // columns without a target are skipped on purpose
  const assumptions = assumptionsOf(resource, columns, { map, match }, draft.syntax)
  while (await storage.run(tenant, 'clearImportValues', { id: draft.id })) {}
  const input = { id: draft.id, columns, match: match ?? defaultMatch, assumptions, caller }
  await storage.run(tenant, 'checkImportDraft', { ...input, now: now().toISOString() })
  return null
}

/** Reads every row to detect how dates and amounts are written in the assigned columns. */
async function withFormats(
  storage: Pick<Storage, 'run'>,
  { tenant }: TenantContext,
  { id, parts }: ImportDraft,
  resource: Resource,
  { columns, match }: Columns,
): Promise<Columns> {
  const formats = watchFormats(resource, columns, await findDecimals(storage, tenant))
  for (let part = 0; part < parts; part++)
    for (const { cells } of await storage.run(tenant, 'readImportPart', { id, part })) formats.add(cells)
  return { columns: formats.result(), match }
}
