// The history over HTTP: parses the query string of /changes.php and formats a page of changes.

import type { ParsedUrlQuery } from 'node:querystring'
import { invalidRequest } from '../problem.ts'
import { actions, assignmentOf, type ChangesQuery } from '../resources/history/history.ts'
import { allowedList, quote, readLimit, requireOnce } from '../resources/lists/request.ts'
import type { Resource, Resources } from '../resources/resource.ts'
import type { History } from '../storage/operations/history.ts'

export const changesParameters = ['resource', 'id', 'action', 'since', 'limit'] as const

/** Throws `invalid_request` for unknown parameters and invalid values. */
export function readChangesQuery(query: ParsedUrlQuery, resources: Resources): Omit<ChangesQuery, 'timeoutMs'> {
  const given = requireOnce(query)
  const unknown = Object.keys(given).find((name) => !(changesParameters as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw invalidRequest(`There is no parameter ${quote(unknown)}; ${allowedList(changesParameters)}`)
  }
  return {
    limit: readLimit(given.limit),
    since: readNumber('since', given.since) ?? 0,
    resource: readWord('resource', given.resource, names(resources)),
    id: readNumber('id', given.id),
    action: readWord('action', given.action, actions),
  }
}

/** Whether the request is for `history=assignments` instead of the record. Throws `invalid_request`. */
export function asksAssignments(query: ParsedUrlQuery, resource: Resource): boolean {
  const { history, include, as_of } = requireOnce({
    history: query.history,
    include: query.include,
    as_of: query.as_of,
  })
  if (history === undefined) return false
  const known = assignmentOf(resource) === undefined ? [] : ['assignments']
  if (!known.includes(history)) throw invalidRequest(`history ${quote(history)} is unknown; ${allowedList(known)}`)
  if (include === undefined && as_of === undefined) return true
  throw invalidRequest('history stands alone; leave include and as_of away.')
}

/** The body of a page. `page.since` is where the client continues, even after an empty or partial page. */
export function changesText(limit: number, { data, hasMore, since }: History): string {
  return `{"data":[${data}],"page":${JSON.stringify({ limit, has_more: hasMore, since })}}`
}

function names(resources: Resources): string[] {
  return resources.map(({ name }) => name)
}

function readWord<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word | null {
  if (text === undefined) return null
  const word = words.find((each) => each === text)
  if (word === undefined) throw invalidRequest(`${name} does not take ${quote(text)}; ${allowedList(words)}`)
  return word
}

/** Parses an id or a sequence number; 0 is before the first one. */
function readNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidRequest(`${name} must be a whole number such as ${name}=7, not ${quote(text)}.`)
}
