// Routes operations to the database server of each tenant; a server is opened with its first tenant.

import { Unavailable } from '../database/database.ts'
import { type Input, type OperationName, type Output, operations } from './operations.ts'
import type { Storage, TenantDatabases, TenantLocation } from './storage.ts'

/** A database server: the SQLite files of this machine, or one PostgreSQL server. */
export type Server = {
  databases: TenantDatabases
  /** Runs operations on this server. Throws Unavailable. */
  storage(): Storage
  /** Closes the server after its pending work. */
  close(): Promise<void>
}

/** The server with this name is unavailable. */
export class ServerUnavailable extends Unavailable {
  readonly server: string

  constructor(server: string, message: string) {
    super(message)
    this.server = server
  }
}

/** Looks servers up by the name in the tenant's row. `addressOf` resolves a name, and throws Unavailable if there is
 *  no such server; `open` must not block. */
export function openServers(
  addressOf: (name: string) => Promise<string>,
  open: (name: string, address: string) => Server,
  version: number,
) {
  const opened = new Map<string, { address: string; server: Server; checkedAt: number }>()
  /** Incremented when addresses may have changed: cached addresses are then looked up again. */
  let generation = 0

  async function find({ server: name }: TenantLocation): Promise<Server> {
    const checkedAt = generation
    const address = await addressOf(name)
    const known = opened.get(name)
    if (known?.address === address) {
      known.checkedAt = Math.max(known.checkedAt, checkedAt)
      return known.server
    }
    known?.server.close().catch(() => {}) // after its pending work; no new work goes there
    const server = open(name, address)
    opened.set(name, { address, server, checkedAt })
    return server
  }

  async function at<T>(tenant: TenantLocation, work: (databases: TenantDatabases) => Promise<T>): Promise<T> {
    try {
      return await work((await find(tenant)).databases)
    } catch (error) {
      const isUnnamed = error instanceof Unavailable && error.constructor === Unavailable
      throw isUnnamed ? new ServerUnavailable(tenant.server, error.message) : error
    }
  }

  const databases: TenantDatabases = {
    version,
    probe: (tenant) => at(tenant, (databases) => databases.probe(tenant)),
    inspect: (tenant, deadline) => at(tenant, (databases) => databases.inspect(tenant, deadline)),
    create: (tenant, state) => at(tenant, (databases) => databases.create(tenant, state)),
    adopt: (tenant, path) => at(tenant, (databases) => databases.adopt(tenant, path)),
    remove: (tenant, state) => at(tenant, (databases) => databases.remove(tenant, state)),
    transition: (tenant, from, to) => at(tenant, (databases) => databases.transition(tenant, from, to)),
    read: (tenant, work) => at(tenant, (databases) => databases.read(tenant, work)),
    snapshot: (tenant, path, work) => at(tenant, (databases) => databases.snapshot(tenant, path, work)),
    compact: (tenant) => at(tenant, (databases) => databases.compact(tenant)),
    write: (tenant, work) => at(tenant, (databases) => databases.write(tenant, work)),
  }

  /** Uses the cached address, since a lookup would cost a round trip; looks it up again when the catalog has changed
   *  or the tenant is unavailable. If the address changed, a read runs again at once. A write is left to the client's
   *  retry: it may have been committed before the connection was lost. */
  async function run<Name extends OperationName>(
    tenant: TenantLocation,
    name: Name,
    input: Input<Name>,
  ): Promise<Output<Name>> {
    const entry = opened.get(tenant.server)
    const known = entry?.checkedAt === generation ? entry.server : await find(tenant)
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
    compact: async (tenant) => (await find(tenant)).storage().compact(tenant),
  }

  async function close(): Promise<void> {
    await Promise.all([...opened.values()].map(({ server }) => server.close()))
  }

  return {
    databases,
    storage,
    close,
    /** Call this when addresses may have changed: no later operation uses a cached address. */
    forgetAddresses(): void {
      generation++
    },
  }
}
