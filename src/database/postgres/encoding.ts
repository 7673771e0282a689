// The encoding of a PostgreSQL database. In any other than UTF8, letters beyond ASCII would be compared and cut as bytes.

import type { Pool } from './pool.ts'

/** Such as `UTF8`, or `SQL_ASCII` where the cluster was initialized without a locale. Throws Unavailable. */
export async function readEncoding(pool: Pick<Pool, 'get'>): Promise<string> {
  const row = await pool.get(`select current_setting('server_encoding') as encoding`)
  return row!.encoding as string
}

/** What is wrong with a database in this encoding, to follow its name; undefined if nothing is. */
export function encodingProblem(encoding: string): string | undefined {
  return encoding === 'UTF8' ? undefined : `has the encoding ${encoding}, but UTF8 is needed.`
}

export const utf8Advice = `Create the database with: create database … encoding 'UTF8' template template0`
