// The query parameters of lists (contract §9), derived from the same options as the query parser.

import {
  type Filter,
  filtersOf,
  type Include,
  type ListField,
  type Operator,
  parameterName,
} from '../../resources/lists/options.ts'
import { highestLimit, mostValues, mostWords, standardLimit } from '../../resources/lists/request.ts'
import type { Resource, Resources } from '../../resources/resource.ts'
import { idSchema, kindSchema } from './schemas.ts'
import { type Parameter, type Reference, ref, type Schema } from './types.ts'

/** Comma-separated values instead of repeated parameters. */
const listed = { style: 'form', explode: false } as const

/** The parameters of every list, by component name. */
export function sharedListParameters(): Record<string, Parameter> {
  return Object.fromEntries(controls.map((parameter) => [parameter.name, parameter]))
}

/** The parameters of a resource's lists, by component name. */
export function ownListParameters(resource: Resource, resources: Resources): Record<string, Parameter> {
  const own = ownParameters(resource, resources)
  return Object.fromEntries(own.map((parameter) => [componentName(resource, parameter), parameter]))
}

/** References to the parameters of a resource's lists. */
export function listParameters(resource: Resource, resources: Resources): Reference[] {
  const names = ownParameters(resource, resources).map((parameter) => componentName(resource, parameter))
  return [...controls.map(({ name }) => name), ...names].map((name) => ref('parameters', name))
}

function componentName({ name }: Resource, parameter: Parameter): string {
  return `${name}.${parameter.name.replace('[', '.').replace(']', '')}`
}

function ownParameters(resource: Resource, resources: Resources): Parameter[] {
  const { filters, sorts, includes, isSearchable } = filtersOf(resource, resources)
  return [
    sortParameter(sorts),
    ...(isSearchable ? [searchParameter] : []),
    ...(includes.length > 0 ? [includeParameter(includes)] : []),
    ...filters.flatMap((filter) => filter.operators.map((operator) => filterParameter(filter, operator))),
  ]
}

const controls: Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'How many records a page holds at most.',
    schema: { type: 'integer', minimum: 1, maximum: highestLimit, default: standardLimit },
  },
  {
    name: 'cursor',
    in: 'query',
    description: 'The `page.next_cursor` of the page before, with the same filters and sort. `Link` has it too.',
    schema: { type: 'string', minLength: 1 },
  },
  {
    name: 'total',
    in: 'query',
    description: 'Whether to count all records that match, as `page.total`.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'as_of',
    in: 'query',
    description:
      'A moment that is over: records as they were then. Also with `id`; not together with `q` and `[contains]`. A moment before the ' +
      'oldest change that is kept is refused with `invalid_request`.',
    schema: { type: 'string', format: 'date-time' },
  },
]

const searchParameter: Parameter = {
  name: 'q',
  in: 'query',
  description:
    `Words, ${mostWords} at most: each must occur in some text field, whatever its case and accents. ` +
    'Codes such as an asset tag are also found without their punctuation.',
  schema: { type: 'string', minLength: 1 },
}

function sortParameter(sorts: readonly string[]): Parameter {
  const words = sorts.flatMap((name) => [name, `-${name}`])
  const description = 'A field; with a minus in front the other way round. Empty values come first, `id` decides a tie.'
  return { name: 'sort', in: 'query', description, schema: { type: 'string', enum: words, default: 'id' } }
}

function includeParameter(includes: readonly Include[]): Parameter {
  const scopes = includes.map(({ name, path }): [string, string[]] => [name, path.map(({ to }) => `${to}:read`)])
  const needs = scopes.map(([name, needed]) => `\`${name}\`: ${needed.map((each) => `\`${each}\``).join(' and ')}`)
  const description =
    'Related records to put inside each record, separated by commas. Also with `id`: the ETag covers them ' +
    'then; in If-Match it stands for the record alone. The key also needs the read scope of every resource on the path ' +
    `(${needs.join('; ')}), or \`*:read\`.`
  const schema = { type: 'array', minItems: 1, items: { type: 'string', enum: includes.map(({ name }) => name) } }
  return {
    name: 'include',
    in: 'query',
    ...listed,
    description,
    schema,
    'x-include-scopes': Object.fromEntries(scopes),
  }
}

function filterParameter({ name, field, operators, via: through, scope }: Filter, operator: Operator): Parameter {
  const where = through ? ` It is a field of what \`${through.reference}\` leads to.` : ''
  const needs = scope ? ` The key also needs \`${scope}:read\`.` : ''
  return {
    name: parameterName(name, operator),
    in: 'query',
    ...((operator === 'in' || field.kind === 'missing') && listed),
    description: meaningOf(field, operator) + where + needs,
    schema: operandSchema(field, operator),
    'x-filter': { field: name, operators },
  }
}

function meaningOf(field: ListField, operator: Operator): string {
  if (field.kind === 'words') return field.about
  if (field.kind === 'missing') return 'Fields separated by commas, of which at least one is empty.'
  if (field.kind === 'since')
    return `${words[operator]} When \`${field.of}\` got its value. Not together with \`as_of\`.`
  return words[operator]
}

const words: Record<Operator, string> = {
  eq: 'Equal to this.',
  ne: 'Other than this; records without a value are left out.',
  in: `One of these, separated by commas, ${mostValues} at most.`,
  null: 'true: only records without a value; false: only those with one.',
  gte: 'This or more.',
  gt: 'More than this.',
  lte: 'This or less.',
  lt: 'Less than this.',
  contains: 'Holds this text somewhere, whatever its case and accents.',
}

function operandSchema(field: ListField, operator: Operator): Schema {
  if (operator === 'null') return { type: 'boolean' }
  if (operator === 'contains') return { type: 'string', minLength: 1 }
  const schema = comparableSchema(field)
  return operator === 'in' ? { type: 'array', minItems: 1, maxItems: mostValues, items: schema } : schema
}

/** An operand does not have to satisfy the limits of stored values. Days can be relative to today. */
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
    case 'words': {
      const days = field.takesDays ? '|\\d{1,4}d' : ''
      const examples = [...field.words, ...(field.takesDays ? ['60d'] : [])]
      return { type: 'string', pattern: `^(${field.words.join('|')}${days})$`, examples }
    }
    case 'missing':
      return { type: 'array', minItems: 1, items: { type: 'string', enum: field.of } }
    default:
      return kindSchema(field)
  }
}

/** A day before or after today, in UTC. */
const relativeDay = 'today|-?\\d{1,4}d'
