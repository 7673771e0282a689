// The product that the engine runs. Every thread that runs operations loads this file.

import { operationsByName, type Product } from '../engine/product.ts'
import { bulkEditOperations } from './bulk/operations.ts'
import type { Resources } from './declarations/resource.ts'
import { closeBranchOperations } from './equipment/close-branch/operations.ts'
import { handOverFormOperations } from './equipment/hand-over-forms.ts'
import { deskOperations } from './equipment/operations.ts'
import { exportOperations } from './exports/operations.ts'
import { historyOperations } from './history/operations.ts'
import { latestChangeTime } from './history/positions.ts'
import { retentionOperations } from './history/retention.ts'
import { undoOperations } from './history/undo/operations.ts'
import { importDraftOperations } from './imports/draft-operations.ts'
import { importMappingOperations } from './imports/mappings/operations.ts'
import { importOperations } from './imports/operations.ts'
import { wordOperations } from './imports/unknown-words.ts'
import { jobOperations } from './jobs/operations.ts'
import { erasureOperations } from './people-data/operations.ts'
import { bulkOperations } from './records/bulk.ts'
import { recordOperations } from './records/operations.ts'
import { migrateSchema, schemaVersion } from './schema/migrations.ts'
import { createSchema } from './schema/schema.ts'
import { searchIndexOf } from './search/maintenance.ts'
import { searchOperations } from './search/operations.ts'
import { settingsOperations } from './settings/operations.ts'
import { summaryOperations } from './summary/operations.ts'
import { viewOperations } from './views/operations.ts'

/** The operations of every subject. Add a subject's operations here. */
const operations = operationsByName([
  recordOperations,
  bulkOperations,
  deskOperations,
  bulkEditOperations,
  closeBranchOperations,
  handOverFormOperations,
  historyOperations,
  exportOperations,
  undoOperations,
  erasureOperations,
  retentionOperations,
  searchOperations,
  settingsOperations,
  viewOperations,
  summaryOperations,
  jobOperations,
  importOperations,
  importDraftOperations,
  importMappingOperations,
  wordOperations,
])

export function productOf(resources: Resources): Product {
  return {
    module: import.meta.url,
    resources,
    operations,
    schema: {
      version: schemaVersion(resources),
      create: (database, dialect) => createSchema(database, resources, dialect),
      migrate: (database, from, dialect) => migrateSchema(database, resources, from, dialect),
      latestChangeTime,
    },
    searchIndex: searchIndexOf(resources),
  }
}
