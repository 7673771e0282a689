// The targets of an imported file's columns: the fields of a resource, and its references by each field that can identify
// the other record. Finds what a column contains by its title: the caller's map, a field's name or label, or another known
// title.

import { cleanText } from '../../../lib/text.ts'
import { invalidRequest } from '../../../problem.ts'
import { knownTitles } from '../../declarations/known-titles.ts'
import { labelsOfField } from '../../declarations/labels.ts'
import {
  deriveOnce,
  type Field,
  isName,
  type Resource,
  type Resources,
  resourceNamed,
} from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'
import type { ColumnOptions, ColumnTarget, ExportKey, ReferenceTarget } from './columns.ts'

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

/** The field that a target sets. */
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
  const readOnly = Object.keys(fields).filter((name) => isReadOnly(fields[name]!))
  return ['id', ...readOnly, 'created_at', 'updated_at', 'currency', 'error']
}

function isReadOnly(field: Field): boolean {
  return 'readOnly' in field && field.readOnly === true
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

/** Normalizes a title for comparison: ignores case, accents, spaces and punctuation. `#` is read as `no.`. */
export function normalizeTitle(title: string): string {
  return fold(title.replace(/[#№]/g, ' no ')).replace(/[\s\p{P}\p{S}]/gu, '')
}

/** Like normalizeTitle, but also ignores the words in brackets: `cost` for `Cost (EUR)`. */
function normalizeWithoutBrackets(title: string): string {
  return normalizeTitle(title.replace(/\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}|（[^（）]*）/g, ' '))
}

/** The titles of columns with this target, besides its name, without duplicates. */
export function columnTitlesOf(resource: Resource, target: ColumnTarget): string[] {
  const labels = labelsOfField(resource, labelledField(target) ?? '')
  return [...new Set([...labels, ...knownTitles(resource.name, target.name)])]
}

const normalizedTitles = deriveOnce((_: Resource) => new Map<string, string[]>())

function normalizedTitlesOf(resource: Resource, target: ColumnTarget): string[] {
  const byTarget = normalizedTitles(resource)
  const titles = byTarget.get(target.name) ?? columnTitlesOf(resource, target).map(normalizeTitle)
  byTarget.set(target.name, titles)
  return titles
}

/** Returns the function that finds the targets of a file's titles. If several titles have a target, and one of them has it
 *  without regard to brackets only, the others keep it. */
function targetFinder(
  resource: Resource,
  resources: Resources,
  { map, match }: Pick<ColumnOptions, 'map' | 'match'>,
): (titles: readonly string[]) => (ColumnTarget | null)[] {
  const targets = [...(match === 'id' ? [idTarget] : []), ...targetsOf(resource, resources)]
  const byTitle = new Map<string, ColumnTarget>()
  const add = (title: string, target: ColumnTarget) => {
    if (!byTitle.has(title)) byTitle.set(title, target)
  }
  for (const target of targets) add(normalizeTitle(target.name), target)
  for (const target of targets) for (const title of normalizedTitlesOf(resource, target)) add(title, target)
  byTitle.delete('')
  const findExactly = (title: string) => {
    if (!Object.hasOwn(map, title)) return byTitle.get(normalizeTitle(title))
    return targets.find(({ name }) => name === map[title]) ?? null
  }
  return (titles) => {
    const exact = titles.map(findExactly)
    return titles.map((title, index) => {
      if (exact[index] !== undefined) return exact[index]
      const target = byTitle.get(normalizeWithoutBrackets(title))
      return target && !exact.includes(target) ? target : null
    })
  }
}

/** Returns each title's target. */
export function findTargets(
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
  options: Pick<ColumnOptions, 'map' | 'match'>,
): (ColumnTarget | null)[] {
  return targetFinder(resource, resources, options)(titles)
}

/** The titles of columns that an import ignores, normalized. */
export const ignoredTitles = deriveOnce(
  (resource: Resource): ReadonlySet<string> =>
    new Set(ignoredColumns(resource).flatMap((name) => [name, ...labelsOfField(resource, name)].map(normalizeTitle))),
)

/** The titles of the columns of an export that together identify its records, normalized. */
const exportKeyTitles = deriveOnce((resource: Resource) => {
  const titlesOf = (name: string) => [name, ...labelsOfField(resource, name)].map(normalizeTitle)
  return { id: titlesOf('id'), createdAt: titlesOf('created_at') }
})

/** Returns the columns of an export that together identify its records; undefined if the file has none. */
export function exportKeyOf(titles: readonly string[], resource: Resource): ExportKey | undefined {
  const normalized = titles.map(normalizeTitle)
  const known = exportKeyTitles(resource)
  const indexOf = (name: keyof ExportKey) => normalized.findIndex((title) => known[name].includes(title))
  const key = { id: indexOf('id'), createdAt: indexOf('createdAt') }
  return key.id === -1 || key.createdAt === -1 ? undefined : key
}

/** Returns the function that says whether a title is known, including the titles of columns that an import ignores. */
export function titleTest(
  resource: Resource,
  resources: Resources,
  options: Pick<ColumnOptions, 'map' | 'match'>,
): (title: string) => boolean {
  const findTarget = targetFinder(resource, resources, options)
  const other = new Set([...ignoredTitles(resource), ...Object.keys(options.map).map(normalizeTitle)])
  return (title) => {
    const visible = cleanText(title)
    return other.has(normalizeTitle(visible)) || findTarget([visible])[0] != null
  }
}

/** Returns the options with the titles as the file has them. A title that the file does not have exactly stands for the
 *  titles that are equal when normalized, or if there are none, for those that are equal without words in brackets. */
export function withTitlesOf<Options extends Pick<ColumnOptions, 'map' | 'value'>>(
  options: Options,
  titles: readonly string[],
): Options {
  return { ...options, map: renamed(options.map, titles), value: renamed(options.value, titles) }
}

function renamed<Entry>(entries: Record<string, Entry>, titles: readonly string[]): Record<string, Entry> {
  const known = new Set(titles)
  const inFile = Object.entries(entries).flatMap(([name, entry]) => {
    if (known.has(name)) return [[name, entry] as const]
    const others = titles.filter((title) => !Object.hasOwn(entries, title))
    const equal = [normalizeTitle, normalizeWithoutBrackets]
      .map((normalize) => others.filter((title) => normalize(title) === normalize(name)))
      .find((found) => found.length > 0)
    return (equal ?? [name]).map((title) => [title, entry] as const)
  })
  return Object.fromEntries(inFile)
}
