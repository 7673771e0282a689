// Finds what a column contains by its title: the caller's map, a field's name, or one of the field's labels.

import { trimInvisible } from '../../../lib/text.ts'
import { titlesOfField } from '../../declarations/labels.ts'
import { deriveOnce, type Resource, type Resources } from '../../declarations/resource.ts'
import { fold } from '../../search/fold.ts'
import type { ColumnOptions, ColumnTarget, ExportKey } from './columns.ts'
import { idTarget, ignoredColumns, labelledField, targetsOf } from './targets.ts'

/** Normalizes a title for comparison: ignores case, spaces and punctuation. */
export function normalizeTitle(title: string): string {
  return fold(title).replace(/[\s\p{P}\p{S}]/gu, '')
}

/** Returns the function that finds a title's target. */
export function targetFinder(
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
  for (const target of targets) for (const title of titles[labelledField(target) ?? ''] ?? []) add(title, target)
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

/** The titles of columns that an import ignores, normalized. */
export const ignoredTitles = deriveOnce(
  (resource: Resource): ReadonlySet<string> =>
    new Set(ignoredColumns(resource).flatMap((name) => [name, ...titlesOfField(resource, name)].map(normalizeTitle))),
)

/** Returns the columns of an export that together identify its records; undefined if the file has none. */
export function exportKeyOf(titles: readonly string[], resource: Resource): ExportKey | undefined {
  const normalized = titles.map(normalizeTitle)
  const indexOf = (name: string) => {
    const known = [name, ...titlesOfField(resource, name)].map(normalizeTitle)
    return normalized.findIndex((title) => known.includes(title))
  }
  const key = { id: indexOf('id'), createdAt: indexOf('created_at') }
  return key.id === -1 || key.createdAt === -1 ? undefined : key
}

/** Returns the function that says whether a title is known, including the titles of columns that an import ignores. */
export function titleTest(
  resource: Resource,
  resources: Resources,
  options: ColumnOptions,
): (title: string) => boolean {
  const targetOf = targetFinder(resource, resources, options)
  const ignored = ignoredTitles(resource)
  return (title) => {
    const visible = trimInvisible(title)
    return Object.hasOwn(options.map, visible) || targetOf(visible) !== null || ignored.has(normalizeTitle(visible))
  }
}
