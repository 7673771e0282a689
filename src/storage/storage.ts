// The way to a tenant's records: storage.run(tenant, operation, input). The tenant is resolved here and nowhere below.

import type { Input, OperationName, Output } from './operations.ts'

/** What storage needs to know of a tenant: the id that its row in the catalog carries. Not its slug, never input. */
export type Place = { id: string }

export type Storage = {
  /** Runs one operation next to the tenant's data. Throws Unavailable when the database cannot be reached. */
  run<Name extends OperationName>(tenant: Place, name: Name, input: Input<Name>): Promise<Output<Name>>
  /** Ends after the work in hand. */
  close(): Promise<void>
}

/** Makes and removes the databases of tenants; needs no running storage, so the command line uses it too. */
export type Databases = {
  /** Makes an empty database; when it is done, it survives a power cut. */
  create(tenant: Place): Promise<void>
  /** Removes the database and everything in it; nothing to do if there is none. */
  remove(tenant: Place): Promise<void>
}
