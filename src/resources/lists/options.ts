// What a list of a resource can be asked (contract §9), derived from the declarations and from nothing else.

import { type Field, type Resource, type Resources, resourceNamed, timestampColumns } from '../resource.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'null' | 'gte' | 'gt' | 'lte' | 'lt' | 'contains'

/** A declared field, or one of those that every record has. */
export type ListField = Field | { kind: 'id' } | { kind: 'timestamp' }

/** A filter by `name`. `through`: the field belongs to the records that reference `through` of this resource leads to. */
export type Filter = {
  name: string
  field: ListField
  operators: readonly Operator[]
  via?: { reference: string; to: string }
}

/** All that a list can be asked: filters in the order of the answer's members, each of which is also a sort except those
 *  through a reference; the words for `include`; whether there is text for `q` to search in. */
export type ListOptions = {
  filters: readonly Filter[]
  sorts: readonly string[]
  includes: readonly Include[]
  isSearchable: boolean
}

/** A related record that an answer can hold: `employee`, or `employee.customer` inside of it. `path`: the references. */
export type Include = { name: string; path: readonly { reference: string; to: string }[] }

/** What each kind can be compared by. `eq` is the parameter without brackets; `id` alone asks for one record, no list. */
export const operators = {
  id: ['ne', 'in', 'null', 'gte', 'gt', 'lte', 'lt'],
  timestamp: ['eq', 'ne', 'in', 'null', 'gte', 'gt', 'lte', 'lt'],
  integer: ['eq', 'ne', 'in', 'null', 'gte', 'gt', 'lte', 'lt'],
  date: ['eq', 'ne', 'in', 'null', 'gte', 'gt', 'lte', 'lt'],
  text: ['eq', 'ne', 'in', 'null', 'gte', 'gt', 'lte', 'lt', 'contains'],
  email: ['eq', 'ne', 'in', 'null', 'contains'],
  choice: ['eq', 'ne', 'in', 'null'],
  boolean: ['eq', 'ne', 'in', 'null'],
  reference: ['eq', 'ne', 'in', 'null'],
} as const satisfies Record<ListField['kind'], readonly Operator[]>

const throughReference = ['eq', 'ne', 'in'] as const satisfies readonly Operator[]

const derived = new WeakMap<Resources, Map<Resource, ListOptions>>()

/** What a list of this resource can be asked. Worked out once for each of the resources. */
export function filtersOf(resource: Resource, resources: Resources): ListOptions {
  const known = derived.get(resources) ?? new Map(resources.map((each) => [each, derive(each, resources)]))
  derived.set(resources, known)
  return known.get(resource)!
}

/** The name of a query parameter: `status`, `purchase_cost[gte]`. */
export function parameterName(filter: string, operator: Operator): string {
  return operator === 'eq' ? filter : `${filter}[${operator}]`
}

const searched = new WeakMap<Resource, string[]>()

/** The fields that `q` searches in, in the order of the declaration. Worked out once: every change asks. */
export function searchedFields(resource: Resource): string[] {
  const isSearched = ({ kind }: Field) => kind === 'text' || kind === 'email'
  const known =
    searched.get(resource) ?? Object.keys(resource.fields).filter((name) => isSearched(resource.fields[name]!))
  searched.set(resource, known)
  return known
}

function derive(resource: Resource, resources: Resources): ListOptions {
  const own = Object.entries(ownFields(resource)).map(([name, field]) => ({
    name,
    field,
    operators: operators[field.kind],
  }))
  return {
    filters: [...own, ...relatedFilters(resource, resources)],
    sorts: own.map(({ name }) => name),
    includes: includesOf(resource, resources),
    isSearchable: searchedFields(resource).length > 0,
  }
}

function ownFields(resource: Resource): Record<string, ListField> {
  const times = Object.fromEntries(timestampColumns.map((name) => [name, { kind: 'timestamp' } as const]))
  return { id: { kind: 'id' }, ...resource.fields, ...times }
}

/** A reference's references are filters too: all hardware of a customer. A field of the resource's own goes first. */
function relatedFilters(resource: Resource, resources: Resources): Filter[] {
  const taken = new Set(Object.keys(resource.fields))
  return references(resource).flatMap((through) =>
    references(resourceNamed(resources, through.to)).flatMap(({ reference }): Filter[] => {
      if (taken.has(reference)) return []
      taken.add(reference)
      const field = resourceNamed(resources, through.to).fields[reference]!
      return [{ name: reference, field, operators: throughReference, via: through }]
    }),
  )
}

/** One level of nesting. */
function includesOf(resource: Resource, resources: Resources): Include[] {
  return references(resource).flatMap((first) => [
    { name: memberName(first.reference), path: [first] },
    ...references(resourceNamed(resources, first.to)).map((second) => ({
      name: `${memberName(first.reference)}.${memberName(second.reference)}`,
      path: [first, second],
    })),
  ])
}

function references(resource: Resource): { reference: string; to: string }[] {
  return Object.entries(resource.fields).flatMap(([reference, field]) =>
    field.kind === 'reference' ? [{ reference, to: field.to }] : [],
  )
}

/** The member that holds the record a reference leads to: `customer` for `customer_id`. */
export function memberName(reference: string): string {
  return reference.replace(/_id$/, '')
}
