// Finds the mapping that fits a file, from the file's titles. A person confirms it, so only the panel proposes mappings.

import type { Resource, Resources } from '../../declarations/resource.ts'
import type { ColumnOptions } from '../columns/columns.ts'
import { findTargets, ignoredTitles, normalizeTitle } from '../columns/titles.ts'
import type { ImportAnswers } from '../import.ts'
import { type ImportMapping, withMapping } from './mapping.ts'

const noOptions: ColumnOptions = { map: {}, set: {}, value: {}, match: null, amounts: null, charset: null }

/** A shipped mapping fits a file that has at least this many titles which only a mapping knows, if it knows almost all of
 *  the file's titles, or if the file has a good part of its titles. The limits separate the exports of these programs from
 *  the lists of others that we know. */
const minCharacteristic = 2
const minShareOfFile = 0.8
const minShareOfMapping = 0.4

/** Returns the mapping of the tenant that has the most of the file's titles, if the file has all that it assigns. Otherwise
 *  the shipped one that has the most of the file's titles. */
export function fittingMapping<Mapping extends ImportMapping & { isShipped: boolean }>(
  mappings: readonly Mapping[],
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
): Mapping | null {
  const unknown = new Set(unknownTitles(titles, resource, resources).map(normalizeTitle))
  const inFile = new Set(titles.map(normalizeTitle))
  const fits = mappings.map((mapping) => {
    const known = new Set(Object.keys(mapping.map).map(normalizeTitle))
    const assigned = Object.keys(mapping.map).filter((title) => mapping.map[title] !== '')
    const assignedInFile = assigned.filter((title) => inFile.has(normalizeTitle(title))).length
    const common = known.intersection(inFile).size
    const isProgram =
      known.intersection(unknown).size >= minCharacteristic &&
      (common >= minShareOfFile * inFile.size || common >= minShareOfMapping * known.size)
    const isFitting = mapping.isShipped ? isProgram : assignedInFile === assigned.length
    return { mapping, common, isFitting: isFitting && assignedInFile > 0 }
  })
  const [best] = fits
    .filter(({ isFitting }) => isFitting)
    .toSorted((one, other) => {
      return Number(one.mapping.isShipped) - Number(other.mapping.isShipped) || other.common - one.common
    })
  return best?.mapping ?? null
}

/** The titles that have a meaning only in some mapping. */
function unknownTitles(titles: readonly string[], resource: Resource, resources: Resources): string[] {
  const targets = findTargets(titles, resource, resources, noOptions)
  return titles.filter((title, index) => !targets[index] && !ignoredTitles(resource).has(normalizeTitle(title)))
}

/** Returns what a mapping answers about a file with these titles. */
export function answersOfMapping(
  mapping: ImportMapping,
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
): Pick<ImportAnswers, 'match' | 'set' | 'value'> & { map: ImportMapping['map'] } {
  const { map, set, value, match } = withMapping(noOptions, mapping, { titles, resource, resources })
  return { map, set, value, match: Object.values(map).includes(match ?? '') ? match : null }
}

/** Returns the mapping that keeps a person's answers. Columns that are known are skipped if the person has skipped them. */
export function mappingOfAnswers(
  { names, match, set, value }: ImportAnswers,
  titles: readonly string[],
  resource: Resource,
  resources: Resources,
): ImportMapping {
  const targets = findTargets(titles, resource, resources, noOptions)
  const entries = titles.flatMap((title, index): [string, string][] => {
    const name = names[index] ?? ''
    return title !== '' && (name !== '' || targets[index]) ? [[title, name]] : []
  })
  return { map: Object.fromEntries(entries), set, value, amounts: null, match }
}
