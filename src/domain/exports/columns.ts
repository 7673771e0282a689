// A CSV export's columns: a resource's fields and, for human readers, the titles of the records that the fields refer
// to.

import type { Value } from '../../engine/database/database.ts'
import { columns, type Resource, type Resources, resourceNamed, stockFieldOf } from '../declarations/resource.ts'
import { memberName, type Step, stepsFrom, titleName } from '../lists/request/options.ts'
import type { Includes, Title } from '../records/json.ts'

/** `name`: the member's name in the record. `isText`: whether its values are text that anybody may write. `isHolder`,
 *  `isStock`: see withStock. `titleOf`: for a column that shows another record's title, the references that lead to
 *  that record and the fields that can serve as its title. */
export type ExportColumn = {
  name: string
  isText?: boolean
  isHolder?: boolean
  isStock?: boolean
  titleOf?: { path: readonly Step[]; title: Title }
}

/** A record as exports read it, with the related records that its columns show. */
export type ExportedRecord = { [member: string]: Value | { [member: string]: Value } }

/** The default columns: the fields in response order, then a title for each reference, such as `customer_name`. */
export function csvColumns(resource: Resource, resources: Resources): ExportColumn[] {
  const fields = columns(resource).map((name): ExportColumn => {
    return resource.fields[name]?.kind === 'text' ? { name, isText: true } : { name }
  })
  return [...fields, ...titleColumns(resource, resources, [])]
}

/** The columns that an export contains only if `fields` names them: the titles of records two references away, such as
 *  the `customer_name` of hardware. */
export function furtherColumns(resource: Resource, resources: Resources): ExportColumn[] {
  const standardNames = csvColumns(resource, resources).map(({ name }) => name)
  const further = stepsFrom(resource).flatMap((step) =>
    titleColumns(resourceNamed(resources, step.to), resources, [step]),
  )
  return further.filter(({ name }) => !standardNames.includes(name))
}

function titleColumns(resource: Resource, resources: Resources, path: readonly Step[]): ExportColumn[] {
  return stepsFrom(resource).map((step): ExportColumn => {
    const { title = ['id'] } = resourceNamed(resources, step.to)
    return { name: titleName(step.reference), isText: true, titleOf: { path: [...path, step], title } }
  })
}

/** Splits the column with the title of a record's holder: the second column has the branch in whose stock the record is,
 *  and the first one is then empty. Returns other columns unchanged. */
export function withStock(column: ExportColumn, resource: Resource, resources: Resources): ExportColumn[] {
  const { name, stock } = stockFieldOf(resource) ?? {}
  const [holder, further] = column.titleOf?.path ?? []
  if (!stock || !holder || further || holder.reference !== name) return [column]
  const branch = stepsFrom(resourceNamed(resources, holder.to)).find((step) => step.to === stock.of)!
  const { title = ['id'] } = resourceNamed(resources, stock.of)
  return [
    { ...column, isHolder: true },
    { name: stock.member, isText: true, isStock: true, titleOf: { path: [holder, branch], title } },
  ]
}

/** Returns the includes that these columns require. If a column reads a record through another record, the intermediate
 *  record is included with all its members. */
export function includesFor(selected: readonly ExportColumn[]): Includes {
  const includes: Includes = {}
  for (const { titleOf } of selected.toSorted((one, other) => depthOf(other) - depthOf(one))) {
    if (!titleOf) continue
    const [first, second] = titleOf.path
    if (second) includes[first!.reference] = { [second.reference]: titleOf.title }
    else includes[first!.reference] ??= titleOf.title
  }
  return includes
}

function depthOf({ titleOf }: ExportColumn): number {
  return titleOf?.path.length ?? 0
}

/** Returns a column's value in a record. The record must have been read with the includes that `includesFor`
 *  returned. */
export function columnValue(record: ExportedRecord, { name, titleOf }: ExportColumn): Value {
  const [first, second] = titleOf?.path ?? []
  const related = first && record[memberName(first.reference)]
  if (!titleOf || related === undefined) return toCell(record[name])
  if (related === null || typeof related !== 'object') return null
  return second
    ? toCell(related[titleName(second.reference)])
    : toCell(titleOf.title.map((field) => related[field]).find((value) => value !== null))
}

/** A change's values before and after it are objects, and are written as JSON. */
function toCell(value: ExportedRecord[string] | undefined): Value {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : value
}
