// Installations of development versions before 1.0.0. The SQL is a recording of what these versions wrote, each with one
// tenant and three records; do not edit it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { query } from '../databases/tenant-database.ts'
import { type Environment, withEngineUrl } from '../service.ts'

/** `former-numbering`: commit 794dede, whose catalog and tenants have versions with other meanings. `former-tenants`:
 *  commit e34fa9d4, whose catalog could be migrated, but not its tenants. */
export const recordings = ['former-numbering', 'former-tenants'] as const

/** Creates the recorded installation in an empty data directory, and on PostgreSQL in its empty database. */
export async function writeRecording(environment: Environment, recording: (typeof recordings)[number]): Promise<void> {
  const { DATA_DIR = '', DATABASE_URL } = await withEngineUrl(environment)
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'before-release', recording, name), 'utf8')
  writeFileSync(join(DATA_DIR, 'pepper'), `1:${'p'.repeat(43)}\n`, { mode: 0o600 })
  if (DATABASE_URL) return void (await query(DATABASE_URL, 'public', read('postgres.sql')))
  const tenant = read('tenant.sqlite.sql')
  const [, id = ''] = /insert into tenant \(id\) values \('(\w+)'\)/.exec(tenant)!
  mkdirSync(join(DATA_DIR, 'tenants', id.slice(0, 2)), { recursive: true })
  writeFile(join(DATA_DIR, 'catalog.sqlite'), read('catalog.sqlite.sql'))
  writeFile(join(DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite`), tenant)
}

function writeFile(path: string, sql: string): void {
  using database = new DatabaseSync(path)
  database.exec(`pragma journal_mode = wal; begin; ${sql} commit`)
}
