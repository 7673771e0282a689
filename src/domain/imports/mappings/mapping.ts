// A mapping: how the columns of a kind of file are imported, such as the exports of one program (contract §17).

import { isMultiline, type Resource, type Resources } from '../../declarations/resource.ts'
import type { ColumnOptions, ColumnTarget } from '../columns/columns.ts'
import { findTargets, normalizeTitle } from '../columns/titles.ts'
import type { AmountUnit } from '../file/amounts.ts'

/** `map`, `set`, `value`, `amounts` and `match`: as in the request for an import. */
export type ImportMapping = {
  map: Record<string, string>
  set: Record<string, string>
  value: Record<string, Record<string, string>>
  amounts: AmountUnit | null
  match: string | null
}

/** A saved mapping has a resource, and a shipped one none: it is for all resources. */
export type NamedMapping = ImportMapping & { name: string; resource: string | null }

/** Returns the mapping with these options, which take precedence. */
export function mergeMappings(options: ImportMapping, mapping: ImportMapping | null): ImportMapping {
  const { map, set, value, amounts, match } = options
  if (!mapping) return { map, set, value, amounts, match }
  const titles = new Set([...Object.keys(mapping.value), ...Object.keys(value)])
  return {
    map: { ...mapping.map, ...map },
    set: { ...mapping.set, ...set },
    value: Object.fromEntries([...titles].map((title) => [title, { ...mapping.value[title], ...value[title] }])),
    amounts: amounts ?? mapping.amounts,
    match: match ?? mapping.match,
  }
}

/** A mapping that is to be kept under a name. */
export type MappingToSave = ImportMapping & { name: string; resource: string }

/** The titles of a file, and the resource of its records. */
type MappedFile = { titles: readonly string[]; resource: Resource; resources: Resources }

/** Adds what a mapping says about the columns of a file. Its other columns are ignored, and so is its match column if the
 *  file has none. A title of the mapping stands for all titles that are equal when normalized. */
export function withMapping(options: ColumnOptions, mapping: ImportMapping, file: MappedFile): ColumnOptions {
  const map = ofTitles(withoutReplaced(mapping.map, options.map, file), file.titles)
  const merged = mergeMappings(options, { ...mapping, map, value: ofTitles(mapping.value, file.titles) })
  return {
    ...options,
    ...merged,
    map: withoutRecognized(merged.map, file),
    ...(options.match === null && { isMatchOptional: true }),
  }
}

/** Skips the columns of a mapping whose target the request gives to another column. Several columns can set notes. */
function withoutReplaced(
  map: ImportMapping['map'],
  given: ImportMapping['map'],
  { resource }: MappedFile,
): ImportMapping['map'] {
  const taken = new Set(Object.values(given))
  const isReplaced = (name: string) => {
    const field = resource.fields[name]
    return taken.has(name) && !(field && isMultiline(field))
  }
  return Object.fromEntries(Object.entries(map).map(([title, name]) => [title, isReplaced(name) ? '' : name]))
}

/** Skips the columns whose titles are known for a target that the map gives to another column. */
function withoutRecognized(
  map: ImportMapping['map'],
  { titles, resource, resources }: MappedFile,
): ImportMapping['map'] {
  const targets = findTargets(titles, resource, resources, { map, match: null })
  const taken = new Set(Object.values(map))
  const isTaken = (target: ColumnTarget | null | undefined) => target != null && taken.has(target.name)
  const recognized = titles.filter((title, index) => !Object.hasOwn(map, title) && isTaken(targets[index]))
  return { ...map, ...Object.fromEntries(recognized.map((title) => [title, ''])) }
}

/** Returns the function that says whether a mapping names a title. */
export function mappedTitleTest(mapping: ImportMapping): (title: string) => boolean {
  const titles = new Set(Object.keys(mapping.map).map(normalizeTitle))
  return (title) => titles.has(normalizeTitle(title))
}

/** Returns the entries of these titles, under the titles as the file has them. */
function ofTitles<Entry>(entries: Record<string, Entry>, titles: readonly string[]): Record<string, Entry> {
  const byNormalized = new Map(Object.entries(entries).map(([title, entry]) => [normalizeTitle(title), entry]))
  return Object.fromEntries(
    titles.flatMap((title) => {
      const entry = entries[title] ?? byNormalized.get(normalizeTitle(title))
      return entry === undefined ? [] : [[title, entry]]
    }),
  )
}
