// Runs the API's mutations for the panel's forms. If a form is submitted twice, its mutation runs only once.

import type { FieldError } from '../../../domain/fields/field-values.ts'
import { type RecordMutation, recordOperations } from '../../../domain/records/operations.ts'
import { Problem, type ProblemCode } from '../../../problem.ts'
import type { PanelRecord } from '../../components/record-fields.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { RecordRequest } from '../../requests/request.ts'

/** The record that was created, changed or deleted. `changeSet`: null if nothing has changed. */
export type Saved = { record: PanelRecord; changeSet: string | null }

export type RefusedMutation = { code: ProblemCode; errors: Record<string, FieldError> }

/** The saved record, or why nothing was saved. */
export type SaveOutcome = Saved | RefusedMutation

/** Runs a mutation. Throws Unavailable. */
export async function submitMutation(request: RecordRequest, mutation: RecordMutation): Promise<SaveOutcome> {
  const { deps, tenant } = request
  const input = changeInput(request, mutation, [`${mutation.resource}:${mutation.action}`])
  const response = await deps.engine.run(tenant, recordOperations.mutate, input)
  const body = JSON.parse(response.body)
  if (response.status < 400) return { record: body, changeSet: response.changeSet }
  return { code: body.error.code, errors: body.errors ?? {} }
}

/** Turns a Problem, for example from validation, into an outcome. Rethrows every other error. */
export function toInvalidOutcome(error: unknown): RefusedMutation {
  if (!(error instanceof Problem)) throw error
  return { code: error.code, errors: (error.members.errors ?? {}) as Record<string, FieldError> }
}
