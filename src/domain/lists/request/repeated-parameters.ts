// Lists in query parameters: HTTP libraries repeat a parameter for each value, with or without `[]` after its name
// (contract §27).

import type { ParsedUrlQuery } from 'node:querystring'

/** Joins the values of each repeated list parameter with commas: `id[in]=1&id[in][]=2` becomes `id[in]=1,2`.
 *  `isList`: whether a parameter accepts a list. Other parameters stay as they are. */
export function joinLists(query: ParsedUrlQuery, isList: (name: string) => boolean): ParsedUrlQuery {
  if (!hasRepeats(query)) return query
  const joined: ParsedUrlQuery = Object.create(null)
  for (const [given, value] of Object.entries(query)) {
    const withoutBrackets = given.replace(/\[\]$/, '')
    const name = isList(withoutBrackets) ? withoutBrackets : given
    const values = [joined[name] ?? [], value ?? []].flat()
    joined[name] = isList(name) || values.length === 1 ? values.join(',') : values
  }
  return joined
}

/** A loop, because this runs for every read. */
function hasRepeats(query: ParsedUrlQuery): boolean {
  for (const name in query) if (typeof query[name] !== 'string' || name.endsWith('[]')) return true
  return false
}
