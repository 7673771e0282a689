// The way to a tenant's records: storage.run(tenant, operation, input). The tenant is resolved here and nowhere below.

import type { Database } from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import type { Input, OperationName, Output } from './operations.ts'

/** What storage needs to know of a tenant, from its row in the catalog: its id (not its slug, never input), and the server
 *  that its database is on. */
export type TenantLocation = { id: string; server: string }

export type Storage = {
  /** Runs one operation next to the tenant's data. Throws Unavailable when the database cannot be reached. */
  run<Name extends OperationName>(tenant: TenantLocation, name: Name, input: Input<Name>): Promise<Output<Name>>
  /** Brings the tenant's database to the present schema, if it is not; no other tenant's requests feel it. Throws
   *  MigrationFailed, or Unavailable where it could not be tried. */
  migrate(tenant: TenantLocation): Promise<void>
}

/** Whether a tenant's database serves requests. While a tenant moves, one is being left and one is not there yet. */
export type TenantDatabaseState = 'open' | 'leaving' | 'arriving'

/** A tenant's database as tools see it: SQL, and how its engine says what differs. */
export type TenantDatabase = { database: Database; dialect: Dialect }

/** Makes, removes, reads and fills the databases of tenants; needs no running storage, so the command line uses it too. */
export type TenantDatabases = {
  /** The schema version that they make and know. */
  version: number
  /** Throws Unavailable when the server of the tenant cannot be reached. */
  probe(tenant: TenantLocation): Promise<void>
  /** Makes an empty database; when it is done, it survives a power cut. Throws Unavailable. */
  create(tenant: TenantLocation, standing?: TenantDatabaseState): Promise<void>
  /** Removes the database and everything in it; nothing to do if there is none. With `standing`: only one that stands so. */
  remove(tenant: TenantLocation, standing?: TenantDatabaseState): Promise<void>
  /** Changes how the database stands, if it stands as `from`. When it is done, work that met the former standing has ended.
   *  Whether it stands as `to` now. */
  transition(tenant: TenantLocation, from: TenantDatabaseState, to: TenantDatabaseState): Promise<boolean>
  /** Reads at one moment: what others commit meanwhile is not seen. */
  read<T>(tenant: TenantLocation, work: (inside: TenantDatabase) => Promise<T>): Promise<T>
  /** Writes in one transaction, past whether the database serves requests. */
  write<T>(tenant: TenantLocation, work: (inside: TenantDatabase) => Promise<T>): Promise<T>
}

/** What the row `tenant` of a database says of it: whose it is and how it stands. One that is open says the id alone. */
export function ownerTag(id: string, standing: TenantDatabaseState): string {
  return standing === 'open' ? id : `${standing} ${id}`
}
