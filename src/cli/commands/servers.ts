// Commands for database servers.

import { Unavailable } from '../../engine/database/database.ts'
import { encodingProblem, utf8Advice } from '../../engine/database/postgres/encoding.ts'
import { inspectServer } from '../../engine/postgres/inspect-server.ts'
import { programName } from '../../lib/program-name.ts'
import { readDatabaseUrl } from '../../lib/setting-values.ts'
import { UserError } from '../../lib/user-error.ts'
import {
  addServer,
  type ListedServer,
  listServers,
  listTenantsOn,
  removeServer,
  requireServerName,
  setServer,
} from '../../tenants/databases/database-servers.ts'
import { type Command, command, json, jsonArray, type Terminal } from '../command.ts'
import { cliActor, openInstallationPepper, withCatalog } from '../context.ts'
import { printList, type TableColumns } from '../output.ts'

const serverName = { name: 'name of the database server' } as const
const serverUrl = { 'url|-': 'postgres://user@host/database, or - to read it from standard input' } as const
const offline = { help: 'do not connect to the server to check the URL' } as const

export const serverCommands: readonly Command[] = [
  command({
    words: 'server add',
    help: 'Adds a PostgreSQL server for tenants.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server add big - < address.txt'],
    async run({ name, 'url|-': givenUrl, offline }, { config, terminal }) {
      requireServerName(name)
      const url = await readUrl(givenUrl, terminal)
      if (!offline) await requireReachable(name, url, [])
      await withCatalog(config, async (catalog) => {
        const pepper = await openInstallationPepper(catalog, config)
        await addServer(catalog, pepper, { name, url }, cliActor())
      })
      const sentence = offline
        ? `Added server ${name} without connecting to it.`
        : `Connected to server ${name} and added it.`
      const message = `${sentence} Next: ${programName} tenant create <slug> --server ${name}`
      return { result: { name }, value: name, message }
    },
  }),
  /** Stores a server's new URL, for example after its password or host has changed. Does not move any data. */
  command({
    words: 'server set',
    help: 'Changes the URL of a database server. No data is moved.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server set big - < address.txt'],
    async run({ name, 'url|-': givenUrl, offline }, { config, terminal }) {
      const url = await readUrl(givenUrl, terminal)
      await withCatalog(config, async (catalog) => {
        const pepper = await openInstallationPepper(catalog, config)
        const tenants = await listTenantsOn(catalog, name)
        if (!offline) await requireReachable(name, url, tenants)
        await setServer(catalog, pepper, { name, url }, cliActor())
      })
      const state = offline ? ', without connecting to it' : ''
      const message = `The URL of server ${name} was changed${state}. Running nodes use the new URL from their next request on.`
      return { result: { name }, message }
    },
  }),
  command({
    words: 'server list',
    help: 'Lists the database servers and their number of tenants.',
    options: { json: jsonArray },
    examples: ['server list'],
    async run({ json }, { config, terminal }) {
      const servers = await withCatalog(config, (catalog, _databases, opened) => listServers(catalog, opened.pepper()))
      printList(terminal, { json, rows: servers, columns: serverColumns })
    },
  }),
  command({
    words: 'server remove',
    help: 'Removes a database server without tenants from the catalog. Nothing on the server is changed.',
    arguments: serverName,
    options: { json },
    examples: ['server remove big'],
    async run({ name }, { config }) {
      const remainingSlugs = await withCatalog(config, (catalog) => removeServer(catalog, name, cliActor()))
      const remainingText = remainingSlugs.length > 0 ? ` Copies of ${remainingSlugs.join(', ')} may remain there.` : ''
      const message = `Server ${name} was removed. Its data was not touched.${remainingText}`
      return { result: { name, deleted: true, tenants_left: remainingSlugs }, message }
    },
  }),
]

const serverColumns: TableColumns<ListedServer> = {
  NAME: ({ name }) => name,
  TENANTS: ({ tenants }) => tenants,
  URL: ({ url }) => url ?? '(the URL cannot be decrypted: its pepper is missing)',
}

/** Returns the given URL. If it is `-`, returns the first line of standard input instead, because other users of the
 *  machine can see arguments. Messages never repeat the URL, because it may contain a password. Throws UserError. */
export async function readUrl(argument: string, terminal: Terminal): Promise<string> {
  const url = argument === '-' ? (await terminal.readLine()).trim() : argument
  try {
    if (url !== '') return readDatabaseUrl(url)
  } catch {}
  throw new UserError('The URL is invalid: it must be a URL such as postgres://user@host/database.')
}

async function requireReachable(name: string, url: string, tenants: { id: string; slug: string }[]): Promise<void> {
  const ids = tenants.map(({ id }) => id)
  const findings = await inspectServer(url, ids).catch((error: Error) => {
    if (!(error instanceof Unavailable)) throw error
    throw new UserError(`Server ${name} cannot be reached: ${error.message}. To save the URL anyway, add --offline.`)
  })
  if (!findings.canCreate) throw new UserError(`The role in the URL of server ${name} may not create schemas there.`)
  const problem = encodingProblem(findings.encoding)
  if (problem) throw new UserError(`The database of server ${name} ${problem} ${utf8Advice}`)
  const missing = tenants.find(({ id }) => findings.missing.includes(id))
  if (missing) throw new UserError(`Tenant ${missing.slug} is on server ${name} but not in the database at this URL.`)
}
