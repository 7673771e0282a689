// The values that a caller sets for rows that have none (contract §17).

import { invalidRequest } from '../../../problem.ts'
import {
  assignedFieldOf,
  isAmount,
  type Resource,
  type Resources,
  type WritableField,
} from '../../declarations/resource.ts'
import { isFieldError, readValue } from '../../fields/field-values.ts'
import { suggestName } from '../../fields/unknown-names.ts'
import { type AmountFormat, type AmountUnit, type Currency, isAmountText } from '../file/amounts.ts'
import { acceptedAmounts, CellFault, convert } from '../file/formats.ts'
import type { FindReadings } from '../file/readings.ts'
import { readYesNo } from '../file/words.ts'
import { acceptedValues } from '../rows/accepted-values.ts'
import { onlyRecord, referenceFault } from '../rows/references.ts'
import type { ColumnOptions, FileColumns, SetValue } from './columns.ts'
import { targetsOf } from './targets.ts'

/** A value that rows cannot have. `message`: what would be right. */
export type SetFault = { target: string; message: string }

/** Returns the values with their targets, and for each reference the best one first, and whether new records get tags.
 *  `set` must be valid. */
export function setValuesOf(
  resource: Resource,
  resources: Resources,
  set: ColumnOptions['set'],
): Pick<FileColumns, 'set' | 'assignsTag'> {
  const values = settableTargets(resource, resources)
    .filter(({ name }) => Object.hasOwn(set, name))
    .map((target) => ({ target, value: set[target.name]! }))
  const { member = '' } = assignedFieldOf(resource) ?? {}
  const assignsTag = Object.hasOwn(set, member) && readYesNo(set[member]!) === true
  return { ...(values.length > 0 && { set: values }), ...(assignsTag && { assignsTag }) }
}

/** Returns the first fault, if there is one. */
export function faultOfSet(
  resource: Resource,
  resources: Resources,
  { set, amounts }: Pick<ColumnOptions, 'set' | 'amounts'>,
): SetFault | undefined {
  const targets = settableTargets(resource, resources)
  const { member } = assignedFieldOf(resource) ?? {}
  for (const [name, value] of Object.entries(set)) {
    const target = targets.find((each) => each.name === name)
    const names = [...targets.map((each) => each.name), ...(member === undefined ? [] : [member])]
    const message = target
      ? faultOfValue(resource, target, value, amounts)
      : name === member
        ? faultOfRead({ kind: 'boolean' }, readYesNo(value) ?? value)
        : unknownTarget(names, name)
    if (message !== undefined) return { target: name, message }
  }
  return undefined
}

/** What setting values needs to know about a tenant. */
export type SetData = { findReadings: FindReadings; hasTagFormat: () => Promise<boolean> }

/** Returns the first fault that depends on the tenant's data, if there is one: a reference that is not to exactly one
 *  record, or tags without a format. */
export async function faultInTenant(
  resource: Resource,
  { set = [], assignsTag }: FileColumns,
  { findReadings, hasTagFormat }: SetData,
): Promise<SetFault | undefined> {
  if (assignsTag && !(await hasTagFormat()))
    return { target: assignedFieldOf(resource)!.member, message: 'The settings have no tag_format.' }
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

/** Returns the columns with the amounts that are set for all rows in minor units. `unit`: in which they are given; null is
 *  minor. Throws `invalid_request`. */
export async function withSetAmounts(
  resource: Resource,
  file: FileColumns,
  unit: AmountUnit | null,
  findCurrency: () => Promise<Currency>,
): Promise<FileColumns> {
  if (unit !== 'major' || !file.set?.some(({ target }) => isAmount(resource.fields[target.name]))) return file
  const { code, digits } = await findCurrency()
  const amounts: AmountFormat = { unit, decimal: undefined, digits, currency: code }
  const set = file.set.map((each): SetValue => {
    const field = resource.fields[each.target.name]
    if (!isAmount(field)) return each
    const read = convert(resource, field!, { amounts }, each.value)
    if (read instanceof CellFault) requireNoFault({ target: each.target.name, message: read.message })
    return { ...each, value: String(read) }
  })
  return { ...file, set }
}

/** The targets, with those of a reference in the order of their rank. */
function settableTargets(resource: Resource, resources: Resources): SetValue['target'][] {
  return targetsOf(resource, resources).filter((target) => target.kind !== 'id')
}

function unknownTarget(names: readonly string[], name: string): string {
  return `There is no such field${suggestName(name, names)}; use one of ${names.join(', ')}.`
}

function faultOfValue(
  resource: Resource,
  target: SetValue['target'],
  value: string,
  amounts: AmountUnit | null,
): string | undefined {
  if (value === '') return 'Give it a value.'
  if (target.kind === 'reference')
    return target.by === 'id' && !target.readings ? faultOfRead({ kind: 'integer', min: 1 }, value) : undefined
  const field = resource.fields[target.name]!
  if (field.unique) return 'Each record needs a value of its own; use a column.'
  if (field.kind === 'timestamp') return undefined
  if (amounts === 'major' && isAmount(field)) return isAmountText(value) ? undefined : acceptedAmounts.major
  const converted = convert(resource, field, {}, value)
  if (converted instanceof CellFault) return converted.message
  const read = readValue(field, converted)
  if (!isFieldError(read)) return undefined
  if (isAmount(field)) return acceptedAmounts.minor
  return acceptedValues(resource, target.name, read.code) ?? read.message
}

function faultOfRead(field: WritableField, value: unknown): string | undefined {
  const read = readValue(field, value)
  return isFieldError(read) ? read.message : undefined
}
