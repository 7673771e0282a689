// Keeps the search indexes of a SQLite file up to date, for the engine's maintenance of open files.

import type { SearchIndex } from '../../engine/product.ts'
import type { Resources } from '../declarations/resource.ts'
import { listIndexedResources } from '../schema/derived.ts'
import { countUnindexed, indexPending, mergeIndex, optimizeIndex } from './index.ts'

/** The search indexes of these resources' tables, as far as the tables are large enough to have one. */
export function searchIndexOf(resources: Resources): SearchIndex {
  return {
    async countPending(database) {
      let count = 0
      for (const resource of await listIndexedResources(database, resources))
        count += await countUnindexed(database, resource)
      return count
    },
    async indexPending(database, size) {
      let isUnmerged = false
      for (const resource of await listIndexedResources(database, resources)) {
        const isPending = (await countUnindexed(database, resource)) > 0
        if (isPending && (await indexPending(database, resource, size))) isUnmerged = true
      }
      return isUnmerged
    },
    async merge(database, size) {
      for (const resource of await listIndexedResources(database, resources))
        if (await mergeIndex(database, resource, size)) return true
      return false
    },
    async optimize(database) {
      for (const resource of await listIndexedResources(database, resources)) {
        while ((await countUnindexed(database, resource)) > 0) await indexPending(database, resource)
        await optimizeIndex(database, resource)
      }
    },
  }
}
