// Decides what each column of an imported file contains, based on the caller's map, a field's name or one of the
// field's labels.

import { trimInvisible } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import { titlesOfField } from '../../declarations/labels.ts'
import { deriveOnce, type Field, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'
import type { AmountFormat, AmountUnit } from '../file/amounts.ts'

/** `map`: for each column title, the name of a target; an empty name skips the column. `match`: the column that
 *  identifies a record; null for the default, which may be missing. `isDraft`: a person assigns the columns later, so
 *  columns are only suggested and problems are not reported. `amounts`: the unit of all amounts; null decides by the
 *  columns' titles. `charset`: how the text is encoded; null decides by its bytes. */
export type ColumnOptions = {
  map: Record<string, string>
  match: string | null
  amounts: AmountUnit | null
  charset: string | null
  isDraft?: true
}

/** A field of the resource, or a reference with the field by which its record is found: `customer_code` sets
 *  `customer_id` to the id of the customer with this `code`. If several columns of a row set the same reference, the
 *  one with the lowest `rank` is used. `id` identifies the record itself. */
export type ColumnTarget =
  | { kind: 'field'; name: string }
  | { kind: 'reference'; name: string; field: string; to: string; by: string; rank: number }
  | { kind: 'id'; name: 'id' }

/** How the dates of a column are written that begin with the day or the month. `unclear`: no date shows which of them
 *  comes first, or some dates contradict others. */
export type DateFormat = 'day first' | 'month first' | 'unclear'

/** What a column's cells show about its dates. `hasTimes`: some date has a time other than midnight. */
export type DatesOfColumn = { dates?: DateFormat; hasTimes?: true }

/** A column in the file, with how its cells are written. `target` is null if the column is ignored. `isBlankNo`: an empty
 *  cell means no. `samples`: some of its cells, until the import's failed rows are deleted. */
export type FileColumn = DatesOfColumn & {
  title: string
  target: ColumnTarget | null
  samples?: string[]
  amounts?: AmountFormat
  isBlankNo?: true
}

/** `match`: the index of the column that identifies a record; null if every row creates a record. */
export type FileColumns = { columns: FileColumn[]; match: number | null }

/** The columns that can identify a record (contract §17). */
const identifyingColumns = ['external_id', 'id', 'asset_tag', 'serial_number', 'email', 'code', 'employee_no'] as const

export const defaultMatch = 'external_id'

/** The columns that identify a record of this resource, the default first. */
export function matchColumnsOf({ fields }: Resource): string[] {
  return identifyingColumns.filter((name) => name === 'id' || Object.hasOwn(fields, name))
}

/** Every target of a resource. */
export function targetsOf(resource: Resource, resources: Resources): ColumnTarget[] {
  return Object.entries<Field>(resource.fields).flatMap(([name, field]): ColumnTarget[] => {
    if (field.kind !== 'reference') return isReadOnly(field) ? [] : [{ kind: 'field', name }]
    const to = resourceNamed(resources, field.to)
    const lookups = (to.lookups ?? []).filter((lookup) => Object.hasOwn(to.fields, lookup))
    return ['id', ...lookups].map((by, rank) => ({
      kind: 'reference' as const,
      name: by === 'id' ? name : referenceColumn(to, by),
      field: name,
      to: to.name,
      by,
      rank,
    }))
  })
}

/** `employee_email` for an employee's email; `employee_no` already has the prefix. */
function referenceColumn({ singular }: Resource, by: string): string {
  return by.startsWith(`${singular}_`) ? by : `${singular}_${by}`
}

/** The columns that exports or files with failed rows contain, but that an import ignores. An import reads `id` only to
 *  identify the records. */
export function ignoredColumns({ fields }: Resource): string[] {
  const readOnly = Object.keys(fields).filter((name) => isReadOnly(fields[name]!))
  return ['id', ...readOnly, 'created_at', 'updated_at', 'error']
}

function isReadOnly(field: Field): boolean {
  return 'readOnly' in field && field.readOnly === true
}

/** Normalizes a title for comparison: ignores case, spaces and punctuation. */
export function normalizeTitle(title: string): string {
  return fold(title).replace(/[\s\p{P}\p{S}]/gu, '')
}

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

/** Finds each column's target and the column that identifies a record. Throws `invalid_request` if the titles, the map
 *  or the match column are not valid. */
export function matchColumns(
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
): FileColumns {
  const targetOf = targetFinder(resource, resources, options)
  const columns = titles.map((title): FileColumn => {
    const visible = trimInvisible(title)
    return { title: visible, target: targetOf(visible) }
  })
  if (options.isDraft) return suggestColumns(columns)
  requireMapped(columns, options.map)
  requireDistinct(resource, columns, options.map)
  if (!columns.some(({ target }) => target)) throw invalidRequest(unknownTitlesMessage(titles, resource, resources))
  const match = matchIndex(columns, options.match)
  const missing = missingField(resource, columns, match)
  if (missing !== undefined) throw invalidRequest(missingColumnMessage(missing, resource, resources))
  return { columns, match }
}

/** Returns a required field that no column sets, unless the file may only update records: it has a column that identifies
 *  them, or is an export. */
function missingField({ fields }: Resource, columns: readonly FileColumn[], match: number | null): string | undefined {
  const titles = columns.map(({ title }) => normalizeTitle(title))
  if (match !== null || ['id', 'created_at'].every((name) => titles.includes(normalizeTitle(name)))) return undefined
  const set = columns.map(({ target }) => (target?.kind === 'reference' ? target.field : target?.name))
  return Object.keys(fields).find((name) => isRequired(fields[name]!) && !set.includes(name))
}

function isRequired(field: Field): boolean {
  return 'required' in field && field.required === true
}

function missingColumnMessage(field: string, resource: Resource, resources: Resources): string {
  const targets = targetsOf(resource, resources).filter((target) =>
    target.kind === 'reference' ? target.field === field : target.name === field,
  )
  const names = targets.map(({ name }) => name).join(', ')
  return `Each of the ${resource.name} needs ${field}, but no column of the file contains it. Map a column to one of ${names}.`
}

/** Suggests the columns of a draft. If the file has an export's columns, `id` identifies the records. */
function suggestColumns(columns: readonly FileColumn[]): FileColumns {
  const titles = columns.map(({ title }) => normalizeTitle(title))
  const suggested = dropRepeatedTargets(columns)
  if (!exportedColumns.every((name) => titles.includes(normalizeTitle(name))))
    return { columns: suggested, match: null }
  const match = titles.indexOf('id')
  return { columns: suggested.with(match, { ...columns[match]!, target: idTarget }), match }
}

const exportedColumns = ['id', 'created_at', 'updated_at']

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

/** A mistake in how columns are assigned. `twice`: two columns have the same target. `missing_match`: the match column
 *  is not assigned. `required`: no column sets this required field. `unused_id`: a column is assigned to the id, but records are not matched by id. `nothing`: no
 *  column has a target, except possibly the id. */
export type AssignmentFault =
  | { fault: 'twice' | 'missing_match' | 'required'; target: string }
  | { fault: 'unused_id' | 'nothing' }

/** Each column's target as a person has assigned it, in order; null skips the column. `match`: as in ColumnOptions. */
export type ColumnAssignment = { names: readonly (string | null)[]; match: string | null }

/** Returns a file's columns as a person has assigned them, or the mistake in the assignment. Throws `invalid_request`
 *  for a target or match column that the resource does not have. */
export function applyAssignment(
  titles: readonly string[],
  { names, match }: ColumnAssignment,
  resource: Resource,
  resources: Resources,
): FileColumns | AssignmentFault {
  const assigned = names.filter((name) => name !== null)
  requireTargets(resource, resources, assigned)
  if (match !== null) requireMatchColumn(resource, match)
  const repeated = assigned.find((name, index) => assigned.indexOf(name) !== index)
  if (repeated !== undefined) return { fault: 'twice', target: repeated }
  if (match !== null && !assigned.includes(match)) return { fault: 'missing_match', target: match }
  if (match !== 'id' && assigned.includes('id')) return { fault: 'unused_id' }
  const targets: ColumnTarget[] = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const columns = titles.map(
    (title, index): FileColumn => ({
      title,
      target: targets.find(({ name }) => name === (names[index] ?? null)) ?? null,
    }),
  )
  if (!columns.some(({ target }) => target !== null && target.kind !== 'id')) return { fault: 'nothing' }
  const index = matchIndex(columns, match)
  const missing = missingField(resource, columns, index)
  return missing === undefined ? { columns, match: index } : { fault: 'required', target: missing }
}

const idTarget: ColumnTarget = { kind: 'id', name: 'id' }

/** Returns the function that finds a title's target. */
function targetFinder(
  resource: Resource,
  resources: Resources,
  { map, match }: ColumnOptions,
): (title: string) => ColumnTarget | null {
  const targets = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const byTitle = new Map<string, ColumnTarget>()
  const add = (title: string, target: ColumnTarget) => {
    if (title !== '' && !byTitle.has(title)) byTitle.set(title, target)
  }
  for (const target of targets) add(normalizeTitle(target.name), target)
  const titles = fieldTitles(resource)
  for (const target of targets) for (const title of titles[target.name] ?? []) add(title, target)
  return (title) => {
    if (!Object.hasOwn(map, title)) return byTitle.get(normalizeTitle(title)) ?? null
    if (map[title] === '') return null
    return targets.find(({ name }) => name === map[title]) ?? null
  }
}

/** The titles of each field's column, normalized. */
const fieldTitles = deriveOnce((resource: Resource) =>
  Object.fromEntries(
    Object.keys(resource.fields).map((name) => [name, titlesOfField(resource, name).map(normalizeTitle)]),
  ),
)

/** Returns the function that says whether a title is known, including the titles of columns that an import ignores. */
export function titleTest(
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
): (title: string) => boolean {
  const targetOf = targetFinder(resource, resources, options)
  const ignored = new Set(ignoredColumns(resource).map(normalizeTitle))
  return (title) => {
    const visible = trimInvisible(title)
    return Object.hasOwn(options.map, visible) || targetOf(visible) !== null || ignored.has(normalizeTitle(visible))
  }
}

function requireMapped(columns: readonly FileColumn[], map: Record<string, string>): void {
  const titles = new Set(columns.map(({ title }) => title))
  const missing = Object.keys(map).find((title) => !titles.has(title))
  if (missing !== undefined)
    throw invalidRequest(`The map names the column ${JSON.stringify(missing)}, which the file does not have.`)
}

/** Throws `invalid_request` if two columns have the same target. Several columns may set the same reference if their
 *  targets differ, and the caller's map may send several columns to one text (contract §17). */
function requireDistinct({ fields }: Resource, columns: readonly FileColumn[], map: Record<string, string>): void {
  const titles = new Map<string, string>()
  for (const { title, target } of columns) {
    if (!target) continue
    const first = titles.get(target.name)
    titles.set(target.name, title)
    if (first === undefined) continue
    const areMapped = Object.hasOwn(map, first) && Object.hasOwn(map, title)
    if (areMapped && target.kind === 'field' && isJoinable(fields[target.name]!)) continue
    throw invalidRequest(
      `Two columns contain ${target.name}: ${JSON.stringify(first)} and ${JSON.stringify(title)}. Skip one of them.`,
    )
  }
}

/** Whether several columns can set the field together. */
function isJoinable(field: Field): boolean {
  return field.kind === 'text' && field.format === undefined
}

function unknownTitlesMessage(titles: readonly string[], resource: Resource, resources: Resources): string {
  const shownTitles = titles.slice(0, 10).map((title) => JSON.stringify(trimInvisible(title).slice(0, 40)))
  return `The first row must contain column titles, but none of ${shownTitles.join(', ')} is known. Known titles are ${targetNamesOf(resource, resources).join(', ')}.`
}

/** Throws `invalid_request` if the caller names a match column that the file lacks. */
function matchIndex(columns: readonly FileColumn[], match: string | null): number | null {
  const name = match ?? defaultMatch
  const index = columns.findIndex(
    ({ target }) => target !== null && target.kind !== 'reference' && target.name === name,
  )
  if (index === -1 && match !== null)
    throw invalidRequest(`match is ${match}, but no column of the file contains ${match}.`)
  return index === -1 ? null : index
}
