// Builds the SQL that reconstructs past states of records on SQLite.

import { type Clause, rowsPerCheck } from '../../engine/database/database.ts'
import { emptyValue, type Field, type Resource } from '../declarations/resource.ts'

/** The column types. SQLite optimizes a union only if both sides have the same types. */
const columnTypes = {
  text: 'text',
  email: 'text',
  choice: 'text',
  date: 'text',
  timestamp: 'text',
  integer: 'integer',
  reference: 'integer',
  boolean: 'integer',
} as const satisfies Record<Field['kind'], string>

/** Returns a query for the records that existed at change `seq` and have changed since. In the query, `f` is the
 *  record's first change after `seq`, and `t` its current row. If `f` is a creation, the record did not exist at `seq`.
 *  It may still have earlier changes, because an undo can recreate a deleted record. If a record has been deleted, `t`
 *  has no row for it. `by`: whether to search by change, which is faster if there are few changes, or by record. SQLite
 *  does not use an index for `+column`. `main.` selects the table, because `with` may define a view of the same name. */
export function changedOnSqlite(resource: Resource, seq: number, by: 'change' | 'record'): Clause {
  const { name, fields } = resource
  const pastFields = Object.entries(fields).map(([field, declared]) => pastField(resource, field, declared))
  const start = {
    change: `+f.resource = '${name}' and f.seq > ?`,
    record: `f.resource = '${name}' and +f.seq > ?`,
  }[by]
  const sql = `
    select
      f.record_id as id,
      ${pastFields.join(',\n      ')},
      cast(coalesce(t.created_at, (
        select c.at from changes c where c.resource = '${name}' and c.record_id = f.record_id order by c.seq limit 1
      )) as text) as created_at,
      cast((
        select c.at from changes c where c.resource = '${name}' and c.record_id = f.record_id and c.seq <= ?
        order by c.seq desc limit 1
      ) as text) as updated_at
    from changes f left join main.${name} t on t.id = f.record_id
    where ${start}
      and case when f.seq & ${rowsPerCheck - 1} then 1 else within_budget() end
      and not exists (
        select 1 from changes e
        where e.resource = '${name}' and e.record_id = f.record_id and e.seq > ? and e.seq < f.seq
      )
      and f.action <> 'create'
      and exists (select 1 from changes e where e.resource = '${name}' and e.record_id = f.record_id and e.seq <= ?)`
  return { sql, values: Array<number>(pastFields.length + 4).fill(seq) }
}

/** SQL for the field's value at change `seq`: the value before the field's first later change, or the current value if
 *  there is no later change. If the record was deleted before the field was added, the result is the field's default.
 *  The values are read as JSON, because JSON distinguishes null from an absent value. */
function pastField({ name }: Resource, field: string, declared: Field): string {
  const fallback = JSON.stringify(emptyValue(declared)).replaceAll("'", "''")
  return `cast(coalesce(
        (
          select c.before -> '$.${field}' from changes c
          where c.resource = '${name}' and c.record_id = f.record_id and c.seq > ? and c.before -> '$.${field}' is not null
          order by c.seq limit 1
        ),
        case when t.${field} is not null then json_quote(t.${field}) end,
        '${fallback}'
      ) ->> '$' as ${columnTypes[declared.kind]}) as ${field}`
}
