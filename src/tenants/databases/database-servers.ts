// The PostgreSQL servers that operators add for tenants, besides the built-in ones (DATA_DIR and DATABASE_URL).

import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { builtInServers, type Catalog, transitionalStates } from '../../catalog/catalog.ts'
import { decrypt, encrypt, type Pepper, pepperNumberOf } from '../../catalog/pepper/pepper.ts'
import { type Database, Unavailable } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'

/** `url`: with `***` in place of a password; empty for the default server; null if it cannot be decrypted. */
export type ListedServer = { name: string; url: string | null; tenants: number; created_at: string | null }

/** Adds a server. Its URL is stored encrypted, since it may contain a password. Throws UserError. */
export async function addServer(
  catalog: Catalog,
  pepper: Pepper,
  input: { name: string; url: string },
  actor: AuditActor,
): Promise<void> {
  requireServerName(input.name)
  const sql =
    'insert into database_servers (name, encrypted_url, created_at) values (?, ?, ?) on conflict (name) do nothing'
  const values = [input.name, encrypt(pepper, input.url), actor.now.toISOString()]
  await catalog.transaction(async (database) => {
    if ((await database.run(sql, values)) === 0) throw new UserError(`There is a server ${input.name} already.`)
    await writeEvent(database, 'server_added', actor, { detail: { server: input.name } })
  })
}

/** Throws UserError if an added server cannot have this name. */
export function requireServerName(name: string): void {
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(name) || Object.values<string>(builtInServers).includes(name)) {
    throw new UserError(
      `${JSON.stringify(name)} cannot name a server: a name has 2 to 40 characters (a-z, 0-9 and -), starts with a letter, and is not ${Object.values(builtInServers).join(' or ')}.`,
    )
  }
}

/** Returns the tenants on an added server. Throws UserError if there is no such server. */
export async function listTenantsOn(catalog: Catalog, name: string): Promise<{ id: string; slug: string }[]> {
  const server = await catalog.database.get('select 1 as found from database_servers where name = ?', [name])
  if (!server) throw new UserError(unknownServer(name))
  const sql = `select id, slug from tenants where server = ? and state not in ${transitionalStates} order by slug`
  return catalog.database.all<{ id: string; slug: string }>(sql, [name])
}

/** Returns the built-in servers and then the added servers, each with its number of tenants. If the catalog is on
 *  PostgreSQL, the files in DATA_DIR are listed only while there are tenants in them. */
export async function listServers(catalog: Catalog, pepper: Pepper | undefined): Promise<ListedServer[]> {
  const count = `select count(*) as tenants from tenants where server = ? and state not in ${transitionalStates}`
  const countOn = async (server: string) => (await catalog.database.get<{ tenants: number }>(count, [server]))!.tenants
  const builtIn: ListedServer[] = []
  for (const name of new Set([catalog.defaultServer, builtInServers.files])) {
    const tenants = await countOn(name)
    if (name === catalog.defaultServer || tenants > 0) builtIn.push({ name, url: '', tenants, created_at: null })
  }
  const rows = await catalog.database.all<Omit<ListedServer, 'url'> & { encrypted_url: string }>(
    `select name, encrypted_url, created_at, (select count(*) from tenants where server = database_servers.name and state not in ${transitionalStates}) as tenants
     from database_servers order by name`,
  )
  const added = rows.map(({ name, encrypted_url, tenants, created_at }) => {
    return { name, url: shownUrl(pepper, encrypted_url), tenants, created_at }
  })
  return [...builtIn, ...added]
}

export async function listServerNames({ database }: Catalog): Promise<string[]> {
  const rows = await database.all<{ name: string }>('select name from database_servers order by name')
  return rows.map(({ name }) => name)
}

/** Changes a server's URL. Throws UserError. */
export async function setServer(
  catalog: Catalog,
  pepper: Pepper,
  input: { name: string; url: string },
  actor: AuditActor,
): Promise<void> {
  const sql = 'update database_servers set encrypted_url = ? where name = ?'
  const values = [encrypt(pepper, input.url), input.name]
  await catalog.transaction(async (database) => {
    if ((await database.run(sql, values)) === 0) throw new UserError(unknownServer(input.name))
    await writeEvent(database, 'server_set', actor, { detail: { server: input.name } })
  })
}

/** Returns the number of added servers, and whether tenants can have files on this machine. */
export async function countServerUse({
  defaultServer,
  database,
}: Catalog): Promise<{ added: number; hasFiles: boolean }> {
  const added = await database.get<{ count: number }>('select count(*) as count from database_servers')
  const onFiles = await database.get('select 1 as found from tenants where server = ? limit 1', [builtInServers.files])
  return { added: added!.count, hasFiles: defaultServer === builtInServers.files || onFiles !== undefined }
}

/** Removes a server that has no tenants. Returns the slugs of tenants that have leftover databases on the server. These
 *  databases will never be removed. Throws UserError. */
export async function removeServer(catalog: Catalog, name: string, actor: AuditActor): Promise<string[]> {
  return catalog.transaction(async (database) => {
    const tenants = 'select 1 as found from tenants where server = ?'
    if (await database.get(tenants, [name]))
      throw new UserError(`There are tenants on server ${name}; move them first.`)
    const moving = 'select 1 as found from tenant_moves where source = ? or target = ?'
    if (await database.get(moving, [name, name]))
      throw new UserError(`A tenant is being moved from or to server ${name}.`)
    const removed = await database.run('delete from database_servers where name = ?', [name])
    if (removed === 0) throw new UserError(`There is no server ${name}.`)
    const leftovers = 'select distinct slug from leftover_databases where server = ? order by slug'
    const slugs = await database.texts(leftovers, [name])
    await database.run('delete from leftover_databases where server = ?', [name])
    await writeEvent(database, 'server_removed', actor, { detail: { server: name } })
    return slugs
  })
}

/** Throws UserError if there is no server with this name. */
export async function requireServer(catalog: Catalog, name: string): Promise<void> {
  if (!(await isServer(catalog.database, catalog, name))) throw new UserError(unknownServer(name))
}

/** Whether tenants can be placed on a server with this name. */
export async function isServer(database: Pick<Database, 'get'>, catalog: Catalog, name: string): Promise<boolean> {
  if (name === catalog.defaultServer || name === builtInServers.files) return true
  return (await database.get('select 1 as found from database_servers where name = ?', [name])) !== undefined
}

/** Returns the URL of an added server; undefined if there is no server with this name. Throws Unavailable. */
export async function serverUrl(catalog: Catalog, pepper: Pepper, name: string): Promise<string | undefined> {
  const row = await catalog.database.get<{ encrypted_url: string }>(
    'select encrypted_url from database_servers where name = ?',
    [name],
  )
  if (row?.encrypted_url === '')
    throw new Unavailable(`its URL was lost with a pepper; set it again with \`tenantdesk server set ${name} -\``)
  return row && decrypt(pepper, row.encrypted_url)
}

export function unknownServer(name: string): string {
  return `There is no server ${name}; \`tenantdesk server list\` shows them.`
}

function shownUrl(pepper: Pepper | undefined, encryptedUrl: string): string | null {
  const isReadable = pepper?.secrets.has(pepperNumberOf(encryptedUrl)) ?? false
  return isReadable ? withoutPassword(decrypt(pepper!, encryptedUrl)) : null
}

function withoutPassword(url: string): string {
  const shownUrl = new URL(url)
  if (shownUrl.password) shownUrl.password = '***'
  return shownUrl.href
}
