// Pages that answered forms, kept in the catalog so that every node can show them again. They contain what users
// entered, so they are encrypted, and deleted after an hour.

import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { type Catalog, keepsCachedKeys, runStatement } from '../catalog.ts'
import { decrypt, encrypt, type PepperedCatalog, pepperNumberOf } from '../pepper/pepper.ts'

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)]

/** People go back to a form within minutes. */
const lifetimeMs = 60 * 60_000
/** The oldest pages beyond this number are deleted first. */
const maxPages = 1000
/** The maximum length of an encrypted page. Most need 5 kB to 20 kB. */
const maxCharacters = 100_000

/** Keeps a page. Returns its id; undefined if the page is too long. */
export async function keepPage({ catalog, pepper }: PepperedCatalog, page: string, now: Date) {
  const encrypted = encrypt(pepper, (await deflate(page)).toString('base64'))
  if (encrypted.length > maxCharacters) return undefined
  const id = randomBytes(12).toString('base64url')
  await catalog.transaction(async (database) => {
    await database.run('insert into kept_pages (id, encrypted_page, kept_at) values (?, ?, ?)', [
      id,
      encrypted,
      now.toISOString(),
    ])
    await database.run(
      `delete from kept_pages where id in (select id from kept_pages order by kept_at desc, id limit 1000 offset ?)`,
      [maxPages],
    )
  }, keepsCachedKeys)
  return id
}

/** Returns undefined if the page is no longer kept, or if its pepper is gone. */
export async function findPage({ catalog, pepper }: PepperedCatalog, id: string, now: Date) {
  const sql = 'select encrypted_page from kept_pages where id = ? and kept_at > ?'
  const row = await catalog.database.get<{ encrypted_page: string }>(sql, [id, oldestTime(now)])
  if (!row || !pepper.secrets.has(pepperNumberOf(row.encrypted_page))) return undefined
  return (await inflate(Buffer.from(decrypt(pepper, row.encrypted_page), 'base64'))).toString()
}

export async function deleteOldPages(catalog: Catalog, now: Date): Promise<void> {
  const oldest = await catalog.database.get('select 1 as found from kept_pages where kept_at <= ? limit 1', [
    oldestTime(now),
  ])
  if (oldest) await runStatement(catalog, 'delete from kept_pages where kept_at <= ?', [oldestTime(now)])
}

function oldestTime(now: Date): string {
  return new Date(now.getTime() - lifetimeMs).toISOString()
}
