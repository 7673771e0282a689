// A mapping for the exports of a program, of all resources.

import type { Resource, Resources } from '../../../declarations/resource.ts'
import { matchColumnsOf, targetNamesOf } from '../../columns/targets.ts'
import type { ImportMapping } from '../mapping.ts'

/** Names of targets, separated by commas: the first one that the resource has counts. `employees.external_id` is a target
 *  of employees only. A column that has no target for a resource is skipped. */
type Alternatives = string

/** `map`: the alternatives of each title, in the program's languages. `match`: those of the column that identifies
 *  records. `value`: words of the program, by title. */
export type ShippedMapping = {
  readonly name: string
  readonly map: { readonly [title: string]: Alternatives }
  readonly match: Alternatives | null
  readonly value: { readonly [title: string]: Words }
}

type Words = { readonly [cell: string]: string }

/** Returns what the mapping says about files of this resource. */
export function mappingFor(
  { map, match, value }: ShippedMapping,
  resource: Resource,
  resources: Resources,
): ImportMapping {
  const targets = targetNamesOf(resource, resources)
  const chosen = Object.entries(map).map(([title, names]) => [title, firstOf(names, resource, targets) ?? ''])
  const matchName = match === null ? undefined : firstOf(match, resource, matchColumnsOf(resource))
  return { map: Object.fromEntries(chosen), set: {}, value: copy(value), amounts: null, match: matchName ?? null }
}

function firstOf(alternatives: Alternatives, { name: resource }: Resource, names: readonly string[]) {
  const own = alternatives.split(', ').map((name) => name.replace(new RegExp(`^${resource}\\.`), ''))
  return own.find((name) => names.includes(name))
}

/** The mapping for all resources, as lists show it. */
export function mappingForAll({ map, match, value }: ShippedMapping): ImportMapping {
  return { map: { ...map }, set: {}, value: copy(value), amounts: null, match }
}

function copy(value: ShippedMapping['value']): ImportMapping['value'] {
  return Object.fromEntries(Object.entries(value).map(([title, words]) => [title, { ...words }]))
}

/** Returns the words of a column from lists of words for each meaning: `{ laptop: ['Laptops', 'Notebooks'] }`. */
export function wordsFor(meanings: { readonly [meaning: string]: readonly string[] }): Words {
  return Object.fromEntries(
    Object.entries(meanings).flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)),
  )
}
