// Starts a checkout's server. Uses only the checkout's command line and API, so that other versions of Tenantdesk can
// be measured too.

import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Server, startServer } from './processes.ts'
import { serviceSettings } from './seed/tenants.ts'

/** API tokens, grouped by what their tenants do. The `busy` tenant is under load, and the two `listing` tenants list
 *  many records. */
export type Tenants = { busy: string; quiet: string[]; listing: string[]; idle: string[] }

export type CheckoutServer = Server & { name: string; tokens: Tenants }

/** `flags`: Node.js options for the server. */
type Checkout = { name: string; folder: string; flags: string[]; directory: string; databaseUrl: string | undefined }

const run = promisify(execFile)

/** With this many tenants, chooseRoles very probably finds enough tenants for each thread. */
const tenantCount = 14

/** Starts the server in a new directory, and creates the tenants with its command line. */
export async function startCheckout({
  name,
  folder,
  flags,
  directory,
  databaseUrl,
}: Checkout): Promise<CheckoutServer> {
  mkdirSync(directory)
  const program = join(folder, 'src/main.ts')
  const environment = {
    ...serviceSettings,
    LOG_LEVEL: 'warn',
    DATA_DIR: join(directory, 'data'),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  const command = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [program, ...args], { env: { ...process.env, ...environment } })
    return stdout.trim()
  }
  const server = await startServer([...flags, program, 'serve'], environment, join(directory, 'log'))
  try {
    return { ...server, name, tokens: await createTenants(command) }
  } catch (error) {
    await server.end()
    throw error
  }
}

async function createTenants(command: (...args: string[]) => Promise<string>): Promise<Tenants> {
  for (let number = 1; number <= tenantCount; number++) await command('tenant', 'create', `tenant-${number}`)
  const tokensOf = async (slugs: string[]) => {
    const tokens: string[] = []
    for (const slug of slugs)
      tokens.push(await command('key', 'create', slug, '--scope', '*:read', '--scope', '*:write'))
    return tokens
  }
  const { listing, idle, rest } = chooseRoles(JSON.parse(await command('tenant', 'list', '--json')))
  const [busy, ...quiet] = await tokensOf(rest.slice(0, 4))
  return { busy: busy!, quiet, listing: await tokensOf(listing), idle: await tokensOf(idle) }
}

/** Older versions assign each tenant to one of three reader threads by this hash. In some of these versions, tenants on
 *  the third thread have to wait while tenants on the first two threads run long lists. So the listing tenants are
 *  chosen from the first two threads. */
function chooseRoles(tenants: { id: string; slug: string }[]): Record<'listing' | 'idle' | 'rest', string[]> {
  const byThread = [0, 1, 2].map((thread) =>
    tenants.filter(({ id }) => hashOf(id) % 3 === thread).map(({ slug }) => slug),
  )
  const listing = byThread.slice(0, 2).flatMap((slugs) => slugs.splice(0, 1))
  const idle = byThread.flatMap((slugs) => slugs.splice(0, 1))
  if (listing.length < 2 || byThread[2]!.length + idle.length === 0)
    throw new Error('The random tenant ids are not spread over the three threads. Run the command again.')
  return { listing, idle, rest: byThread.flat() }
}

function hashOf(id: string): number {
  return [...id].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 0)
}
