// Applies a form about equipment and people. The form's steps run in one transaction and form one change set. Either
// all steps succeed, or nothing changes.

import type { Database } from '../../engine/database/database.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import { requireMatch, type StoredResponse } from '../../engine/responses/stored-response.ts'
import { envelope, Problem, type ProblemCode } from '../../problem.ts'
import { byId, resourceNamed } from '../declarations/resource.ts'
import { nextTags } from '../fields/asset-tags.ts'
import type { FieldError } from '../fields/field-values.ts'
import type { RecordInput, Values } from '../fields/validate.ts'
import type { OngoingChange, StoredRecord } from '../records/changes.ts'
import { createRecord, updateRecord } from '../records/records.ts'
import { applyVerb, requireRecipient, type VerbAnswers } from './apply-verb.ts'
import type { VerbName } from './verbs.ts'

/** Stands for the person that an earlier step creates. */
export const newPerson = 'new'

/** `holder`: who receives a new piece of hardware, either an existing person or the person that an earlier step
 *  creates. If `holder` is absent, the input names the holder or the stock. */
export type DeskStep =
  | { kind: 'verb'; verb: VerbName; id: number; ifMatch: string | null; answers: DeskAnswers }
  | ({ kind: 'create'; resource: string; holder?: typeof newPerson | { id: number } } & RecordInput)
  | { kind: 'update'; resource: string; id: number; values: Values; ifMatch: string | null }

export type DeskAnswers = Omit<VerbAnswers, 'person'> & { person?: number | typeof newPerson }

/** A failed step: its index in the request, and the error envelope's members. */
export type FailedStep = { step: number; error: { code: ProblemCode }; errors?: Record<string, FieldError> }

export type DeskRequest = { steps: DeskStep[] }

export const deskOperations = defineOperations({
  desk: { ...mutation(applySteps), isLong: true },
  nextTags: { writes: false, run: (database: Database, { count }: { count: number }) => nextTags(database, count) },
})

/** The response names the records in the same order as the steps. If any step fails, the response is 422 `bulk_failed`
 *  with every failure, and nothing is changed. */
async function applySteps(database: Database, { steps }: DeskRequest, change: OngoingChange): Promise<StoredResponse> {
  const records: { resource: string; id: number }[] = []
  const failures: unknown[] = []
  let person: number | undefined
  let hasChanged = false
  for (const [index, step] of steps.entries()) {
    try {
      const { record, isChanged } = await applyStep(database, step, person, change)
      const { id } = record
      hasChanged ||= isChanged
      const resource = step.kind === 'verb' ? 'hardware' : step.resource
      if (step.kind === 'create' && resource === 'employees') person = id
      records.push({ resource, id })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      failures.push({ step: index, ...JSON.parse(envelope(error)) })
    }
    await change.pause()
  }
  if (failures.length === 0) {
    const body = JSON.stringify({ records })
    return { status: 200, body, location: null, changeSet: hasChanged ? change.context.changeSet : null }
  }
  const problem = new Problem('bulk_failed', { members: { failures } })
  return { status: problem.status, body: envelope(problem), location: null, changeSet: null }
}

async function applyStep(
  database: Database,
  step: DeskStep,
  person: number | undefined,
  { resources, context }: OngoingChange,
): Promise<{ record: StoredRecord; isChanged: boolean }> {
  if (step.kind === 'verb') {
    const { verb, id, ifMatch, answers } = step
    const check = (item: StoredRecord) => requireMatch(ifMatch, item)
    const item = await applyVerb(database, { verb, id, answers: withPerson(answers, person), context, check })
    return { record: item, isChanged: true }
  }
  const change = { resource: resourceNamed(resources, step.resource), context }
  if (step.kind === 'update') {
    const check = (record: StoredRecord) => requireMatch(step.ifMatch, record)
    return updateRecord(database, { ...change, values: step.values, key: byId(step.id), check })
  }
  const { kind: _, holder, ...input } = step
  let creation: RecordInput = input
  if (holder !== undefined) {
    const id = holder === newPerson ? person : await requireRecipient(database, holder.id)
    if (id === undefined) throw new Problem('invalid_employee')
    creation = { values: { ...input.values, employee_id: id } }
  }
  const record = await createRecord(database, { ...creation, ...change, stockCreation: 'separate' })
  return { record, isChanged: true }
}

function withPerson({ person, ...answers }: DeskAnswers, createdPerson: number | undefined): VerbAnswers {
  const id = person === newPerson ? createdPerson : person
  return { ...answers, ...(id !== undefined && { person: id }) }
}
