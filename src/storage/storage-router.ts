// The servers that tenants' databases are on: each is opened when the first tenant on it is asked for.

import { Unavailable } from '../database/database.ts'
import { type Input, type OperationName, type Output, operations } from './operations.ts'
import type { Storage, TenantDatabases, TenantLocation } from './storage.ts'

/** The files of this machine, or one PostgreSQL server. */
export type Server = {
  databases: TenantDatabases
  /** What runs operations there. Throws Unavailable. */
  storage(): Storage
  /** Ends after the work in hand. */
  close(): Promise<void>
}

/** The server of this name could not do what it was asked for. */
export class ServerUnavailable extends Unavailable {
  readonly server: string

  constructor(server: string, message: string) {
    super(message)
    this.server = server
  }
}

/** Finds each tenant's server by the name in its row. `addressOf` tells where the server of a name is, and throws Unavailable
 *  where there is none; `open` does not wait for it. */
export function openServers(
  addressOf: (name: string) => Promise<string>,
  open: (name: string, address: string) => Server,
  version: number,
) {
  const opened = new Map<string, { address: string; server: Server; checkedAt: number }>()
  /** Grows whenever addresses may have changed: those found before are looked up again. */
  let generation = 0

  async function find({ server: name }: TenantLocation): Promise<Server> {
    const checkedAt = generation
    const address = await addressOf(name)
    const known = opened.get(name)
    if (known?.address === address) {
      known.checkedAt = Math.max(known.checkedAt, checkedAt)
      return known.server
    }
    known?.server.close().catch(() => {}) // after the work in hand; no tenant is looked for there any more
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
    create: (tenant, standing) => at(tenant, (databases) => databases.create(tenant, standing)),
    remove: (tenant, standing) => at(tenant, (databases) => databases.remove(tenant, standing)),
    transition: (tenant, from, to) => at(tenant, (databases) => databases.transition(tenant, from, to)),
    read: (tenant, work) => at(tenant, (databases) => databases.read(tenant, work)),
    write: (tenant, work) => at(tenant, (databases) => databases.write(tenant, work)),
  }

  /** Looks the address up again after the catalog has changed and when the tenant is not served: to look each time would cost a
   *  round trip. Then a read is run again at once, a change when it is asked for again: nobody knows whether it was made
   *  before the connection was lost. */
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
  }

  async function close(): Promise<void> {
    await Promise.all([...opened.values()].map(({ server }) => server.close()))
  }

  return {
    databases,
    storage,
    close,
    /** Addresses may have changed: from now on no operation begins at one that was found before. */
    forgetAddresses(): void {
      generation++
    },
  }
}
