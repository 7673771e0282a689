// Finds what a column contains by its title: the caller's map, a field's name or label, or another known title.

import { cleanText } from '../../../lib/text.ts'
import { knownTitles } from '../../declarations/known-titles.ts'
import { labelsOfField } from '../../declarations/labels.ts'
import { deriveOnce, type Resource, type Resources } from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'
import type { ColumnOptions, ColumnTarget, ExportKey } from './columns.ts'
import { idTarget, ignoredColumns, labelledField, targetsOf } from './targets.ts'

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

/** Whether two files have the same titles, except for columns that an import ignores, such as the errors in a file of
 *  failed rows. */
export function hasTitlesOf(resource: Resource, titles: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [titles, others].map((each) =>
    new Set(each.map(normalizeTitle)).difference(ignoredTitles(resource)),
  )
  return one!.symmetricDifference(other!).size === 0
}

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
