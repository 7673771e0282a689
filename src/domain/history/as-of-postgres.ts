// Builds the SQL that reconstructs past states of records on PostgreSQL.

import type { Clause } from '../../engine/database/database.ts'
import { emptyValue, type Field, type Resource } from '../declarations/resource.ts'

/** For each kind of field, the SQL that gives an expression the type or collation of the field's column. */
const casts = {
  text: ' collate "C"',
  email: ' collate "C"',
  choice: ' collate "C"',
  date: ' collate "C"',
  timestamp: ' collate "C"',
  integer: '::bigint',
  reference: '::bigint',
  boolean: '::boolean',
} as const satisfies Record<Field['kind'], string>

/** Returns a query for the records that existed at change `seq` and have changed since. `f` is a record's first later
 *  change. If `f` is a creation, the record did not exist at `seq`. It may still have earlier changes, because an undo
 *  can recreate a deleted record. If a record has been deleted, `t` has no row for it. */
export function changedOnPostgres(resource: Resource, seq: number): Clause {
  const { name, fields } = resource
  const pastFields = Object.entries(fields).map(([field, declared]) => pastField(resource, field, declared))
  const sql = `
    select
      f.record_id as id,
      ${pastFields.join(',\n      ')},
      (coalesce(t.created_at, (
        select c.at from changes c where c.resource = '${name}' and c.record_id = f.record_id order by c.seq limit 1
      ))) collate "C" as created_at,
      (
        select c.at from changes c where c.resource = '${name}' and c.record_id = f.record_id and c.seq <= ?
        order by c.seq desc limit 1
      ) collate "C" as updated_at
    from changes f left join ${name} t on t.id = f.record_id
    where f.resource = '${name}' and f.seq > ?
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
  return `(coalesce(
        (
          select c.before::json -> '${field}' from changes c
          where c.resource = '${name}' and c.record_id = f.record_id and c.seq > ? and c.before::json -> '${field}' is not null
          order by c.seq limit 1
        ),
        to_json(t.${field}),
        '${fallback}'::json
      ) #>> '{}')${casts[declared.kind]} as ${field}`
}
