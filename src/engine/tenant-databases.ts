// The tenants' databases as commands and tools see them: created, removed, inspected, read and written as a whole.

import type { Database, Dialect } from './database/database.ts'

/** Where a tenant's data is, from the tenant's row in the catalog: the tenant's id (never the slug or user input) and
 *  database server. */
export type TenantLocation = { id: string; server: string }

/** Only an open database serves requests. While a tenant moves between servers, its old database is `leaving` and its
 *  new one is `arriving`. */
export type TenantDatabaseState = 'open' | 'leaving' | 'arriving'

/** A database's owner and state, from its `tenant` table. */
export type DatabaseOwner = { id: string; state: TenantDatabaseState }

/** Direct access to a tenant's database for tools: SQL, and the engine's dialect. */
export type TenantDatabase = { database: Database; dialect: Dialect }

/** A snapshot of a tenant's database. `file`: the path of the file that contains it; null on PostgreSQL. */
export type TenantSnapshot = TenantDatabase & { file: string | null }

/** Work on a tenant's database, or on a snapshot of it. */
export type TenantWork<T, Given = TenantDatabase> = (tenantDatabase: Given) => Promise<T>

/** What an inspection of a database found. `owner`: null if the database does not name one. `damage`: null if no damage
 *  was found, or if the database was not searched for damage (`isSearched`). */
export type TenantInspection = {
  owner: DatabaseOwner | null
  schemaVersion: number
  damage: string | null
  isSearched: boolean
  /** The latest time among the newest changes; null if there is no change. */
  latestChangeAt: string | null
}

/** Creates, removes, reads and fills tenants' databases. Commands use these functions without a running engine. */
export type TenantDatabases = {
  /** The schema version that this program creates and understands. */
  version: number
  /** Throws Unavailable when the tenant's server cannot be reached. */
  probe(tenant: TenantLocation): Promise<void>
  /** Inspects the database without migrating it, and searches it for damage if `deadline` (performance.now()) permits.
   *  Throws Unavailable. */
  inspect(tenant: TenantLocation, deadline: number): Promise<TenantInspection>
  /** Creates an empty database, durably: it survives a power cut. Throws Unavailable. */
  create(tenant: TenantLocation, state?: TenantDatabaseState): Promise<void>
  /** Moves a SQLite file into place as the tenant's database. The file must be on the same disk as the tenant files,
   *  and must not be in use. Returns false, and does nothing, if this server does not store tenants in files. Throws
   *  Unavailable. */
  adopt(tenant: TenantLocation, path: string): Promise<boolean>
  /** Removes the database and its content, if it exists. If `state` is given, removes only a database in this state. */
  remove(tenant: TenantLocation, state?: TenantDatabaseState): Promise<void>
  /** Moves the database from one state to another and returns whether it is now in state `to`. Waits for running writes
   *  first. */
  transition(tenant: TenantLocation, from: TenantDatabaseState, to: TenantDatabaseState): Promise<boolean>
  /** Reads from a snapshot. */
  read<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T>
  /** Reads from a snapshot that may be needed for minutes. On SQLite, the snapshot is a copy of the file, stored at
   *  `copyPath` and deleted afterwards. Throws UserError if the copy cannot be written. */
  snapshot<T>(tenant: TenantLocation, copyPath: string, work: TenantWork<T, TenantSnapshot>): Promise<T>
  /** Returns free space to the disk, and erases the remains of deleted values. Does nothing on PostgreSQL, which has
   *  autovacuum. Throws Unavailable. */
  compact(tenant: TenantLocation): Promise<void>
  /** Writes in a single transaction, whatever the database's state. */
  write<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T>
}
