// Decides what each column of an imported file contains, based on the caller's map, a field's name or one of the
// field's labels. Also detects how the cells of a column are written.

import { invalidRequest } from '../../../problem.ts'
import type { Field, Resource, Resources } from '../../declarations/resource.ts'
import { type Amounts, watchAmounts } from './amounts.ts'
import { type SlashedDates, watchDates } from './dates.ts'
import { defaultMatch, ignoredColumns, matchColumnsOf, normalizeTitle, type Target, targetsOf } from './targets.ts'

/** `map`: for each column title, the name of a target; an empty name skips the column. `match`: the column that
 *  identifies a record; null for the default, which may be missing. `isDraft`: a person assigns the columns later, so
 *  columns are only suggested and problems are not reported. */
export type ColumnOptions = { map: Record<string, string>; match: string | null; isDraft?: true }

/** Returns a field's common column titles, such as its labels in the panel's languages. */
export type FieldLabels = (field: string) => readonly string[]

/** A column in the file. `target` is null if the column is ignored. `dates` and `amounts`: how the column's dates or
 *  amounts are written. */
export type Column = { title: string; target: Target | null; dates?: SlashedDates | undefined; amounts?: Amounts }

/** `match`: the index of the column that identifies a record; null if every row creates a record. */
export type Columns = { columns: Column[]; match: number | null }

/** An assumption about a file. `column`, `columns`: the titles of the columns that the assumption is about. */
export type Assumption = { code: AssumptionCode; column?: string; columns?: string[]; value?: string }

export type AssumptionCode =
  | 'encoding'
  | 'delimiter'
  | 'ignored_columns'
  | 'no_match_column'
  | 'day_first'
  | 'month_first'
  | 'unclear_dates'
  | 'major_units'
  | 'minor_units'

/** Throws `invalid_request` if the resource does not have a target for each of these names. */
export function requireTargets(resource: Resource, resources: Resources, names: readonly string[]): void {
  const allowed = namesOf(resource, resources)
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

export function namesOf(resource: Resource, resources: Resources): string[] {
  return ['id', ...targetsOf(resource, resources).map(({ name }) => name)]
}

/** Finds each column's target and the column that identifies a record. Throws `invalid_request` if the titles, the map
 *  or the match column are not valid. */
export function matchColumns(
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
  labels: FieldLabels,
): Columns {
  const targetOf = targetFinder(resource, resources, options, labels)
  const columns = titles.map((title): Column => ({ title: title.trim(), target: targetOf(title.trim()) }))
  if (options.isDraft) return suggestColumns(columns)
  requireMapped(columns, options.map)
  requireDistinct(columns)
  if (!columns.some(({ target }) => target)) throw invalidRequest(unknownTitlesMessage(titles, resource, resources))
  return { columns, match: matchIndex(columns, options.match) }
}

/** Suggests the columns of a draft. If the file has an export's columns, `id` identifies the records. */
function suggestColumns(columns: readonly Column[]): Columns {
  const titles = columns.map(({ title }) => normalizeTitle(title))
  const suggested = dropRepeatedTargets(columns)
  if (!exportedColumns.every((name) => titles.includes(normalizeTitle(name))))
    return { columns: suggested, match: null }
  const match = titles.indexOf('id')
  return { columns: suggested.with(match, { ...columns[match]!, target: idTarget }), match }
}

const exportedColumns = ['id', 'created_at', 'updated_at']

/** If several columns have the same target, only the first one keeps it. */
function dropRepeatedTargets(columns: readonly Column[]): Column[] {
  const taken = new Set<string>()
  return columns.map((column) => {
    const name = column.target?.name
    if (name === undefined || taken.has(name)) return { ...column, target: null }
    taken.add(name)
    return column
  })
}

/** A mistake in how columns are assigned. `twice`: two columns have the same target. `missing_match`: the match column
 *  is not assigned. `unused_id`: a column is assigned to the id, but records are not matched by id. `nothing`: no
 *  column has a target, except possibly the id. */
export type AssignmentFault = { fault: 'twice' | 'missing_match'; target: string } | { fault: 'unused_id' | 'nothing' }

/** Returns a file's columns as a person has assigned them, or the mistake in the assignment. `names`: each column's
 *  target, in order; `null` skips it. `match`: as in ColumnOptions. Throws `invalid_request` for a target or match
 *  column that the resource does not have. */
export function assignColumns(
  titles: readonly string[],
  names: readonly (string | null)[],
  match: string | null,
  resource: Resource,
  resources: Resources,
): Columns | AssignmentFault {
  const assigned = names.filter((name) => name !== null)
  requireTargets(resource, resources, assigned)
  if (match !== null) requireMatchColumn(resource, match)
  const repeated = assigned.find((name, index) => assigned.indexOf(name) !== index)
  if (repeated !== undefined) return { fault: 'twice', target: repeated }
  if (match !== null && !assigned.includes(match)) return { fault: 'missing_match', target: match }
  if (match !== 'id' && assigned.includes('id')) return { fault: 'unused_id' }
  const targets: Target[] = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const columns = titles.map(
    (title, index): Column => ({
      title,
      target: targets.find(({ name }) => name === (names[index] ?? null)) ?? null,
    }),
  )
  if (!columns.some(({ target }) => target !== null && target.kind !== 'id')) return { fault: 'nothing' }
  return { columns, match: matchIndex(columns, match) }
}

const idTarget: Target = { kind: 'id', name: 'id' }

/** Returns the function that finds a title's target. */
function targetFinder(
  resource: Resource,
  resources: Resources,
  { map, match }: ColumnOptions,
  labels: FieldLabels,
): (title: string) => Target | null {
  const targets = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const byTitle = new Map<string, Target>()
  const add = (title: string, target: Target) => {
    if (title !== '' && !byTitle.has(title)) byTitle.set(title, target)
  }
  for (const target of targets) add(normalizeTitle(target.name), target)
  for (const target of targets) {
    const isField = target.kind === 'field' || (target.kind === 'reference' && target.by === 'id')
    if (isField) for (const label of labels(target.name)) add(normalizeTitle(label), target)
  }
  return (title) => {
    if (!Object.hasOwn(map, title)) return byTitle.get(normalizeTitle(title)) ?? null
    if (map[title] === '') return null
    return targets.find(({ name }) => name === map[title]) ?? null
  }
}

function requireMapped(columns: readonly Column[], map: Record<string, string>): void {
  const titles = new Set(columns.map(({ title }) => title))
  const missing = Object.keys(map).find((title) => !titles.has(title))
  if (missing !== undefined)
    throw invalidRequest(`The map names the column ${JSON.stringify(missing)}, which the file does not have.`)
}

/** Throws `invalid_request` if two columns have the same target. Several columns may set the same reference if their
 *  targets differ. */
function requireDistinct(columns: readonly Column[]): void {
  const titles = new Map<string, string>()
  for (const { title, target } of columns) {
    if (!target) continue
    const first = titles.get(target.name)
    if (first !== undefined)
      throw invalidRequest(
        `Two columns contain ${target.name}: ${JSON.stringify(first)} and ${JSON.stringify(title)}. Skip one of them.`,
      )
    titles.set(target.name, title)
  }
}

function unknownTitlesMessage(titles: readonly string[], resource: Resource, resources: Resources): string {
  const shownTitles = titles.slice(0, 10).map((title) => JSON.stringify(title.trim().slice(0, 40)))
  return `The first row must contain column titles, but none of ${shownTitles.join(', ')} is known. Known titles are ${namesOf(resource, resources).join(', ')}.`
}

/** Throws `invalid_request` if the caller names a match column that the file lacks. */
function matchIndex(columns: readonly Column[], match: string | null): number | null {
  const name = match ?? defaultMatch
  const index = columns.findIndex(
    ({ target }) => target !== null && target.kind !== 'reference' && target.name === name,
  )
  if (index === -1 && match !== null)
    throw invalidRequest(`match is ${match}, but no column of the file contains ${match}.`)
  return index === -1 ? null : index
}

/** Detects how the dates and amounts in each column are written, from the cells of all rows. `decimals`: how many
 *  decimals the tenant's currency has. */
export function watchFormats(resource: Resource, columns: readonly Column[], decimals: number) {
  const watches = columns.map((column) => watchOf(fieldOf(resource, column), decimals))
  const watched = watches.flatMap((watch, index) => (watch ? [{ watch, index }] : []))
  return {
    add(cells: readonly string[]): void {
      for (const { watch, index } of watched) {
        const cell = (cells[index] ?? '').trim()
        if (cell !== '') watch.add(cell)
      }
    },
    /** The columns with their formats. */
    result: (): Column[] => columns.map((column, index) => ({ ...column, ...watches[index]?.format() })),
  }
}

type Watch = { add(cell: string): void; format(): Partial<Column> }

function watchOf(field: Field | undefined, decimals: number): Watch | undefined {
  if (field?.kind === 'date') {
    const { add, result } = watchDates()
    return { add, format: () => ({ dates: result() }) }
  }
  if (!isAmount(field)) return undefined
  const { add, result } = watchAmounts(decimals)
  return { add, format: () => ({ amounts: result() }) }
}

function isAmount(field: Field | undefined): boolean {
  return field?.kind === 'integer' && field.isAmount === true
}

/** Returns the field that a column sets, or undefined for references, `id` and ignored columns. */
function fieldOf(resource: Resource, { target }: Column): Field | undefined {
  return target?.kind === 'field' ? resource.fields[target.name] : undefined
}

/** The maximum number of assumptions about a file (contract §17). */
export const maxAssumptions = 100

/** The assumptions about the file's syntax, followed by those about its columns. */
export function assumptionsOf(
  resource: Resource,
  { columns, match }: Columns,
  options: ColumnOptions,
  syntax: readonly Assumption[],
): Assumption[] {
  const known = new Set(ignoredColumns(resource).map(normalizeTitle))
  const isUnknown = ({ title, target }: Column) =>
    target === null && title !== '' && !known.has(normalizeTitle(title)) && options.map[title] !== ''
  const ignored = columns.filter(isUnknown).map(({ title }) => title)
  const assumptions = [
    ...syntax,
    ...(match === null ? [{ code: 'no_match_column' as const, value: defaultMatch }] : []),
    ...(ignored.length > 0 ? [{ code: 'ignored_columns' as const, columns: ignored }] : []),
    ...columns.flatMap(({ title: column, dates, amounts }): Assumption[] => [
      ...(dates ? [{ code: assumedDates[dates], column }] : []),
      ...(amounts
        ? [{ code: amounts.unit === 'major' ? ('major_units' as const) : ('minor_units' as const), column }]
        : []),
    ]),
  ]
  return assumptions.slice(0, maxAssumptions)
}

const assumedDates = {
  'day first': 'day_first',
  'month first': 'month_first',
  unclear: 'unclear_dates',
} as const satisfies Record<SlashedDates, AssumptionCode>
