// A mapping for the exports of a program, of all resources.

import type { Resource, Resources } from '../../../declarations/resource.ts'
import { matchColumnsOf, targetNamesOf } from '../../columns/targets.ts'
import type { ImportMapping } from '../mapping.ts'

/** Names of targets, separated by commas: the first one that the resource has counts, and none if it has none of them. An
 *  empty text skips the column. */
type Alternatives = string

/** `map`: the alternatives of each title. `match`: those of the column that identifies records. `value`: words of the
 *  program, by title. */
export type ShippedMapping = {
  readonly name: string
  readonly map: { readonly [title: string]: Alternatives }
  readonly match: Alternatives | null
  readonly value: { readonly [title: string]: { readonly [cell: string]: string } }
}

/** Returns what the mapping says about files of this resource. */
export function mappingFor(
  { map, match, value }: ShippedMapping,
  resource: Resource,
  resources: Resources,
): ImportMapping {
  const targets = targetNamesOf(resource, resources)
  const chosen = Object.entries(map).flatMap(([title, names]) => {
    const name = names === '' ? '' : firstOf(names, targets)
    return name === undefined ? [] : [[title, name] as const]
  })
  const matchName = match === null ? undefined : firstOf(match, matchColumnsOf(resource))
  return { map: Object.fromEntries(chosen), set: {}, value: copy(value), amounts: null, match: matchName ?? null }
}

function firstOf(alternatives: Alternatives, names: readonly string[]): string | undefined {
  return alternatives.split(', ').find((name) => names.includes(name))
}

/** The mapping for all resources, as lists show it. */
export function mappingForAll({ map, match, value }: ShippedMapping): ImportMapping {
  return { map: { ...map }, set: {}, value: copy(value), amounts: null, match }
}

function copy(value: ShippedMapping['value']): ImportMapping['value'] {
  return Object.fromEntries(Object.entries(value).map(([title, words]) => [title, { ...words }]))
}
