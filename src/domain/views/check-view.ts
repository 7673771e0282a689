// Checks a saved view's query and columns against the list that it shows.

import { parse } from 'node:querystring'
import { Problem } from '../../problem.ts'
import type { Resource, Resources } from '../declarations/resource.ts'
import { views, viewsOf } from '../declarations/views.ts'
import { csvColumns, furtherColumns } from '../exports/columns.ts'
import { fieldError } from '../fields/field-values.ts'
import { allowedList, type Handling, quote } from '../fields/unknown-names.ts'
import { type CheckedInput, checkChanges, checkNew, type FieldErrors, inFieldOrder } from '../fields/validate.ts'
import { countColumnsOf } from '../lists/counts.ts'
import { ownOrderOf } from '../lists/own-orders.ts'
import { isListParameter, joinLists, readListRequest } from '../lists/request/request.ts'

/** The view fields that must be valid together. */
export type ViewOfList = { [name: string]: unknown; resource?: unknown; query?: unknown; columns?: unknown }

export function checkNewView(resources: Resources, body: object, handling: Handling, now: Date): CheckedInput {
  const input = withColumnsAsText({ ...body })
  return withErrors(checkNew(viewsOf(resources), input, handling), viewErrors(resources, input, now))
}

/** Checks the body's fields. The caller must also check the `viewErrors` of the changed view, in the transaction that
 *  changes it. Throws `no_fields`. */
export function checkViewChanges(resources: Resources, body: object, handling: Handling, now: Date): CheckedInput {
  const input = withColumnsAsText({ ...body })
  return withErrors(checkChanges(viewsOf(resources), input, handling), viewErrors(resources, input, now))
}

/** Returns errors, by field, if the query or the columns do not fit the list. Returns no errors for an unknown
 *  resource, or for values of the wrong type. `view.columns` contains names separated by commas. */
export function viewErrors(resources: Resources, view: ViewOfList, now: Date): FieldErrors {
  const resource = resources.find(({ name }) => name === view.resource)
  if (!resource) return []
  return [...queryErrors(resource, resources, view.query, now), ...columnErrors(resource, resources, view.columns)]
}

/** Adds errors. An added error replaces an earlier error for the same field. */
function withErrors(checked: CheckedInput, added: FieldErrors): CheckedInput {
  if (added.length === 0) return checked
  const replaced = added.map(([name]) => name)
  const others = 'errors' in checked ? checked.errors.filter(([name]) => !replaced.includes(name)) : []
  return { values: checked.values, errors: inFieldOrder(views, [...added, ...others]) }
}

/** Returns the body with `columns` as text: `["name", "status"]` → `name,status`. An empty list means the default
 *  columns. */
function withColumnsAsText(body: ViewOfList): ViewOfList {
  if (!Object.hasOwn(body, 'columns') || !Array.isArray(body.columns)) return body
  const { columns } = body
  const isListOfNames = columns.every((name) => typeof name === 'string' && /^\w+$/.test(name))
  return { ...body, columns: isListOfNames ? columns.join(',') : columns }
}

function queryErrors(resource: Resource, resources: Resources, query: unknown, now: Date): FieldErrors {
  if (typeof query !== 'string' || !query.isWellFormed()) return []
  const parameters = joinLists(parse(query.trim(), undefined, undefined, { maxKeys: 0 }), isListParameter)
  if ('cursor' in parameters)
    return [['query', fieldError('invalid_text', 'The query must not contain a cursor; leave it out.')]]
  try {
    const { sort } = parameters
    const isPanelOrder =
      typeof sort === 'string' && ownOrderOf(resource, resources, sort.replace(/^-/, '')) !== undefined
    // Only the panel offers its own orders.
    readListRequest(isPanelOrder ? { ...parameters, sort: 'id' } : parameters, { resource, resources, now })
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [['query', fieldError('invalid_text', error.message)]]
  }
}

function columnErrors(resource: Resource, resources: Resources, columns: unknown): FieldErrors {
  if (Array.isArray(columns))
    return [['columns', fieldError('not_in_list', 'Must be a list of column names such as ["name", "status"].')]]
  if (typeof columns !== 'string' || columns.trim() === '') return []
  const columnNames = viewColumns(resource, resources)
  const names = columns.trim().split(',')
  const unknown = names.find((name) => !columnNames.includes(name))
  if (unknown !== undefined)
    return [['columns', fieldError('not_in_list', `There is no column ${quote(unknown)}; ${allowedList(columnNames)}`)]]
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated === undefined) return []
  return [['columns', fieldError('not_in_list', `The column ${quote(repeated)} is listed twice; name it once.`)]]
}

export function viewColumns(resource: Resource, resources: Resources): string[] {
  const names = [...csvColumns(resource, resources), ...furtherColumns(resource, resources)].map(({ name }) => name)
  return [...names, ...countColumnsOf(resource, resources)]
}
