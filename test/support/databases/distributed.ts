// Finds statements that Citus with schema-based sharding refuses, or executes differently from PostgreSQL.

import pg from 'pg'
import type { Environment } from '../service.ts'

const refusals: [reason: string, pattern: RegExp][] = [
  [
    'a sequence: a statement that runs on a worker causes gaps in the numbers',
    /\bnextval *\(|\b(big|small)serial\b|\bserial (primary|not null|unique)\b|\bas identity\b/i,
  ],
  ['a temporary table: it is on one node only', /\bcreate (temp|temporary) /i],
  ['an index built concurrently: cannot run in a transaction', /\bindex concurrently\b/i],
  ['a function, trigger or rule on a distributed table', /\bcreate (or replace )?(function|procedure|trigger|rule)\b/i],
  ['a session-level advisory lock: a pooler shares the session among clients', /\bpg_(try_)?advisory_lock/i],
  ['a volatile function in an update', /^\s*update\b.*\b(random|clock_timestamp|gen_random_uuid|nextval)\s*\(/is],
  ['tables of two schemas in one statement', /\b(from|join|into|update) +"?t_[a-z0-9]{20}"?\./i],
]

/** Returns the reason why Citus refuses a statement, or undefined if Citus accepts the statement. */
export function citusRefusal(sql: string): string | undefined {
  if (hasQueryInValues(sql)) return 'a sub-query within values (…): write insert … select … instead'
  return refusals.find(([, pattern]) => pattern.test(sql))?.[0]
}

/** Whether any row of `values (…), (…)` contains a sub-query. `text` is a statement or the source text of a program. */
export function hasQueryInValues(text: string): boolean {
  for (const match of text.matchAll(/(?<![.\w])values\s*(?=\()/gi)) {
    if (/\bselect\b/i.test(rowsAt(text, match.index + match[0].length))) return true
  }
  return false
}

/** Returns the text from the parenthesis at `start` to the parenthesis that closes the last row. */
function rowsAt(text: string, start: number): string {
  let [end, depth] = [start, 0]
  for (; end < text.length; end++) {
    if (text[end] === "'") end = text.indexOf("'", end + 1)
    if (end < 0) return text.slice(start)
    if (text[end] === '(') depth++
    if (text[end] === ')' && --depth === 0 && !/^\)\s*,\s*\(/.test(text.slice(end))) break
  }
  return text.slice(start, end + 1)
}

/** Returns why a test that uses triggers is skipped: Citus refuses triggers on tenants' tables. Returns false if the
 *  test can run. */
export async function skipWithoutTriggers({ DATABASE_URL }: Environment): Promise<string | false> {
  if (!DATABASE_URL) return false
  const client = new pg.Client(DATABASE_URL)
  await client.connect()
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'")
  await client.end()
  return rows.length > 0 && 'Citus does not support triggers on distributed tables'
}

/** Watches the statements that this process sends to PostgreSQL. Returns a map to which it adds each statement that
 *  Citus would refuse, with the reason. Ignores queries passed as a string, because only tests send them. */
export function watchStatements(): Map<string, string> {
  const refused = new Map<string, string>()
  const query = pg.Client.prototype.query as (...values: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
    const text = typeof values[0] === 'object' ? (values[0] as { text?: string } | null)?.text : undefined
    const reason = text && citusRefusal(text)
    if (reason) refused.set(text, reason)
    return query.apply(this, values)
  } as typeof pg.Client.prototype.query
  return refused
}
