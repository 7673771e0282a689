// Routes operations to each tenant's database server. Opens a server when its first tenant is used.

import { Unavailable } from '../database/database.ts'
import type { Operation } from '../operation.ts'
import type { Storage, TenantDatabases, TenantLocation } from '../storage.ts'

/** A database server: this machine's SQLite files, or one PostgreSQL server. */
export type Server = {
  databases: TenantDatabases
  /** Returns the storage that runs operations on this server. Throws Unavailable. */
  storage(): Storage
  /** Closes the server once its pending work is done. */
  close(): Promise<void>
}

/** The server with this name is unavailable. */
export class ServerUnavailable extends Unavailable {
  readonly server: string

  constructor(server: string, { message, mayBeCorrupt, outage }: Unavailable) {
    super(message, mayBeCorrupt, outage)
    this.server = server
  }
}

/** A server in use. `checkedAt`: the generation in which its address was last looked up. */
type OpenServer = { address: string; server: Server; checkedAt: number }

/** Finds each tenant's server by the server name in the tenant's catalog row. */
export class StorageRouter implements Storage {
  /** Each function calls the same function on the tenant's server. Throws ServerUnavailable. */
  readonly databases: TenantDatabases
  readonly #addressOf: (name: string) => Promise<string>
  readonly #open: (name: string, address: string) => Server
  readonly #opened = new Map<string, OpenServer>()
  /** Incremented when addresses may have changed: cached addresses are then looked up again. */
  #generation = 0

  /** `addressOf` resolves a name, and throws Unavailable if there is no such server; `open` must not block. `version`:
   *  the schema version of tenants' databases. */
  constructor(
    addressOf: (name: string) => Promise<string>,
    open: (name: string, address: string) => Server,
    version: number,
  ) {
    this.#addressOf = addressOf
    this.#open = open
    this.databases = {
      version,
      probe: (tenant) => this.#on(tenant, (databases) => databases.probe(tenant)),
      inspect: (tenant, deadline) => this.#on(tenant, (databases) => databases.inspect(tenant, deadline)),
      create: (tenant, state) => this.#on(tenant, (databases) => databases.create(tenant, state)),
      adopt: (tenant, path) => this.#on(tenant, (databases) => databases.adopt(tenant, path)),
      remove: (tenant, state) => this.#on(tenant, (databases) => databases.remove(tenant, state)),
      transition: (tenant, from, to) => this.#on(tenant, (databases) => databases.transition(tenant, from, to)),
      read: (tenant, work) => this.#on(tenant, (databases) => databases.read(tenant, work)),
      snapshot: (tenant, path, work) => this.#on(tenant, (databases) => databases.snapshot(tenant, path, work)),
      compact: (tenant) => this.#on(tenant, (databases) => databases.compact(tenant)),
      write: (tenant, work) => this.#on(tenant, (databases) => databases.write(tenant, work)),
    }
  }

  /** Uses the cached address, because a lookup would cost a round trip. Looks the address up again if the catalog has
   *  changed or the tenant is unavailable. If the address has changed, a read is retried. A write is not retried,
   *  because it may have been committed before the connection was lost. The client must retry the write. */
  async run<Input, Output>(tenant: TenantLocation, operation: Operation<Input, Output>, input: Input): Promise<Output> {
    const entry = this.#opened.get(tenant.server)
    const cached = entry?.checkedAt === this.#generation ? entry.server : await this.#find(tenant)
    try {
      return await cached.storage().run(tenant, operation, input)
    } catch (error) {
      const current = error instanceof Unavailable ? await this.#find(tenant) : cached
      if (current === cached || operation.writes) throw error
      return current.storage().run(tenant, operation, input)
    }
  }

  async migrate(tenant: TenantLocation): Promise<void> {
    return (await this.#find(tenant)).storage().migrate(tenant)
  }

  async compact(tenant: TenantLocation): Promise<void> {
    return (await this.#find(tenant)).storage().compact(tenant)
  }

  /** Call this when addresses may have changed: the next use of each server looks its address up again. */
  forgetAddresses(): void {
    this.#generation++
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ server }) => server.close()))
  }

  async #find({ server: name }: TenantLocation): Promise<Server> {
    const checkedAt = this.#generation
    const address = await this.#addressOf(name)
    const entry = this.#opened.get(name)
    if (entry?.address === address) {
      entry.checkedAt = Math.max(entry.checkedAt, checkedAt)
      return entry.server
    }
    entry?.server.close().catch(() => {}) // after its pending work; no new work goes there
    const server = this.#open(name, address)
    this.#opened.set(name, { address, server, checkedAt })
    return server
  }

  async #on<T>(tenant: TenantLocation, call: (databases: TenantDatabases) => Promise<T>): Promise<T> {
    try {
      return await call((await this.#find(tenant)).databases)
    } catch (error) {
      const isUnnamed = error instanceof Unavailable && error.constructor === Unavailable
      throw isUnnamed ? new ServerUnavailable(tenant.server, error) : error
    }
  }
}
