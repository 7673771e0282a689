// The filters, sort fields and includes of a resource's lists (contract §9), derived from the declarations alone.

import type { ParsedUrlQuery } from 'node:querystring'
import {
  deriveOnce,
  emptyValue,
  externalIdField,
  type Field,
  type Resource,
  type Resources,
  referencesOf,
  resourceNamed,
  timestampColumns,
  type WordFilter,
} from '../../declarations/resource.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'null' | 'gte' | 'gt' | 'lte' | 'lt' | 'contains'

/** A declared field, a field that every record has, or something else by which lists can be filtered. `missing`: one of
 *  several fields is empty. `since`: the time at which a field last changed. `creation`: the change set that created the
 *  record. */
export type ListField =
  | Field
  | { kind: 'id' }
  | { kind: 'timestamp' }
  | { kind: 'missing'; of: readonly string[] }
  | { kind: 'since'; of: string }
  | { kind: 'creation' }
  | WordFilter

/** `via`: for a field of related records, the reference that leads to these records from the list's resource. `scope`:
 *  the resource that the caller must be allowed to read, in addition to the list's resource. */
export type Filter = {
  name: string
  field: ListField
  operators: readonly Operator[]
  via?: { reference: string; to: string; column: string }
  scope?: string
}

/** `filters`: the filters on the record's own members come first, in response order. `scopes`: the scopes of the
 *  filters that have one, by name. `sorts`: the names of these members. `includes`: the allowed values of the `include`
 *  parameter. `isSearchable`: whether `q` is supported. */
export type ListOptions = {
  filters: readonly Filter[]
  scopes: ReadonlyMap<string, string>
  sorts: readonly string[]
  includes: readonly Include[]
  isSearchable: boolean
}

/** A reference from one resource to another one. */
export type Step = { reference: string; to: string }

/** A related record that a response can include, such as `employee` or the nested `employee.customer`. `path`: the
 *  references that lead to that record. */
export type Include = { name: string; path: readonly Step[] }

/** The operators for each kind of field. `eq` is the parameter without brackets. `id` has no `eq`: `?id=N` requests a
 *  single record. */
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
  missing: ['eq'],
  since: ['gte', 'gt', 'lte', 'lt'],
  creation: ['eq'],
  words: ['eq'],
} as const satisfies Record<ListField['kind'], readonly Operator[]>

/** `external_id` has no `eq` either: `?external_id=X` requests a single record. */
function operatorsOf(name: string, { kind }: ListField): readonly Operator[] {
  const ofKind: readonly Operator[] = operators[kind]
  return name === externalIdField ? ofKind.filter((operator) => operator !== 'eq') : ofKind
}

const operatorsThroughReference = ['eq', 'ne', 'in'] as const satisfies readonly Operator[]

const optionsByResource = deriveOnce(
  (resources: Resources) => new Map(resources.map((resource) => [resource, deriveOptions(resource, resources)])),
)

export function filtersOf(resource: Resource, resources: Resources): ListOptions {
  return optionsByResource(resources).get(resource)!
}

/** A query parameter's name: `status`, `purchase_cost[gte]`. */
export function parameterName(filter: string, operator: Operator): string {
  return operator === 'eq' ? filter : `${filter}[${operator}]`
}

/** The fields that `q` searches, ordered by the release that added them, then by their order in the declaration. A
 *  field's position in this list determines its separator in stored search text. */
export const searchedFields = deriveOnce(({ fields }: Resource) =>
  Object.entries(fields)
    .filter(([, { kind }]) => kind === 'text' || kind === 'email')
    .toSorted(([, one], [, other]) => (one.since ?? 1) - (other.since ?? 1))
    .map(([name]) => name),
)

function deriveOptions(resource: Resource, resources: Resources): ListOptions {
  const times = Object.fromEntries(timestampColumns.map((name) => [name, { kind: 'timestamp' } as const]))
  const ownFields: Record<string, ListField> = { id: { kind: 'id' }, ...resource.fields, ...times }
  const ownFilters = Object.entries(ownFields).map(([name, field]) => ({
    name,
    field,
    operators: operatorsOf(name, field),
  }))
  const filters: Filter[] = [
    ...ownFilters,
    ...specialFilters(resource),
    ...relatedFilters(resource, resources),
    ...relatedFieldFilters(resource, resources),
  ]
  return {
    filters,
    scopes: new Map(filters.flatMap(({ name, scope }) => (scope === undefined ? [] : [[name, scope]]))),
    sorts: ownFilters.map(({ name }) => name),
    includes: includesOf(resource, resources),
    isSearchable: searchedFields(resource).length > 0,
  }
}

/** Lists can also be filtered by the references of related records, such as `customer_id` for hardware. If a name is
 *  also one of the resource's own fields, the field takes precedence. */
function relatedFilters(resource: Resource, resources: Resources): Filter[] {
  const usedNames = new Set(Object.keys(resource.fields))
  return stepsFrom(resource).flatMap((through) =>
    stepsFrom(resourceNamed(resources, through.to)).flatMap(({ reference }): Filter[] => {
      if (usedNames.has(reference)) return []
      usedNames.add(reference)
      const field = resourceNamed(resources, through.to).fields[reference]!
      return [{ name: reference, field, operators: operatorsThroughReference, via: { ...through, column: reference } }]
    }),
  )
}

/** Filters on the resource itself that do not correspond to a field. */
function specialFilters(resource: Resource): Filter[] {
  const { fields } = resource
  const optional = Object.keys(fields).filter((name) => !fields[name]!.required && emptyValue(fields[name]!) === null)
  const since = Object.keys(fields).filter((name) => fields[name]!.filtersByLastChange)
  return [
    ...toFilters(resource.wordFilters ?? {}),
    ...toFilters(Object.fromEntries(since.map((name) => [`${name}_since`, { kind: 'since', of: name }]))),
    ...(optional.length > 0 ? toFilters({ missing: { kind: 'missing', of: optional } }) : []),
    ...toFilters({ created_in: { kind: 'creation' } }),
  ]
}

function toFilters(fields: Record<string, ListField>): Filter[] {
  return Object.entries(fields).map(([name, field]) => ({ name, field, operators: operators[field.kind] }))
}

/** Filters on related records: their fields that are marked `filtersReferring`, and their word filters. For example,
 *  hardware can be filtered by `employee.department`. */
function relatedFieldFilters(resource: Resource, resources: Resources): Filter[] {
  return stepsFrom(resource).flatMap((through) => {
    const related = resourceNamed(resources, through.to)
    const marked = Object.entries(related.fields).filter(([, { filtersReferring }]) => filtersReferring)
    return Object.entries<ListField>({ ...Object.fromEntries(marked), ...related.wordFilters }).map(
      ([column, field]) => ({
        name: `${memberName(through.reference)}.${column}`,
        field,
        operators: field.kind === 'words' ? operators.words : operatorsThroughReference,
        via: { ...through, column },
        scope: through.to,
      }),
    )
  })
}

/** The resources that a caller must be allowed to read for the filters in this query, in addition to the list's
 *  resource. */
export function scopesOfFilters(query: ParsedUrlQuery, resource: Resource, resources: Resources): string[] {
  const { scopes } = filtersOf(resource, resources)
  const needed: string[] = []
  for (const parameter in query) {
    const scope = scopes.get(parameter.split('[', 1)[0]!)
    if (scope !== undefined) needed.push(scope)
  }
  return needed
}

/** Includes may be nested one level deep. */
function includesOf(resource: Resource, resources: Resources): Include[] {
  return stepsFrom(resource).flatMap((first) => [
    { name: memberName(first.reference), path: [first] },
    ...stepsFrom(resourceNamed(resources, first.to)).map((second) => ({
      name: `${memberName(first.reference)}.${memberName(second.reference)}`,
      path: [first, second],
    })),
  ])
}

export function stepsFrom(resource: Resource): Step[] {
  return referencesOf(resource).map(({ name: reference, to }) => ({ reference, to }))
}

/** The name of the column with the referenced record's title: `customer_name` for `customer_id`. */
export function titleName(reference: string): string {
  return `${memberName(reference)}_name`
}

/** The name of the member that contains the referenced record: `customer` for `customer_id`. */
export function memberName(reference: string): string {
  return reference.replace(/_id$/, '')
}
