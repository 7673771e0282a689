import { resolve } from 'node:path'
import { type Config, readDatabaseUrl } from '../config.ts'
import { recordEvent } from '../tenancy/audit.ts'
import { agreeOnPepper, type Pepper, readPepper } from '../tenancy/pepper.ts'
import { Refusal } from '../tenancy/refusal.ts'
import { addServer, listServers, removeServer } from '../tenancy/servers.ts'
import type { Run } from './commands.ts'
import { commandLine, table, withCatalog } from './rooms.ts'

export const addOne: Run = async ({ values: [name, given] }, config, terminal) => {
  const url = requireUrl(given!)
  await withCatalog(config, async (catalog) => {
    const pepper = pepperOf(config)
    await agreeOnPepper(catalog, pepper)
    await addServer(catalog, pepper, { name: name!, url, now: new Date() })
    await recordEvent(catalog, 'server_added', commandLine(), { detail: { server: name! } })
  })
  terminal.out(name!)
  terminal.say(`Server ${name} is known. Next: npx tenantdesk tenant create <slug> --server ${name}`)
}

export const listEach: Run = async ({ options }, config, terminal) => {
  const servers = await withCatalog(config, (catalog) => listServers(catalog, pepperOf(config)))
  if (options.json) return terminal.out(JSON.stringify(servers))
  terminal.out(table(servers.map(({ name, tenants, url }) => [name, String(tenants), url])))
}

export const removeOne: Run = async ({ values }, config, terminal) => {
  await withCatalog(config, async (catalog) => {
    await removeServer(catalog, values[0]!)
    await recordEvent(catalog, 'server_removed', commandLine(), { detail: { server: values[0]! } })
  })
  terminal.say(`Server ${values[0]} is forgotten; nothing on it was touched.`)
}

function pepperOf(config: Config): Pepper {
  return readPepper(resolve(config.DATA_DIR), config.API_KEY_PEPPER)
}

/** The address may hold a password, so it is not repeated. */
function requireUrl(given: string): string {
  try {
    if (given !== '') return readDatabaseUrl(given)
  } catch {}
  throw new Refusal('The address of a server is such as postgres://user@host/database.')
}
