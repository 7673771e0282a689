// The SQLite file of a tenant at one point in time. A tenant on PostgreSQL is copied into one, so that a backup has one format, which
// every engine can be restored from.

import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Value } from '../../database/database.ts'
import { makeDirectory } from '../../database/durable-files.ts'
import type { Resources } from '../../resources/resource.ts'
import { tenantTables } from '../../resources/schema/tables.ts'
import { type CopyEndpoint, copyUnchanging } from '../../storage/copy.ts'
import { TenantFiles, tenantFile } from '../../storage/sqlite/tenant-files.ts'
import type { TenantDatabase, TenantDatabases, TenantLocation, TenantSnapshot } from '../../storage/storage.ts'
import { countRows, fingerprintOf, schemaOf, withDatabaseFile } from './database-file.ts'
import type { ArchivedTenant } from './manifest.ts'

/** What the manifest says of the tenant's data. */
export type SnapshotContent = Pick<ArchivedTenant, 'engine' | 'seq' | 'fingerprint' | 'schema' | 'rows'>

/** Copies the tenant's data into a file below `scratch`, which is removed after the work. */
export function withSnapshotFile<T>(
  databases: TenantDatabases,
  resources: Resources,
  tenant: TenantLocation,
  erasures: number,
  scratch: string,
  work: (file: string, content: SnapshotContent) => Promise<T>,
): Promise<T> {
  const path = join(scratch, `${tenant.id}.sqlite`)
  return databases.snapshot(tenant, path, async (snapshot) => {
    const fingerprint = await readFingerprint(snapshot, resources, erasures)
    const describe = (file: string): Promise<T> => {
      const content = withDatabaseFile(file, (connection) => ({
        seq: connection.get('select coalesce(max(seq), 0) as seq from changes')!.seq as number,
        schema: schemaOf(connection),
        rows: countRows(connection),
      }))
      return work(file, { engine: snapshot.dialect.engine, fingerprint, ...content })
    }
    if (snapshot.file) return describe(snapshot.file)
    return copyToFile(snapshot, resources, tenant, scratch, describe)
  })
}

async function copyToFile<T>(
  snapshot: TenantSnapshot,
  resources: Resources,
  { id }: TenantLocation,
  scratch: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const directory = join(scratch, 'copy')
  const copies = new TenantFiles(directory, resources)
  const copy: TenantLocation = { id, server: '' }
  makeDirectory(directory)
  try {
    await copies.create(copy)
    const from: CopyEndpoint = (read) => read(snapshot)
    await copyUnchanging(from, (write) => copies.write(copy, write), resources)
    return await copies.snapshot(copy, join(directory, 'snapshot.sqlite'), ({ file }) => work(file!))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A value that changes with every change of the tenant's data. The history has all changes of records, and the counters show
 *  whatever else was added. Erasing a person who was deleted changes neither: `erasures` is the last entry of the audit log about that. */
export async function readFingerprint(
  { database, dialect }: TenantDatabase,
  resources: Resources,
  erasures: number,
): Promise<string> {
  const tables = tenantTables(resources, dialect)
  const parts: unknown[] = [erasures, await database.get('select min(seq) as first, max(seq) as last from changes')]
  for (const { name, columns, content } of tables) {
    if (content !== 'settings') continue
    const [key] = Object.keys(columns)
    const rows = await database.all(`select * from ${name} order by ${key}`)
    parts.push(
      name,
      rows.map((row) => Object.values<Value>(row)),
    )
  }
  return fingerprintOf(parts)
}

/** Where a tenant's file is when `TenantFiles` looks for it below a scratch directory. */
export function scratchFile(scratch: string, id: string): string {
  const path = tenantFile(scratch, id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}
