// Finds tenants' files by their place on disk, for when the catalog cannot say which tenants there are.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Unavailable } from '../database/database.ts'
import { examineFile } from '../database/sqlite/connection.ts'
import { isBeforeRelease } from './whole-file.ts'

export function hasTenantFile(directory: string): boolean {
  return tenantFiles(directory).some(() => true)
}

/** Whether a development version before 1.0.0 wrote one of the files. */
export function hasFileBeforeRelease(directory: string): boolean {
  return tenantFiles(directory).some((path) => {
    try {
      return examineFile(path, isBeforeRelease, () => true)
    } catch (error) {
      if (error instanceof Unavailable) return false // a damaged file says nothing about the version
      throw error
    }
  })
}

function* tenantFiles(directory: string): Generator<string, void> {
  for (const folder of namesIn(join(directory, 'tenants')))
    for (const name of namesIn(join(directory, 'tenants', folder)))
      if (/^[a-z0-9]{20}\.sqlite$/.test(name)) yield join(directory, 'tenants', folder, name)
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return [] // there is no such directory
  }
}
