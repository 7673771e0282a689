// The query parameters of lists (contract §9), derived from the same options that the query parser uses.

import type { Resource, Resources } from '../../domain/declarations/resource.ts'
import { maxValues, maxWords } from '../../domain/lists/request/operands.ts'
import {
  type Filter,
  filtersOf,
  type Include,
  type ListField,
  type Operator,
  parameterName,
} from '../../domain/lists/request/options.ts'
import {
  choiceSchema,
  commaSeparated,
  idSchema,
  limitParameter,
  queryParameter,
  wordsParameter,
} from './schemas/kinds.ts'
import { kindSchema } from './schemas/schemas.ts'
import type { Parameter, Schema } from './types.ts'

/** Returns the parameters of a resource's lists, by component name. All resources share some of them. */
export function listParameters(resource: Resource, resources: Resources): Record<string, Parameter> {
  const own = parametersOf(resource, resources).map((parameter) => [componentName(resource, parameter), parameter])
  return Object.fromEntries([...sharedParameters.map((parameter) => [parameter.name, parameter]), ...own])
}

function componentName({ name }: Resource, parameter: Parameter): string {
  return `${name}.${parameter.name.replace('[', '.').replace(']', '')}`
}

function parametersOf(resource: Resource, resources: Resources): Parameter[] {
  const { filters, sorts, includes, isSearchable } = filtersOf(resource, resources)
  return [
    sortParameter(sorts),
    ...(isSearchable ? [searchParameter] : []),
    ...(includes.length > 0 ? [includeParameter(includes)] : []),
    ...filters.flatMap((filter) => filter.operators.map((operator) => filterParameter(filter, operator))),
  ]
}

const sharedParameters: Parameter[] = [
  limitParameter('records'),
  queryParameter(
    'cursor',
    'The `page.next_cursor` of the previous page; filters and sort must be the same. The `Link` header contains it too.',
    { type: 'string', minLength: 1 },
  ),
  queryParameter('total', 'Whether to return the number of all matching records, in `page.total`.', {
    type: 'boolean',
    default: false,
  }),
  queryParameter(
    'as_of',
    'A time in the past: returns records as they were then. Also works with `id`, but not with `q` or `[contains]`. A time before the ' +
      'oldest retained change is rejected with `invalid_request`.',
    { type: 'string', format: 'date-time' },
  ),
]

const searchParameter = queryParameter(
  'q',
  `Up to ${maxWords} words. Each must occur in a text field; case and accents are ignored. ` +
    'Codes such as asset tags are also found without their punctuation, umlauts also by two letters (`mueller`), and ' +
    'typographic apostrophes and hyphens by plain ones.',
  { type: 'string', minLength: 1 },
)

function sortParameter(sorts: readonly string[]): Parameter {
  const words = sorts.flatMap((name) => [name, `-${name}`])
  const description =
    'The field to sort by; `-` in front of it reverses the order. Empty values come first; equal values are sorted by `id`. ' +
    'Names are sorted without case and accents, other text by its UTF-8 bytes.'
  return queryParameter('sort', description, { ...choiceSchema(words), default: 'id' })
}

function includeParameter(includes: readonly Include[]): Parameter {
  const scopes = includes.map(({ name, path }): [string, string[]] => [name, path.map(({ to }) => `${to}:read`)])
  const needs = scopes.map(([name, needed]) => `\`${name}\`: ${needed.map((scope) => `\`${scope}\``).join(' and ')}`)
  const description =
    'Related records to embed in each record, separated by commas. With `id`, the ETag also covers ' +
    'the embedded records; `If-Match` compares only the record itself. The key also needs the read scope of every resource on the path ' +
    `(${needs.join('; ')}), or \`*:read\`.`
  const names = includes.map(({ name }) => name)
  return { ...wordsParameter('include', description, names), 'x-include-scopes': Object.fromEntries(scopes) }
}

function filterParameter({ name, field, operators, via: through, scope }: Filter, operator: Operator): Parameter {
  const referenceText = through ? ` A field of the record that \`${through.reference}\` refers to.` : ''
  const scopeText = scope ? ` The key also needs \`${scope}:read\`.` : ''
  return {
    name: parameterName(name, operator),
    in: 'query',
    ...((operator === 'in' || field.kind === 'missing') && commaSeparated),
    description: meaningOf(field, operator) + referenceText + scopeText,
    schema: operandSchema(field, operator),
    'x-filter': { field: name, operators, ...(isSpecial(field) && { isSpecial: true }) },
  }
}

/** Whether the field is not compared with a value of its own. */
function isSpecial({ kind }: ListField): boolean {
  return kind === 'words' || kind === 'missing' || kind === 'creation'
}

function meaningOf(field: ListField, operator: Operator): string {
  if (field.kind === 'words') return field.about
  if (field.kind === 'missing')
    return 'Fields, separated by commas: matches records in which at least one of them is empty.'
  if (field.kind === 'since')
    return `${operatorMeanings[operator]} Compared with the time at which \`${field.of}\` last changed. Cannot be combined with \`as_of\`.`
  if (field.kind === 'creation')
    return 'The UUID of a change set: matches the records that it created. Cannot be combined with `as_of`.'
  return operatorMeanings[operator]
}

const operatorMeanings: Record<Operator, string> = {
  eq: 'Equal to this value.',
  ne: 'Not equal to this value. Records without a value do not match.',
  in: `Equal to one of up to ${maxValues} values, separated by commas.`,
  null: '`true`: only records without a value; `false`: only records with a value.',
  gte: 'Greater than or equal to this value.',
  gt: 'Greater than this value.',
  lte: 'Less than or equal to this value.',
  lt: 'Less than this value.',
  contains: 'Contains this text; case and accents are ignored.',
}

function operandSchema(field: ListField, operator: Operator): Schema {
  if (operator === 'null') return { type: 'boolean' }
  if (operator === 'contains') return { type: 'string', minLength: 1 }
  const schema = comparableSchema(field)
  return operator === 'in' ? { type: 'array', minItems: 1, maxItems: maxValues, items: schema } : schema
}

/** Returns the schema for a filter's operand, which does not have to satisfy the limits of stored values. Days can be
 *  relative to today. */
function comparableSchema(field: ListField): Schema {
  switch (field.kind) {
    case 'text':
      return { type: 'string', minLength: 1 }
    case 'integer':
      return kindSchema({ kind: 'integer' })
    case 'id':
      return idSchema()
    case 'date':
      return {
        type: 'string',
        pattern: `^(\\d{4}-\\d{2}-\\d{2}|${relativeDay})$`,
        examples: ['2026-03-02', 'today', '-14d'],
      }
    case 'timestamp':
    case 'since':
      return { type: 'string', pattern: `^(\\d{4}-.*|${relativeDay})$`, examples: ['2026-03-02T08:30:00.000Z', '-14d'] }
    case 'creation':
      return { type: 'string', format: 'uuid' }
    case 'words': {
      const words = Object.keys(field.words)
      const days = field.days ? '|\\d{1,4}d' : ''
      return { type: 'string', pattern: `^(${words.join('|')}${days})$`, examples: [...words, ...(days && ['60d'])] }
    }
    case 'missing':
      return { type: 'array', minItems: 1, items: { type: 'string', enum: field.of } }
    default:
      return kindSchema(field)
  }
}

/** Matches today, or a number of days before or after today, in UTC. */
const relativeDay = 'today|-?\\d{1,4}d'
