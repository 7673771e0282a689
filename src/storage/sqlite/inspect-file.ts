// Inspects a tenant's file without changing it, even while other processes use it.

import { statSync } from 'node:fs'
import { Unavailable } from '../../database/database.ts'
import type { Connection } from '../../database/sqlite/connection.ts'
import { examineFile } from '../../database/sqlite/examine.ts'
import type { DatabaseOwner, TenantInspection } from '../storage.ts'

/** A search for damage reads the whole file, and cannot be interrupted. Few disks are slower than this. */
const bytesPerMs = 50_000

/** `deadline`: see TenantDatabases.inspect. Throws Unavailable. */
export function inspectFile(path: string, deadline: number): TenantInspection {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size
  if (bytes === undefined) throw new Unavailable(`there is no file ${path}`)
  const isSearched = performance.now() + bytes / bytesPerMs < deadline
  return examineFile(
    path,
    (connection) => ({ ...readIdentity(connection), isSearched, damage: isSearched ? findDamage(connection) : null }),
    ({ damage }) => damage === null,
  )
}

function readIdentity(connection: Connection): Pick<TenantInspection, 'owner' | 'schemaVersion'> {
  const schemaVersion = connection.get('pragma user_version')!.user_version as number
  if (schemaVersion === 0) throw new Unavailable('the file is empty or was not created by this program')
  const row = connection.get('select id, state from tenant')
  return { schemaVersion, owner: (row ?? null) as DatabaseOwner | null }
}

function findDamage(connection: Connection): string | null {
  const found = connection.get('pragma quick_check(1)')?.quick_check as string
  return found === 'ok' ? null : `the file is damaged (${found})`
}
