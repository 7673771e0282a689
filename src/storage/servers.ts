// The servers that tenants' databases are on: each is opened when the first tenant on it is asked for.

import { Unavailable } from '../database.ts'
import { type Input, type OperationName, type Output, operations } from './operations.ts'
import type { Databases, Place, Storage } from './storage.ts'

/** The files of this machine, or one PostgreSQL server. */
export type Server = {
  databases: Databases
  /** What runs operations there. Throws Unavailable. */
  storage(): Storage
  /** Ends after the work in hand. */
  close(): Promise<void>
}

/** Finds each tenant's server by the name in its row. `addressOf` tells where the server of a name is, and throws Unavailable
 *  where there is none; `open` does not wait for it. */
export function openServers(
  addressOf: (name: string) => Promise<string>,
  open: (name: string, address: string) => Server,
  version: number,
) {
  const opened = new Map<string, { address: string; server: Server }>()

  /** The server that has the name now: it may have been given to another one. */
  async function find({ server: name }: Place): Promise<Server> {
    const address = await addressOf(name)
    const known = opened.get(name)
    if (known?.address === address) return known.server
    known?.server.close().catch(() => {}) // nobody is led there any more
    const server = open(name, address)
    opened.set(name, { address, server })
    return server
  }

  const databases: Databases = {
    version,
    create: async (tenant, standing) => (await find(tenant)).databases.create(tenant, standing),
    remove: async (tenant, standing) => (await find(tenant)).databases.remove(tenant, standing),
    restand: async (tenant, from, to) => (await find(tenant)).databases.restand(tenant, from, to),
    read: async (tenant, work) => (await find(tenant)).databases.read(tenant, work),
    write: async (tenant, work) => (await find(tenant)).databases.write(tenant, work),
  }

  /** Asks who has the name only when the tenant is not served: to ask each time would cost a round trip. A read goes there at
   *  once, a change when it is asked for again: nobody knows whether it was made before the connection was lost. */
  async function run<Name extends OperationName>(tenant: Place, name: Name, input: Input<Name>): Promise<Output<Name>> {
    const known = opened.get(tenant.server)?.server ?? (await find(tenant))
    try {
      return await known.storage().run(tenant, name, input)
    } catch (error) {
      const present = error instanceof Unavailable ? await find(tenant) : known
      if (present === known || operations[name].writes) throw error
      return present.storage().run(tenant, name, input)
    }
  }

  const storage: Storage = {
    run,
    migrate: async (tenant) => (await find(tenant)).storage().migrate(tenant),
  }

  async function close(): Promise<void> {
    await Promise.all([...opened.values()].map(({ server }) => server.close()))
  }

  return { databases, storage, close }
}
