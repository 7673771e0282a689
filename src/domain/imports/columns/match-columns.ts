// Decides what each column of an imported file contains, and which one identifies a record.

import { invalidRequest } from '../../../problem.ts'
import { type Field, type Resource, type Resources, stockFieldOf } from '../../declarations/resource.ts'
import type { ColumnOptions, ColumnTarget, FileColumn, FileColumns } from './columns.ts'
import { setValuesOf } from './set-values.ts'
import { defaultMatch, fieldOf, targetNamesOf, targetsOf } from './targets.ts'
import { exportKeyOf, findTargets } from './titles.ts'

/** Finds each column's target and the column that identifies a record. `titles`: cleaned, as in withTitlesOf. Throws
 *  `invalid_request` if the titles, the map or the match column are not valid. */
export function matchColumns(
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
): FileColumns {
  const targets = findTargets(titles, resource, resources, options)
  const columns = titles.map((title, index): FileColumn => {
    const words = Object.hasOwn(options.value, title) ? { words: options.value[title]! } : {}
    return { title, target: targets[index]!, ...words }
  })
  const unmapped = titles.map((title) => (Object.hasOwn(options.map, title) ? '' : title))
  const key = options.match === null ? exportKeyOf(unmapped, resource) : undefined
  const exportKey = key ? { exportKey: key } : {}
  if (options.isDraft) return { columns: dropRepeatedTargets(columns), match: null, ...exportKey }
  requireTitles(columns, 'map', Object.keys(options.map))
  requireTitles(columns, 'value', Object.keys(options.value))
  requireDistinct(resource, columns, options.map)
  if (!columns.some(({ target }) => target)) throw invalidRequest(unknownTitlesMessage(titles, resource, resources))
  const match = matchIndex(columns, options)
  const given = Object.keys(options.set).length > 0 ? setValuesOf(resource, resources, options.set) : {}
  const file: FileColumns = { columns, match, ...exportKey, ...given }
  const missing = missingField(resource, file)
  if (missing !== undefined) throw invalidRequest(missingColumnMessage(missing, resource, resources))
  return file
}

/** Returns a required field that neither a column nor the caller sets, unless the file may only update records: it has a
 *  column that identifies them, or is an export. */
export function missingField(
  resource: Resource,
  { columns, match, exportKey, set = [] }: FileColumns,
): string | undefined {
  if (match !== null || exportKey) return undefined
  const given = [...columns, ...set].flatMap(({ target }) => (target ? filledField(resource, target) : []))
  return Object.keys(resource.fields).find((name) => resource.fields[name]!.required && !given.includes(name))
}

/** The field that gets a value from a target: a stock becomes the holder. */
export function filledField(resource: Resource, target: ColumnTarget): string {
  const { name, stock } = stockFieldOf(resource) ?? {}
  const field = fieldOf(target)
  return name !== undefined && field === stock?.member ? name : field
}

function missingColumnMessage(field: string, resource: Resource, resources: Resources): string {
  const targets = targetsOf(resource, resources).filter((target) => filledField(resource, target) === field)
  const names = targets.map(({ name }) => name).join(', ')
  return `Each of the ${resource.name} needs ${field}, but no column of the file contains it. Map a column to one of ${names}, or set one of them for all rows.`
}

/** If several columns have the same target, only the first one keeps it. */
function dropRepeatedTargets(columns: readonly FileColumn[]): FileColumn[] {
  const usedTargets = new Set<string>()
  return columns.map((column) => {
    const name = column.target?.name
    if (name === undefined || usedTargets.has(name)) return { ...column, target: null }
    usedTargets.add(name)
    return column
  })
}

/** Throws `invalid_request` if the caller names a title that the file does not have. */
function requireTitles(columns: readonly FileColumn[], parameter: 'map' | 'value', names: readonly string[]): void {
  const titles = new Set(columns.map(({ title }) => title))
  const missing = names.find((title) => !titles.has(title))
  if (missing !== undefined)
    throw invalidRequest(`The ${parameter} names the column ${JSON.stringify(missing)}, which the file does not have.`)
}

/** Throws `invalid_request` if two columns have the same target. Several columns may set the same reference if their
 *  targets differ, and the caller's map may send further columns to a text (contract §17). */
function requireDistinct({ fields }: Resource, columns: readonly FileColumn[], map: Record<string, string>): void {
  const titles = new Map<string, string>()
  for (const { title, target } of columns) {
    if (!target) continue
    const first = titles.get(target.name)
    if (first === undefined || Object.hasOwn(map, first)) titles.set(target.name, title)
    if (first === undefined) continue
    const isMapped = Object.hasOwn(map, first) || Object.hasOwn(map, title)
    if (isMapped && target.kind === 'field' && isJoinable(fields[target.name]!)) continue
    throw invalidRequest(
      `Two columns contain ${target.name}: ${JSON.stringify(first)} and ${JSON.stringify(title)}. Skip one of them.`,
    )
  }
}

/** Whether several columns can set the field together. */
export function isJoinable(field: Field | undefined): boolean {
  return field?.kind === 'text' && field.format === undefined
}

function unknownTitlesMessage(titles: readonly string[], resource: Resource, resources: Resources): string {
  const shownTitles = titles.slice(0, 10).map((title) => JSON.stringify(title.slice(0, 40)))
  return `The first row must contain column titles, but none of ${shownTitles.join(', ')} is known. Known titles are ${targetNamesOf(resource, resources).join(', ')}.`
}

/** Throws `invalid_request` if the caller names a match column that the file lacks. */
export function matchIndex(
  columns: readonly FileColumn[],
  { match, isMatchOptional }: Pick<ColumnOptions, 'match' | 'isMatchOptional'>,
): number | null {
  const name = match ?? defaultMatch
  const index = columns.findIndex(
    ({ target }) => target !== null && target.kind !== 'reference' && target.name === name,
  )
  if (index === -1 && match !== null && !isMatchOptional)
    throw invalidRequest(`match is ${match}, but no column of the file contains ${match}.`)
  return index === -1 ? null : index
}
