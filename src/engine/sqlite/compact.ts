// Rewrites a tenant's file without free space, so that it takes no more disk space than needed and contains no deleted
// or overwritten values.

import type { Connection } from '../database/sqlite/connection.ts'
import { checkpoint } from '../database/sqlite/wal.ts'
import type { Product } from '../product.ts'

/** During the rewrite, reads continue but writes wait. Requires free disk space for two copies of the file: one in the
 *  temporary directory, one in the write-ahead log. Throws Unavailable. */
export async function compact(connection: Connection, { searchIndex }: Product): Promise<void> {
  await connection.transaction(() => searchIndex.optimize(connection))
  connection.exec('pragma temp_store = file') // a large file would not fit into memory
  connection.exec('vacuum')
  checkpoint(connection, 'truncate') // the log still contains the old pages
}
