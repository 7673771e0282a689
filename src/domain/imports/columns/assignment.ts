// The columns of a file as a person has assigned them in the panel.

import type { Resource, Resources } from '../../declarations/resource.ts'
import type { ColumnOptions, ColumnTarget, FileColumn, FileColumns, SetValue } from './columns.ts'
import { filledField, isJoinable, matchIndex, missingField } from './match-columns.ts'
import { faultOfSet, setValuesOf } from './set-values.ts'
import { idTarget, requireMatchColumn, requireTargets, targetsOf } from './targets.ts'
import { exportKeyOf } from './titles.ts'

/** A mistake in how columns are assigned. `twice`: two columns have the same target, which is not a text. `missing_match`: the match column
 *  is not assigned. `required`: nothing sets this required field. `unused_id`: a column is assigned to the id, but records are
 *  not matched by id. `nothing`: no column has a target, except possibly the id. `invalid_value`: rows cannot have the
 *  value that is set for all of them. */
export type AssignmentFault =
  | { fault: 'twice' | 'missing_match' | 'required'; target: string }
  | { fault: 'unused_id' | 'nothing' }
  | { fault: 'invalid_value'; target: string; message: string }

/** Each column's target as a person has assigned it, in order; null skips the column. `match`, `set`, `value`: as in
 *  ColumnOptions. */
export type ColumnAssignment = Pick<ColumnOptions, 'match' | 'set' | 'value'> & { names: readonly (string | null)[] }

/** Returns a file's columns as a person has assigned them, or the mistake in the assignment. Throws `invalid_request`
 *  for a target or match column that the resource does not have. */
export function applyAssignment(
  titles: readonly string[],
  { names, match, set, value }: ColumnAssignment,
  resource: Resource,
  resources: Resources,
): FileColumns | AssignmentFault {
  const assigned = names.filter((name) => name !== null)
  requireTargets(resource, resources, assigned)
  if (match !== null) requireMatchColumn(resource, match)
  const repeated = assigned.find(
    (name, index) => assigned.indexOf(name) !== index && !isJoinable(resource.fields[name]),
  )
  if (repeated !== undefined) return { fault: 'twice', target: repeated }
  if (match !== null && !assigned.includes(match)) return { fault: 'missing_match', target: match }
  if (match !== 'id' && assigned.includes('id')) return { fault: 'unused_id' }
  const targets: ColumnTarget[] = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const columns = titles.map(
    (title, index): FileColumn => ({
      title,
      ...(Object.hasOwn(value, title) && { words: value[title]! }),
      target: targets.find(({ name }) => name === (names[index] ?? null)) ?? null,
    }),
  )
  if (!columns.some(({ target }) => target !== null && target.kind !== 'id')) return { fault: 'nothing' }
  const index = matchIndex(columns, { match })
  const invalid = faultOfSet(resource, resources, { set, amounts: null })
  if (invalid) return { fault: 'invalid_value', ...invalid }
  const unmapped = titles.map((title, at) => (names[at] ? '' : title)) // a column that sets a field identifies no record
  const key = match === null ? exportKeyOf(unmapped, resource) : undefined
  const { set: values, ...given } = setValuesOf(resource, resources, set)
  const assignment: FileColumns = {
    ...{ columns, match: index, ...(key && { exportKey: key }), ...given },
    ...(values && { set: values.map((each) => forNewRecords(resource, columns, each)) }),
  }
  const missing = missingField(resource, assignment)
  return missing === undefined ? assignment : { fault: 'required', target: missing }
}

/** What a person answers because the file has no column for it is about new records, as a stock that the API sets is. */
function forNewRecords(resource: Resource, columns: readonly FileColumn[], value: SetValue): SetValue {
  const field = filledField(resource, value.target)
  const hasColumn = columns.some(({ target }) => target !== null && filledField(resource, target) === field)
  return hasColumn ? value : { ...value, isForNew: true }
}
