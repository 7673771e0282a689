// The selected records, which are stored in a draft job.

import { bulkEditOperations } from '../../../domain/bulk/operations.ts'
import type { ListQuery, Position } from '../../../domain/lists/query.ts'
import { newChangeSet } from '../../../domain/records/changes.ts'
import { readPanelListRequest } from '../../requests/list-request.ts'
import { requireNumber } from '../../requests/read-number.ts'
import type { RecordRequest } from '../records/request.ts'
import { type BulkTask, hasForm, toEdit } from './tasks.ts'

/** A job changes at most this many records, so that an undo can revert all its changes. */
export const maxSelected = 100_000

/** `seq`: the sequence number of the newest change before the ids were read; null for ticked rows. */
type Selection = { ids: number[]; seq: number | null }

/** Returns the ids of the ticked rows, or of all records that match the list's filters. */
export async function readSelection(request: RecordRequest): Promise<Selection | 'too many'> {
  const { form } = request
  if (form.has('all')) return selectMatching(request, form.get('filter') ?? '')
  const ids = [...new Set(form.getAll('id').map(requireNumber))].toSorted((one, other) => one - other)
  return { ids, seq: null }
}

/** One query reads this many ids, in a few milliseconds. */
const pageSize = 1000

/** Returns the ids of all matching records, in ascending order. Throws a Problem for invalid parameters. */
async function selectMatching(request: RecordRequest, filter: string): Promise<Selection | 'too many'> {
  const { deps, tenant, resource } = request
  const params = filterParameters(filter)
  const { cursor: _, ...listRequest } = readPanelListRequest(request, params, resource)
  const list = {
    ...listRequest,
    sort: { field: 'id', isDescending: false },
    limit: pageSize,
    includes: {},
    withTotal: false,
  }
  const selected: Selection = { ids: [], seq: null }
  let after: Position | null = null
  do {
    const query: ListQuery = { ...list, after, timeoutMs: deps.listTimeoutMs }
    const page = await deps.storage.run(tenant, bulkEditOperations.selectIds, { resource: resource.name, query })
    selected.ids.push(...page.ids)
    selected.seq ??= page.seq
    if (selected.ids.length > maxSelected) return 'too many'
    after = page.next
  } while (after !== null)
  return selected
}

/** Returns only those list parameters that determine which records match. */
export function filterParameters(filter: string): Record<string, string> {
  const otherNames = ['sort', 'cursor', 'limit', 'total', 'include', 'tenant', 'resource', 'notice', 'view', 'columns']
  return Object.fromEntries([...new URLSearchParams(filter)].filter(([name]) => !otherNames.includes(name)))
}

/** One operation stores at most this many ids. */
const idsPerOperation = 10_000

/** Stores the selection as a draft job. If the task has no questions, the job starts at once. Returns the job's id. */
export async function createDraftJob(request: RecordRequest, task: BulkTask, { ids, seq }: Selection): Promise<number> {
  const { deps, tenant, resource, session, requestId } = request
  const now = deps.now()
  const origin = { actor: { userId: session.user.id }, requestId, changeSet: newChangeSet(now) }
  const input = { resource: resource.name, task: task.name, selected: ids.length, seq, origin }
  return deps.jobs.schedule(tenant, async () => {
    const id = await deps.storage.run(tenant, bulkEditOperations.draftBulkEdit, { input, now: now.toISOString() })
    for (let index = 0; index < ids.length; index += idsPerOperation)
      await deps.storage.run(tenant, bulkEditOperations.addToBulkEdit, {
        id,
        ids: ids.slice(index, index + idsPerOperation),
      })
    if (!hasForm(task)) {
      const command = { action: 'choose', edit: toEdit(resource, task, {}) } as const
      await deps.storage.run(tenant, bulkEditOperations.commandBulkEdit, { id, command, now: now.toISOString() })
    }
    return id
  })
}
