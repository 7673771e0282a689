// Builds the SQL for a list's conditions. Only declared names are interpolated.

import type { Database, Value } from '../../../engine/database/database.ts'
import type { Resource } from '../../declarations/resource.ts'
import { searchColumn, separatorOf } from '../../search/fold.ts'
import type { Clause } from '../../search/index.ts'
import type { Condition } from '../query.ts'
import type { Filter, ListField } from '../request/options.ts'

type Engine = Database['engine']

/** Returns the column of the list's table that a filter applies to, or an empty string if the filter does not apply to
 *  exactly one column. */
export function columnOf({ via, field, name }: Filter): string {
  if (via) return via.reference
  if (field.kind === 'words') return field.columns.length === 1 ? field.columns[0]! : ''
  return field.kind === 'missing' || field.kind === 'since' ? '' : name
}

/** Returns a condition on the expression `column`. An expression such as `+column` prevents the use of an index.
 *  `table`: the list's table. `upTo`: the last change that a condition on the history considers; all changes if
 *  absent. */
export function clauseOf(filter: Filter, condition: Condition, column: string, table: string, upTo?: number): Clause {
  const { via, field } = filter
  if (field.kind === 'since') return changedSince(field.of, condition, table, upTo)
  if (!via) return compare(field, condition, column)
  const { sql, values } = compare(field, condition, via.column)
  return { sql: `${column} in (select id from ${via.to} where ${sql})`, values }
}

const signs = { eq: '=', ne: '<>', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const

/** A word filter's operands are the word, today's date, and the last day of the period. */
function compare(field: ListField, { operator, values }: Condition, column: string): Clause {
  if (field.kind === 'words') {
    const [word, today, last] = values
    const [sql, ...operands] = field.words[String(word)] ?? field.days!
    const bound = operands.map((operand) => (operand === 'today' ? today! : operand === 'last' ? last! : operand))
    return { sql: column.startsWith('+') ? `+(${sql})` : sql, values: bound }
  }
  if (field.kind === 'missing')
    return { sql: `(${values.map((name) => `${declaredName(field.of, name)} is null`).join(' or ')})`, values: [] }
  if (field.kind === 'email' && (operator === 'eq' || operator === 'in')) return isOneOfEmails(values, column)
  if (field.kind === 'email' && operator === 'ne')
    return { sql: `lower(${column}) <> ?`, values: [String(values[0]).toLowerCase()] }
  switch (operator) {
    case 'null':
      return { sql: `${column} is ${values[0] ? '' : 'not '}null`, values: [] }
    case 'in':
      return { sql: `${column} in (${values.map(() => '?').join(', ')})`, values: [...values] }
    case 'contains':
      throw new Error('`contains` must be compiled with fieldContains, which uses the folded text')
    default:
      return { sql: `${column} ${signs[operator]} ?`, values: [...values] }
  }
}

/** Email addresses are compared without the case of their ASCII letters (contract §9). The index on the address finds
 *  those in lower case, which are nearly all, and a small index finds the others. */
function isOneOfEmails(values: readonly Value[], column: string): Clause {
  const lowerCase = values.map((value) => String(value).toLowerCase())
  const list = `(${lowerCase.map(() => '?').join(', ')})`
  if (column.startsWith('+')) return { sql: `lower(${column}) in ${list}`, values: lowerCase }
  return {
    sql: `(${column} in ${list} or (${hasUpperCase(column)} and lower(${column}) in ${list}))`,
    values: [...lowerCase, ...lowerCase],
  }
}

/** True for the email addresses in a column that contain upper-case letters. */
export function hasUpperCase(column: string): string {
  return `${column} <> lower(${column})`
}

function declaredName(names: readonly string[], name: Value): string {
  const known = names.find((declared) => declared === name)
  if (known === undefined) throw new Error('this field is not declared as optional')
  return known
}

/** Returns a condition that tests whether the field was last changed before or after a time. The last change is in the
 *  history, unless retention has removed it. The pattern cannot match text inside a value, because quotes in values are
 *  escaped. */
function changedSince(name: string, { operator, values }: Condition, table: string, upTo?: number): Clause {
  const isBefore = operator === 'lt' || operator === 'lte'
  const later = { lt: '>=', lte: '>', gte: '>=', gt: '>' }[operator as 'lt' | 'lte' | 'gte' | 'gt']
  const change = `select 1 from changes c where c.resource = '${table}' and c.record_id = ${table}.id and c.at ${later} ?
    and c.after like '%"${name}":%'${upTo === undefined ? '' : ' and c.seq <= ?'}`
  const operands = upTo === undefined ? [values[0]!] : [values[0]!, upTo]
  return { sql: `${isBefore ? 'not ' : ''}exists (${change})`, values: operands }
}

/** Returns a condition that is true if the column has one of these values. */
export function isOneOf(engine: Engine, column: string, ids: readonly (number | string)[]): Clause {
  return engine === 'sqlite'
    ? { sql: `${column} in (select value from json_each(?))`, values: [`[${ids}]`] }
    : { sql: `${column} = any(?::bigint[])`, values: [`{${ids}}`] }
}

const positionIn = { sqlite: 'instr', postgres: 'strpos' } as const

/** Returns a condition that is true if any searched field contains the word. */
export function containsWord(engine: Engine, word: string): Clause {
  return { sql: `${positionIn[engine]}(${searchColumn}, ?) > 0`, values: [word] }
}

/** Returns a condition that is true if this field contains the text. The condition checks the whole search text first,
 *  so that the field is extracted only if necessary. */
export function fieldContains(engine: Engine, resource: Resource, field: string, text: string): Clause {
  const find = positionIn[engine]
  const separator = separatorOf(resource, field)
  const part = fieldPart[engine]
  return {
    sql: `${find}(${searchColumn}, ?) > 0 and ${find}(${part.sql}, ?) > 0`,
    values: [text, ...Array.from({ length: part.separators }, () => separator), text],
  }
}

/** SQL for a field's text, which is the text between the first two of the field's separators. The text is empty if the
 *  field is empty. `separators`: for how many placeholders in the SQL the separator must be bound. */
const fieldPart = {
  sqlite: { sql: betweenSeparators(`substr(${searchColumn}, instr(${searchColumn}, ?) + 1)`), separators: 3 },
  postgres: { sql: `split_part(${searchColumn}, ?, 2)`, separators: 1 },
} as const

/** A searched field's folded text, as an expression for an index. */
export function foldedField(engine: Engine, resource: Resource, field: string): string {
  const separator = `${{ sqlite: 'char', postgres: 'chr' }[engine]}(${separatorOf(resource, field).charCodeAt(0)})`
  return fieldPart[engine].sql.replaceAll('?', separator)
}

function betweenSeparators(rest: string): string {
  return `substr(${rest}, 1, instr(${rest}, ?) - 1)`
}
