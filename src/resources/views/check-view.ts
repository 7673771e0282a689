// Checks the query and the columns of a saved view against the list that it is a view of.

import { type ParsedUrlQuery, parse } from 'node:querystring'
import { Problem } from '../../problem.ts'
import { views } from '../declarations/views.ts'
import { wrong } from '../field-values.ts'
import { ownOrderOf } from '../lists/own-order.ts'
import { allowedList, quote, readListRequest } from '../lists/request.ts'
import type { Resource, Resources } from '../resource.ts'
import type { Handling } from '../unknown-names.ts'
import { type Checked, checkChanges, checkNew, type FieldErrors } from '../validate.ts'
import { viewColumns } from './columns.ts'

/** The fields whose values must fit together. */
export type ViewOfList = { [name: string]: unknown; resource?: unknown; query?: unknown; columns?: unknown }

export function checkNewView(resources: Resources, body: object, handling: Handling, now: Date): Checked {
  const given = withColumnsAsText(body as ViewOfList)
  return withErrors(checkNew(views, given, handling), viewErrors(resources, given, now))
}

/** The fields of the body; `viewErrors` of the changed view has to be checked next to the data. Throws `no_fields`. */
export function checkViewChanges(resources: Resources, body: object, handling: Handling, now: Date): Checked {
  const given = withColumnsAsText(body as ViewOfList)
  return withErrors(checkChanges(views, given, handling), viewErrors(resources, given, now))
}

/** What does not fit to the list, by field; nothing for values of a wrong kind and for an unknown resource. `columns`: names
 *  separated by commas. */
export function viewErrors(resources: Resources, view: ViewOfList, now: Date): FieldErrors {
  const resource = resources.find(({ name }) => name === view.resource)
  if (!resource) return []
  return [...queryErrors(resource, resources, view.query, now), ...columnErrors(resource, resources, view.columns)]
}

/** Adds the errors of values that are not wrong by themselves, in the order of the fields. */
function withErrors(checked: Checked, more: FieldErrors): Checked {
  if (more.length === 0) return checked
  const named = more.map(([name]) => name)
  const others = 'errors' in checked ? checked.errors.filter(([name]) => !named.includes(name)) : []
  const errors = [...more, ...others]
  const order = Object.keys(views.fields)
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return { errors: errors.toSorted(([one], [other]) => place(one) - place(other)) }
}

/** The body with `columns` as text: `["name", "status"]` → `name,status`. An empty list means the default columns. */
function withColumnsAsText(body: ViewOfList): ViewOfList {
  if (!Object.hasOwn(body, 'columns') || !Array.isArray(body.columns)) return body
  const { columns } = body
  const isListOfNames = columns.every((each) => typeof each === 'string' && /^\w+$/.test(each))
  return { ...body, columns: isListOfNames ? columns.join(',') : columns }
}

function queryErrors(resource: Resource, resources: Resources, query: unknown, now: Date): FieldErrors {
  if (typeof query !== 'string' || !query.isWellFormed()) return []
  const given = parse(query.trim(), undefined, undefined, { maxKeys: 0 })
  if ('cursor' in given) return [['query', wrong('invalid_text', 'A cursor is a place in a list; leave it out.')]]
  try {
    readListRequest(
      isInOwnOrder(given, resource, resources) ? { ...given, sort: 'id' } : given,
      resource,
      resources,
      now,
    )
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [['query', wrong('invalid_text', error.message)]]
  }
}

/** Whether the view has an order of the panel, which the API does not have. */
function isInOwnOrder({ sort }: ParsedUrlQuery, resource: Resource, resources: Resources): boolean {
  return typeof sort === 'string' && ownOrderOf(resource, resources, sort.replace(/^-/, '')) !== undefined
}

function columnErrors(resource: Resource, resources: Resources, columns: unknown): FieldErrors {
  if (Array.isArray(columns))
    return [['columns', wrong('not_in_list', 'Must be a list of column names such as ["name", "status"].')]]
  if (typeof columns !== 'string' || columns.trim() === '') return []
  const known = viewColumns(resource, resources)
  const names = columns.trim().split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    return [['columns', wrong('not_in_list', `There is no column ${quote(unknown)}; ${allowedList(known)}`)]]
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice === undefined) return []
  return [['columns', wrong('not_in_list', `The column ${quote(twice)} is there twice; name it once.`)]]
}
