// Finds statements that the planner of Citus refuses, or treats differently from PostgreSQL, with schema-based
// sharding.

import pg from 'pg'

const refusals: [what: string, pattern: RegExp][] = [
  [
    'a sequence: its numbers jump where a statement runs on a worker',
    /\bnextval *\(|\b(big|small)serial\b|\bserial (primary|not null|unique)\b|\bas identity\b/i,
  ],
  ['a temporary table: it is on one node only', /\bcreate (temp|temporary) /i],
  ['an index built concurrently: not within a transaction', /\bindex concurrently\b/i],
  ['a function, trigger or rule on a distributed table', /\bcreate (or replace )?(function|procedure|trigger|rule)\b/i],
  ['a session-level advisory lock: a pooler gives the session to others', /\bpg_(try_)?advisory_lock/i],
  ['a volatile function in an update', /^\s*update\b.*\b(random|clock_timestamp|gen_random_uuid|nextval)\s*\(/is],
  ['tables of two schemas in one statement', /\b(from|join|into|update) +"?t_[a-z0-9]{20}"?\./i],
]

/** Why Citus refuses a statement; undefined if it accepts it. */
export function refusedByCitus(sql: string): string | undefined {
  if (hasQueryInValues(sql)) return 'a sub-query within values (…): write insert … select … instead'
  return refusals.find(([, pattern]) => pattern.test(sql))?.[0]
}

/** Whether any row of `values (…), (…)` contains a sub-query. Also works on the source text of a program. */
export function hasQueryInValues(text: string): boolean {
  for (const found of text.matchAll(/(?<![.\w])values\s*(?=\()/gi)) {
    if (/\bselect\b/i.test(bracketed(text, found.index + found[0].length))) return true
  }
  return false
}

/** From the parenthesis at `start` to the one that closes the last row. */
function bracketed(text: string, start: number): string {
  let [at, depth] = [start, 0]
  for (; at < text.length; at++) {
    if (text[at] === "'") at = text.indexOf("'", at + 1)
    if (at < 0) return text.slice(start)
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0 && !/^\)\s*,\s*\(/.test(text.slice(at))) break
  }
  return text.slice(start, at + 1)
}

/** Watches the statements that this process sends to PostgreSQL. Returns those that Citus would refuse, with the reason.
 *  Ignores queries sent as plain text, which are those of the tests. */
export function watchStatements(): Map<string, string> {
  const refused = new Map<string, string>()
  const query = pg.Client.prototype.query as (...values: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...values: unknown[]) {
    const text = typeof values[0] === 'object' ? (values[0] as { text?: string } | null)?.text : undefined
    const reason = text && refusedByCitus(text)
    if (reason) refused.set(text, reason)
    return query.apply(this, values)
  } as typeof pg.Client.prototype.query
  return refused
}
