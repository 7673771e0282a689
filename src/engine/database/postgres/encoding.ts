// A PostgreSQL database's encoding. With any encoding other than UTF8, non-ASCII letters would be compared and
// truncated as bytes.

import type { Pool } from './pool.ts'

/** Returns the encoding's name: usually `UTF8`, or `SQL_ASCII` if the cluster was initialized without a locale. Throws
 *  Unavailable. */
export async function readEncoding(pool: Pick<Pool, 'get'>): Promise<string> {
  const row = await pool.get<{ encoding: string }>(`select current_setting('server_encoding') as encoding`)
  return row!.encoding
}

/** Returns why a database with this encoding cannot be used, as a phrase that follows the database's name; undefined
 *  for UTF8. */
export function encodingProblem(encoding: string): string | undefined {
  return encoding === 'UTF8' ? undefined : `has the encoding ${encoding}, but UTF8 is required.`
}

export const utf8Advice = `Create the database with: create database … encoding 'UTF8' template template0`
