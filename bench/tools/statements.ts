// Reads the cost of each PostgreSQL statement from pg_stat_statements.

import { alignColumns } from '../../src/cli/output.ts'
import type { DatabaseServer } from '../harness/postgres-server.ts'

/** Server options that load the pg_stat_statements extension. The extension is set to measure planning too, because
 *  unnamed statements are planned each time they run. */
export const statementFlags = [
  '-c',
  'shared_preload_libraries=pg_stat_statements',
  '-c',
  'pg_stat_statements.track_planning=on',
  '-c',
  'track_io_timing=on',
  '-c',
  'track_wal_io_timing=on',
]

export async function resetStatements(database: DatabaseServer): Promise<void> {
  await database.query('create extension if not exists pg_stat_statements')
  await database.query('select pg_stat_statements_reset()')
}

/** Returns a table of the statements with the highest total time. The times in the table are per call
 *  and exclude parsing. */
export async function readStatements(database: DatabaseServer, requests: number): Promise<string> {
  const rows = await database.query(`
    select sum(calls)::float / ${requests} as per_request, sum(total_plan_time)::float as plan,
      sum(total_exec_time)::float as execution, sum(calls)::float as calls, sum(wal_bytes)::float as wal,
      regexp_replace(regexp_replace(query, '\\s+', ' ', 'g'), '"?t_[a-z0-9]{20}"?', 't_…') as text
    from pg_stat_statements group by 6 order by sum(total_plan_time + total_exec_time) desc limit 15`)
  const lines = rows.map(({ per_request, plan, execution, calls, wal, text }) => {
    const perCall = (time: unknown) => Math.round(((time as number) * 1000) / (calls as number)).toString()
    const bytes = Math.round((wal as number) / (calls as number)).toString()
    return [
      (per_request as number).toFixed(2),
      perCall(plan),
      perCall(execution),
      bytes,
      (text as string).slice(0, 110),
    ]
  })
  return alignColumns([['per request', 'plan µs', 'run µs', 'WAL bytes', 'statement'], ...lines])
}
