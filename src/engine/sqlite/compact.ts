// Rewrites a tenant's file without free space, so that it takes no more disk space than needed and contains no deleted
// or overwritten values.

import type { Resources } from '../../domain/declarations/resource.ts'
import { listIndexedResources } from '../../domain/schema/deferred-indexes.ts'
import { countUnindexed, indexPending, optimizeIndex } from '../../domain/search/index.ts'
import type { Connection } from '../database/sqlite/connection.ts'
import { checkpoint } from '../database/sqlite/wal.ts'

/** During the rewrite, reads continue but writes wait. Requires free disk space for two copies of the file: one in the
 *  temporary directory, one in the write-ahead log. Throws Unavailable. */
export async function compact(connection: Connection, resources: Resources): Promise<void> {
  await connection.transaction(async () => {
    for (const resource of await listIndexedResources(connection, resources)) {
      while ((await countUnindexed(connection, resource)) > 0) await indexPending(connection, resource)
      await optimizeIndex(connection, resource)
    }
  })
  connection.exec('pragma temp_store = file') // a large file would not fit into memory
  connection.exec('vacuum')
  checkpoint(connection, 'truncate') // the log still contains the old pages
}
