// The targets of an imported file's columns: the fields of a resource, and its references by each field that can identify
// the other record.

import { invalidRequest } from '../../../problem.ts'
import { type Field, isName, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import type { ColumnTarget, FileColumns, ReferenceTarget } from './columns.ts'

/** The columns that can identify a record (contract §17). */
const identifyingColumns = ['external_id', 'id', 'asset_tag', 'serial_number', 'email', 'code', 'employee_no'] as const

export const defaultMatch = 'external_id'

/** The columns that identify a record of this resource, the default first. */
export function matchColumnsOf({ fields }: Resource): string[] {
  return identifyingColumns.filter((name) => name === 'id' || Object.hasOwn(fields, name))
}

export function targetsOf(resource: Resource, resources: Resources): ColumnTarget[] {
  return Object.entries<Field>(resource.fields).flatMap(([name, field]): ColumnTarget[] => {
    if (field.kind !== 'reference') return field.readOnly ? [] : [{ kind: 'field', name }]
    const { stock } = field
    const stockTargets = stock ? referenceTargets(stock.member, resourceNamed(resources, stock.of), stockPrefix) : []
    return [...referenceTargets(name, resourceNamed(resources, field.to)), ...stockTargets]
  })
}

/** Distinguishes the columns with a branch's stock from those with a branch. */
const stockPrefix = 'stock_'

/** The targets of a reference: one for each field that identifies a record of `to`, and one that is looked up by its
 *  contents. */
function referenceTargets(field: string, to: Resource, prefix = ''): ReferenceTarget[] {
  const lookups = ['id', ...(to.lookups ?? []).filter((lookup) => Object.hasOwn(to.fields, lookup))]
  const reference = { kind: 'reference' as const, field, to: to.name }
  const single = lookups.map((by, rank) => {
    return { ...reference, name: by === 'id' ? field : prefix + referenceColumn(to, by), by, rank }
  })
  const names = Object.keys(to.fields).filter((name) => isName(to.fields[name]) && !lookups.includes(name))
  const byContents = { by: 'id', rank: lookups.length, readings: [...lookups, ...names] }
  return [...single, { ...reference, name: field.replace(/_id$/, ''), ...byContents }]
}

export function fieldOf(target: ColumnTarget): string {
  return target.kind === 'reference' ? target.field : target.name
}

/** Returns the field whose labels are titles of columns with this target. Undefined if only its name is a title. */
export function labelledField(target: ColumnTarget): string | undefined {
  if (target.kind !== 'reference') return target.name
  return target.readings && target.field
}

/** `employee_email` for an employee's email; `employee_no` already has the prefix. */
function referenceColumn({ singular }: Resource, by: string): string {
  return by.startsWith(`${singular}_`) ? by : `${singular}_${by}`
}

/** The columns that exports or files with failed rows contain, but that an import ignores. An import reads `id` only to
 *  identify the records. */
export function ignoredColumns({ fields }: Resource): string[] {
  const readOnly = Object.keys(fields).filter((name) => fields[name]!.readOnly)
  return ['id', ...readOnly, 'created_at', 'updated_at', 'currency', 'error']
}

export const idTarget: ColumnTarget = { kind: 'id', name: 'id' }

/** Throws `invalid_request` if the resource does not have a target for each of these names. */
export function requireTargets(resource: Resource, resources: Resources, names: readonly string[]): void {
  const allowed = targetNamesOf(resource, resources)
  const unknown = names.find((name) => !allowed.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(`There is no column ${JSON.stringify(unknown)} to map to; use one of ${allowed.join(', ')}.`)
}

/** Throws `invalid_request` if records of this resource cannot be identified by this column. */
export function requireMatchColumn(resource: Resource, match: string): void {
  if (matchColumnsOf(resource).includes(match)) return
  const allowed = matchColumnsOf(resource).join(', ')
  throw invalidRequest(`match cannot be ${JSON.stringify(match)}; for ${resource.name} it is one of ${allowed}.`)
}

export function targetNamesOf(resource: Resource, resources: Resources): string[] {
  return ['id', ...targetsOf(resource, resources).map(({ name }) => name)]
}

/** Returns the indexes of the columns whose values must be unique in a file, by field: the field that identifies records, and
 *  fields with unique values. Omits a field whose value may come from several columns, or from none. */
export function uniqueColumns(
  resource: Resource,
  { columns, match, set = [], exportKey }: FileColumns,
): Map<string, number> {
  const names = columns.map(({ target }) => target?.name)
  const isUnique = (index: number) => {
    const { target } = columns[index]!
    if (target?.kind === 'id') return index === match && !exportKey
    return target?.kind === 'field' && (index === match || resource.fields[target.name]!.unique === true)
  }
  const isAlone = (name: string) =>
    names.indexOf(name) === names.lastIndexOf(name) && !set.some(({ target }) => target.name === name)
  return new Map(names.flatMap((name, index) => (name && isUnique(index) && isAlone(name) ? [[name, index]] : [])))
}
