// The values that a caller sets for rows that have none (contract §17).

import { invalidRequest } from '../../../problem.ts'
import type { Resource, Resources, WritableField } from '../../declarations/resource.ts'
import { isFieldError, readValue } from '../../fields/field-values.ts'
import { suggestName } from '../../fields/unknown-names.ts'
import { CellFault, convert } from '../file/convert.ts'
import type { FindReadings } from '../file/readings.ts'
import { onlyRecord, referenceFault } from '../rows/references.ts'
import type { ColumnOptions, SetValue } from './columns.ts'
import { targetsOf } from './targets.ts'

/** A value that rows cannot have. `message`: what would be right. */
export type SetFault = { target: string; message: string }

/** Returns the values with their targets, and for each reference the best one first. `set` must be valid. */
export function setValuesOf(resource: Resource, resources: Resources, set: ColumnOptions['set']): SetValue[] {
  return settableTargets(resource, resources)
    .filter(({ name }) => Object.hasOwn(set, name))
    .map((target) => ({ target, value: set[target.name]! }))
}

/** Returns the first fault, if there is one. */
export function faultOfSet(resource: Resource, resources: Resources, set: ColumnOptions['set']): SetFault | undefined {
  const targets = settableTargets(resource, resources)
  for (const [name, value] of Object.entries(set)) {
    const target = targets.find((each) => each.name === name)
    const message = target ? faultOfValue(resource, target, value) : unknownTarget(targets, name)
    if (message !== undefined) return { target: name, message }
  }
  return undefined
}

/** Returns the first fault of a reference that is not to exactly one record, if there is one. */
export async function faultOfReferences(
  set: readonly SetValue[],
  findReadings: FindReadings,
): Promise<SetFault | undefined> {
  const references = set.flatMap(({ target, value }) => {
    return target.kind === 'reference' ? { to: target.to, readings: target.readings ?? [target.by], value, target } : []
  })
  const found = await findReadings(references.map(({ target: _, ...reference }) => reference))
  const index = found.findIndex((each) => onlyRecord(each) === undefined)
  const reference = references[index]
  return reference && { target: reference.target.name, message: referenceFault(reference, found[index]!).message }
}

/** Throws `invalid_request` if there is a fault. */
export function requireNoFault(fault: SetFault | undefined): void {
  if (fault) throw invalidRequest(`set[${fault.target.slice(0, 40)}] is not valid: ${fault.message}`)
}

/** Throws `invalid_request`. */
export function requireSetValues(resource: Resource, resources: Resources, set: ColumnOptions['set']): void {
  requireNoFault(faultOfSet(resource, resources, set))
}

/** The targets, with those of a reference in the order of their rank. */
function settableTargets(resource: Resource, resources: Resources): SetValue['target'][] {
  return targetsOf(resource, resources).filter((target) => target.kind !== 'id')
}

function unknownTarget(targets: readonly SetValue['target'][], name: string): string {
  const names = targets.map((target) => target.name)
  return `There is no such field${suggestName(name, names)}; use one of ${names.join(', ')}.`
}

function faultOfValue(resource: Resource, target: SetValue['target'], value: string): string | undefined {
  if (value === '') return 'Give it a value.'
  if (target.kind === 'reference')
    return target.by === 'id' && !target.readings ? faultOfRead({ kind: 'integer', min: 1 }, value) : undefined
  const field = resource.fields[target.name]!
  if (field.unique) return 'Each record needs a value of its own; use a column.'
  if (field.kind === 'timestamp') return undefined
  const converted = convert(resource, field, {}, value)
  return converted instanceof CellFault ? converted.message : faultOfRead(field, converted)
}

function faultOfRead(field: WritableField, value: unknown): string | undefined {
  const read = readValue(field, value)
  return isFieldError(read) ? read.message : undefined
}
