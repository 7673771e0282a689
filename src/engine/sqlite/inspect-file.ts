// Inspects a tenant's file without changing it, even while other processes use it.

import { statSync } from 'node:fs'
import { Unavailable } from '../database/database.ts'
import { examineFile } from '../database/sqlite/examine.ts'
import type { Product } from '../product.ts'
import type { TenantInspection } from '../storage.ts'
import { findDamage, ownerOf, requireReleased } from './migrate.ts'

/** The assumed speed of a search for damage, which reads the whole file and cannot be interrupted. Few disks are
 *  slower. */
const bytesPerMs = 50_000

/** `deadline`: see TenantDatabases.inspect. Throws Unavailable. */
export function inspectFile(path: string, deadline: number, { schema }: Product): TenantInspection {
  const bytes = sizeOf(path)
  const isSearched = performance.now() + bytes / bytesPerMs < deadline
  return examineFile(
    path,
    (connection) => ({
      schemaVersion: requireReleased(connection),
      owner: ownerOf(connection) ?? null,
      isSearched,
      latestChangeAt: (connection.get(schema.latestChangeTime)?.at ?? null) as string | null,
      damage: isSearched ? findDamage(connection) : null,
    }),
    ({ damage }) => damage === null,
  )
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new Unavailable(`there is no file ${path}`, false, 'missing')
    throw new Unavailable(message, false, 'permission')
  }
}
