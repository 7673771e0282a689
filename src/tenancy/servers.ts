// PostgreSQL servers that tenants can be placed on, besides the one that needs no name: DATA_DIR or DATABASE_URL.

import type { Database, Row } from '../database.ts'
import { builtIn, type Catalog } from './catalog.ts'
import { type Pepper, seal, unseal } from './pepper.ts'
import { Refusal } from './refusal.ts'

/** A server as people see it; `url` without its password. */
export type ListedServer = { name: string; url: string; tenants: number; created_at: string | null }

/** Makes a server known under a name. Its address is kept sealed, since it may hold a password. Throws Refusal. */
export async function addServer(
  catalog: Catalog,
  pepper: Pepper,
  wish: { name: string; url: string; now: Date },
): Promise<void> {
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(wish.name) || Object.values<string>(builtIn).includes(wish.name)) {
    throw new Refusal(
      `${JSON.stringify(wish.name)} cannot name a server: 2 to 40 of a-z, 0-9 and -, not ${Object.values(builtIn).join(' or ')}.`,
    )
  }
  const sql = 'insert into servers (name, sealed_url, created_at) values (?, ?, ?) on conflict (name) do nothing'
  const values = [wish.name, seal(pepper, wish.url), wish.now.toISOString()]
  const added = await catalog.transaction(async (database) => database.run(sql, values))
  if (added === 0) throw new Refusal(`There is a server ${wish.name} already.`)
}

/** Every server with the number of tenants on it, the one that new tenants are made on first. */
export async function listServers(catalog: Catalog, pepper: Pepper): Promise<ListedServer[]> {
  const count = 'select count(*) from tenants where server = ?'
  const [home] = await catalog.database.all(`select (${count}) as tenants`, [catalog.home])
  const rows = await catalog.database.all(
    `select name, sealed_url, created_at, (select count(*) from tenants where server = name) as tenants
     from servers order by name`,
  )
  const listed = rows.map((row) => ({ ...row, url: withoutPassword(unseal(pepper, row.sealed_url as string)) }))
  const added = listed.map(({ name, url, tenants, created_at }: Row) => ({ name, url, tenants, created_at }))
  return [{ name: catalog.home, url: '', tenants: home!.tenants, created_at: null }, ...added] as ListedServer[]
}

/** Forgets a server that no tenant is on. Throws Refusal. */
export async function removeServer(catalog: Catalog, name: string): Promise<void> {
  const refusal = await catalog.transaction(async (database) => {
    const tenants = 'select 1 as found from tenants where server = ?'
    if (await database.get(tenants, [name])) return `There are tenants on server ${name}; move them first.`
    const moving = 'select 1 as found from moves where source = ? or target = ?'
    if (await database.get(moving, [name, name])) return `A tenant is being moved from or to server ${name}.`
    const removed = await database.run('delete from servers where name = ?', [name])
    return removed === 0 ? `There is no server ${name}.` : null
  })
  if (refusal !== null) throw new Refusal(refusal)
}

/** Whether tenants can be placed on a server of this name. */
export async function isServer(database: Database, catalog: Catalog, name: string): Promise<boolean> {
  if (name === catalog.home || name === builtIn.files) return true
  return (await database.get('select 1 as found from servers where name = ?', [name])) !== undefined
}

/** The address of an added server; undefined when there is none of this name. Throws Refusal. */
export async function serverUrl(catalog: Catalog, pepper: Pepper, name: string): Promise<string | undefined> {
  const row = await catalog.database.get('select sealed_url from servers where name = ?', [name])
  return row && unseal(pepper, row.sealed_url as string)
}

export function unknownServer(name: string): string {
  return `There is no server ${name}; \`tenantdesk server list\` shows them.`
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  if (shown.password) shown.password = '***'
  return shown.href
}
