// Rewrites a tenant's file: it gets as small as its content, and no deleted or former value is left in free space.

import type { Connection } from '../../database/sqlite/connection.ts'
import { checkpoint } from '../../database/sqlite/wal.ts'
import type { Resources } from '../../resources/resource.ts'
import { listIndexedResources } from '../../resources/schema/deferred-indexes.ts'
import { countUnindexed, indexPending, optimizeIndex } from '../../resources/search/index.ts'

/** Reads go on meanwhile, writes have to wait. Needs as much free space as the file has, twice: in the directory for temporary
 *  files, and for the write-ahead log. Throws Unavailable. */
export async function compact(connection: Connection, resources: Resources): Promise<void> {
  await connection.transaction(async () => {
    for (const each of await listIndexedResources(connection, resources)) {
      while ((await countUnindexed(connection, each)) > 0) await indexPending(connection, each)
      await optimizeIndex(connection, each)
    }
  })
  connection.exec('pragma temp_store = file') // a large file would not fit into memory
  connection.exec('vacuum')
  checkpoint(connection, 'truncate') // the log still has the former pages
}
