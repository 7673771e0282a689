// The conditions of a list as SQL. Only declared names are interpolated.

import type { Database, Value } from '../../database/database.ts'
import type { Resource } from '../resource.ts'
import { searchColumn, separatorOf } from '../search/fold.ts'
import type { Clause } from '../search/index.ts'
import type { Filter, Operator } from './options.ts'
import type { Condition } from './query.ts'

type Engine = Database['engine']

/** The column of the list's own table that a filter applies to. */
export function columnOf(filter: Filter): string {
  return filter.via?.reference ?? filter.name
}

/** A condition on `column`, an expression that may be written to prevent the use of an index (`+column`). */
export function clauseOf(filter: Filter, { operator, values }: Condition, column: string): Clause {
  if (!filter.via) return compare(column, operator, values)
  const { sql } = compare(filter.name, operator, values)
  return { sql: `${column} in (select id from ${filter.via.to} where ${sql})`, values: [...values] }
}

const signs = { eq: '=', ne: '<>', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const

function compare(column: string, operator: Operator, values: readonly Value[]): Clause {
  switch (operator) {
    case 'null':
      return { sql: `${column} is ${values[0] ? '' : 'not '}null`, values: [] }
    case 'in':
      return { sql: `${column} in (${values.map(() => '?').join(', ')})`, values: [...values] }
    case 'contains':
      throw new Error('text is searched in its folded form')
    default:
      return { sql: `${column} ${signs[operator]} ?`, values: [...values] }
  }
}

const positionIn = { sqlite: 'instr', postgres: 'strpos' } as const

/** True if any searched field contains the word. */
export function containsWord(engine: Engine, word: string): Clause {
  return { sql: `${positionIn[engine]}(${searchColumn}, ?) > 0`, values: [word] }
}

/** True if one field contains the text. Checks the whole search text first, so that the field is extracted only if needed. */
export function fieldContains(engine: Engine, resource: Resource, field: string, text: string): Clause {
  const find = positionIn[engine]
  const separator = separatorOf(resource, field)
  const part = fieldPart[engine]
  return {
    sql: `${find}(${searchColumn}, ?) > 0 and ${find}(${part.sql}, ?) > 0`,
    values: [text, ...Array.from({ length: part.separators }, () => separator), text],
  }
}

/** The text of one field, empty if the field is: what is between the first two of its separators. */
const fieldPart = {
  sqlite: { sql: betweenSeparators(`substr(${searchColumn}, instr(${searchColumn}, ?) + 1)`), separators: 3 },
  postgres: { sql: `split_part(${searchColumn}, ?, 2)`, separators: 1 },
} as const

function betweenSeparators(rest: string): string {
  return `substr(${rest}, 1, instr(${rest}, ?) - 1)`
}
