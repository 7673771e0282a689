// GET /changes.php: the tenant's history, which lists its changes in order.

import type { ParsedUrlQuery } from 'node:querystring'
import { withConfiguration } from '../../domain/declarations/configuration.ts'
import type { Resources } from '../../domain/declarations/resource.ts'
import { quote } from '../../domain/fields/unknown-names.ts'
import { actions, type ChangesQuery, endOfHistory } from '../../domain/history/history.ts'
import { type History, historyOperations } from '../../domain/history/operations.ts'
import { readLimit } from '../../domain/lists/request/request.ts'
import { readUuid } from '../../lib/text.ts'
import { invalidRequest } from '../../problem.ts'
import { nextLink, unlessNotModified } from '../answers.ts'
import type { Answer, ApiRequest, Endpoint } from '../endpoint.ts'
import { changesDocs } from '../openapi/docs/changes.ts'
import { readParameters, readWord } from '../parse-request.ts'

export function changesEndpoint(): Endpoint {
  return {
    method: 'GET',
    path: '/changes.php',
    scope: { resource: 'changes', action: 'read' },
    isList: (name) => name === 'resource' || name === 'action',
    answer,
    docs: changesDocs,
  }
}

async function answer(request: ApiRequest): Promise<Answer> {
  const { query, caller, tenant, resources, services } = request
  const changesQuery = readChangesQuery(query, resources)
  const viewer = { apiKeyId: caller.id }
  const input = { ...changesQuery, viewer, timeoutMs: services.listTimeoutMs }
  const history = await services.engine.run(tenant, historyOperations.changes, input)
  if (!changesQuery.isBackwards) requireKnown(changesQuery.since, history)
  const headers = history.hasMore ? nextLink(request, { ...query, since: String(history.since) }) : {}
  return unlessNotModified(request, history.etag, () => pageText(changesQuery.limit, history), headers)
}

/** Throws `invalid_request` if changes after `since` were removed, because the client would miss these changes. Also
 *  throws if `since` is greater than the latest change number, which happens after an older state was restored. Accepts
 *  0 from a client that has not read any changes yet. */
function requireKnown(since: number, { latest, start }: History): void {
  if (since > 0 && since < start) {
    throw invalidRequest(
      `since is ${since}, but the changes up to number ${start} were removed after their retention period. ` +
        `Start again with since=${start}, and compare the records.`,
    )
  }
  if (since <= latest) return
  throw invalidRequest(
    `since is ${since}, but the latest change is number ${latest}: the history was restored from a backup. ` +
      `Start again with since=${latest}, and compare the records.`,
  )
}

const parameterNames = ['resource', 'id', 'action', 'change_set', 'order', 'since', 'limit']
const orders = ['asc', 'desc'] as const

/** Throws `invalid_request` for unknown parameters and invalid values. */
function readChangesQuery(query: ParsedUrlQuery, resources: Resources): Omit<ChangesQuery, 'viewer' | 'timeoutMs'> {
  const parameters = readParameters(query, parameterNames)
  const isBackwards = parameters.order !== undefined && readWord('order', parameters.order, orders) === 'desc'
  return {
    limit: readLimit(parameters.limit),
    since: readNumber('since', parameters.since) ?? (isBackwards ? endOfHistory : 0),
    ...(isBackwards && { isBackwards }),
    resources: readWords('resource', parameters.resource, namesOf(resources)),
    id: readNumber('id', parameters.id),
    actions: readWords('action', parameters.action, actions),
    changeSet: readChangeSet(parameters.change_set),
  }
}

function namesOf(resources: Resources): string[] {
  return withConfiguration(resources).map(({ name }) => name)
}

/** Returns the different words of a list. */
function readWords<Word extends string>(name: string, text: string | undefined, words: readonly Word[]): Word[] | null {
  if (text === undefined) return null
  return [...new Set(text.split(',').map((piece) => readWord(name, piece, words)))]
}

function readChangeSet(text: string | undefined): string | null {
  if (text === undefined) return null
  const uuid = readUuid(text)
  if (uuid !== undefined) return uuid
  throw invalidRequest(`change_set must be a UUID, as in the Change-Set header, not ${quote(text)}.`)
}

/** Parses an id or a sequence number. 0 is allowed: the position before the first change. */
function readNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidRequest(`${name} must be a whole number such as ${name}=7, not ${quote(text)}.`)
}

/** Returns a page's body. The client continues from `page.since`, even after an empty or partial page. */
function pageText(limit: number, { data, hasMore, since, latest }: History): string {
  return `{"data":[${data}],"page":${JSON.stringify({ limit, has_more: hasMore, since, latest })}}`
}
