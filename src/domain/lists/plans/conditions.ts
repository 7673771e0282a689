// A list's conditions as SQL, in the forms that the query plans use. Only declared names are interpolated.

import type { Clause, Database, Value } from '../../../engine/database/database.ts'
import { containsWord, fieldContains } from '../../search/fold.ts'
import { emailIsIn, isLong } from '../order.ts'
import type { Condition, List, ListQuery } from '../query.ts'
import { type Filter, filtersOf, type ListField, type Operator } from '../request/options.ts'

/** A condition on columns. For `status=lost`:
 *
 *  - `byIndex`: `status = ?`. The engine may find the matches by an index.
 *  - `byRow`: `+status = ?`. Each row is tested, because SQLite does not use an index for `+column`.
 *  - `ids`: `select id from hardware where status = ?`, or null if no index finds the matches. */
export type ColumnCondition = { column: string; byIndex: Clause; byRow: Clause; ids: Clause | null }

/** The conditions on columns: all filters except `[contains]`. */
export function columnConditions({ resource, resources, query }: List): ColumnCondition[] {
  const { filters } = filtersOf(resource, resources)
  return query.conditions.flatMap((condition): ColumnCondition[] => {
    if (condition.operator === 'contains') return []
    const filter = filters.find(({ name }) => name === condition.filter)!
    const column = filterColumn(filter)
    const byIndex = clauseOf(filter, condition, { column, table: resource.name })
    const byRow = clauseOf(filter, condition, { column: `+${column}`, table: resource.name })
    const ids = { sql: `select id from ${resource.name} where ${byIndex.sql}`, values: byIndex.values }
    return [{ column, byIndex, byRow, ids: hasIndex(filter, condition) ? ids : null }]
  })
}

/** Whether an index can find the matches, so that a large table need not be scanned. */
function hasIndex(filter: Filter, { operator, values }: Condition): boolean {
  if (operator === 'ne' || (operator === 'null' && !values[0])) return false
  return filter.via !== undefined || (filter.field.kind !== 'since' && !isLong(filter.field))
}

/** The folded texts that a record must contain. */
export function textsOf({ words, conditions }: ListQuery): string[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [...words, ...contained.flatMap(({ values }) => values.map(String))]
}

/** Returns the exact conditions on text. They are necessary because the search index only finds candidates. */
export function textConditions({ database: { engine }, resource, query: { words, conditions } }: List): Clause[] {
  const contained = conditions.filter(({ operator }) => operator === 'contains')
  return [
    ...words.map((word) => containsWord(engine, word)),
    ...contained.map(({ filter, values }) => fieldContains(engine, resource, filter, String(values[0]))),
  ]
}

/** Returns the column of the list's table that a filter applies to, or an empty string if the filter does not apply to
 *  exactly one column. */
export function filterColumn({ via, field, name }: Filter): string {
  if (via) return via.reference
  if (field.kind === 'words') return field.columns.length === 1 ? field.columns[0]! : ''
  return field.kind === 'missing' || field.kind === 'since' ? '' : name
}

/** What a condition is on. `column`: an expression; `+column` prevents the use of an index. `table`: the list's table.
 *  `upTo`: the last change that a condition on the history considers; all changes if absent. */
type ConditionScope = { column: string; table: string; upTo?: number }

/** Returns a filter's condition. */
export function clauseOf(filter: Filter, condition: Condition, scope: ConditionScope): Clause {
  const { via, field } = filter
  const { column } = scope
  if (field.kind === 'since') return changedSince(field.of, condition, scope)
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

/** Email addresses are compared without the case of their ASCII letters (contract §9). */
function isOneOfEmails(values: readonly Value[], column: string): Clause {
  const lowerCase = values.map((value) => String(value).toLowerCase())
  const list = `(${lowerCase.map(() => '?').join(', ')})`
  if (column.startsWith('+')) return { sql: `lower(${column}) in ${list}`, values: lowerCase }
  return { sql: emailIsIn(column, list), values: [...lowerCase, ...lowerCase] }
}

function declaredName(names: readonly string[], name: Value): string {
  const fieldName = names.find((declared) => declared === name)
  if (fieldName === undefined) throw new Error('this field is not declared as optional')
  return fieldName
}

/** A change before a time means that there is no change at or after it. */
const sinceSigns: Partial<Record<Operator, string>> = { lt: '>=', lte: '>', gte: '>=', gt: '>' }

/** Returns a condition that tests whether the field was last changed before or after a time. The last change is in the
 *  history, unless retention has removed it. The pattern cannot match text inside a value, because quotes in values are
 *  escaped. */
function changedSince(name: string, { operator, values }: Condition, { table, upTo }: ConditionScope): Clause {
  const isBefore = operator === 'lt' || operator === 'lte'
  const change = `select 1 from changes c where c.resource = '${table}' and c.record_id = ${table}.id and c.at ${sinceSigns[operator]} ?
    and c.after like '%"${name}":%'${upTo === undefined ? '' : ' and c.seq <= ?'}`
  const operands = upTo === undefined ? [values[0]!] : [values[0]!, upTo]
  return { sql: `${isBefore ? 'not ' : ''}exists (${change})`, values: operands }
}

/** Returns a condition that is true if the column has one of these values. */
export function isOneOf(engine: Database['engine'], column: string, ids: readonly (number | string)[]): Clause {
  return engine === 'sqlite'
    ? { sql: `${column} in (select value from json_each(?))`, values: [`[${ids}]`] }
    : { sql: `${column} = any(?::bigint[])`, values: [`{${ids}}`] }
}
