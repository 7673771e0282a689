// The servers that tenants' databases are on: each is opened when the first tenant on it is asked for.

import type { Databases, Place, Storage } from './storage.ts'

/** The files of this machine, or one PostgreSQL server. */
export type Server = {
  databases: Databases
  /** What runs operations there. Throws Unavailable. */
  storage(): Storage
  /** Ends after the work in hand. */
  close(): Promise<void>
}

/** Finds each tenant's server by the name in its row. `open` throws Unavailable where there is none that answers. */
export function openServers(open: (name: string) => Promise<Server>, version: number) {
  const opened = new Map<string, Server>()
  const opening = new Map<string, Promise<Server>>()

  async function openOne(name: string): Promise<Server> {
    try {
      const server = await open(name)
      opened.set(name, server)
      return server
    } finally {
      opening.delete(name) // what failed is tried again by the next who asks
    }
  }

  function find({ server: name }: Place): Server | Promise<Server> {
    const known = opened.get(name) ?? opening.get(name)
    if (known) return known
    const promised = openOne(name)
    opening.set(name, promised)
    return promised
  }

  const databases: Databases = {
    version,
    create: async (tenant, standing) => (await find(tenant)).databases.create(tenant, standing),
    remove: async (tenant, standing) => (await find(tenant)).databases.remove(tenant, standing),
    restand: async (tenant, from, to) => (await find(tenant)).databases.restand(tenant, from, to),
    read: async (tenant, work) => (await find(tenant)).databases.read(tenant, work),
    write: async (tenant, work) => (await find(tenant)).databases.write(tenant, work),
  }

  const storage: Storage = {
    run: (tenant, name, input) =>
      Promise.resolve(find(tenant)).then((server) => server.storage().run(tenant, name, input)),
    migrate: async (tenant) => (await find(tenant)).storage().migrate(tenant),
  }

  async function close(): Promise<void> {
    await Promise.allSettled(opening.values())
    await Promise.all([...opened.values()].map((each) => each.close()))
  }

  return { databases, storage, close }
}
