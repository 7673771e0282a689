// Creates a snapshot of a tenant as a SQLite file. A tenant on PostgreSQL is copied into such a file, so all backups
// have the same format and can be restored on every engine.

import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Resources } from '../../domain/declarations/resource.ts'
import { productOf } from '../../domain/product.ts'
import { type CopyEndpoint, copyUnchanging } from '../../domain/schema/copy.ts'
import { tenantTables } from '../../domain/schema/tables.ts'
import type { Value } from '../../engine/database/database.ts'
import { TenantFiles, tenantFile } from '../../engine/sqlite/tenant-files.ts'
import type { TenantDatabase, TenantDatabases, TenantLocation, TenantSnapshot } from '../../engine/tenant-databases.ts'
import { createDirectory } from '../../lib/files/files.ts'
import { countRows, schemaOf, withDatabaseFile } from './database-file.ts'
import type { ArchivedTenant } from './manifest.ts'

/** How the manifest describes the tenant's data. */
export type SnapshotContent = Pick<ArchivedTenant, 'engine' | 'seq' | 'fingerprint' | 'schema' | 'rows'>

type SnapshotSource = { resources: Resources; scratch: string }

/** Copies the tenant's data into a file below `scratch`, and removes the file once `callback` has finished. */
export function withSnapshotFile<T>(
  { databases, ...source }: SnapshotSource & { databases: TenantDatabases },
  tenant: TenantLocation,
  erasures: number,
  callback: (file: string, content: SnapshotContent) => Promise<T>,
): Promise<T> {
  const path = join(source.scratch, `${tenant.id}.sqlite`)
  return databases.snapshot(tenant, path, async (snapshot) => {
    const fingerprint = await readFingerprint(snapshot, source.resources, erasures)
    const describe = (file: string): Promise<T> => {
      const content = withDatabaseFile(file, (connection) => ({
        seq: connection.get<{ seq: number }>('select coalesce(max(seq), 0) as seq from changes')!.seq,
        schema: schemaOf(connection),
        rows: countRows(connection),
      }))
      return callback(file, { engine: snapshot.dialect.engine, fingerprint, ...content })
    }
    if (snapshot.file) return describe(snapshot.file)
    return copyToFile(snapshot, source, tenant, describe)
  })
}

async function copyToFile<T>(
  snapshot: TenantSnapshot,
  { resources, scratch }: SnapshotSource,
  { id }: TenantLocation,
  callback: (file: string) => Promise<T>,
): Promise<T> {
  const directory = join(scratch, 'copy')
  const copies = new TenantFiles(directory, productOf(resources))
  const copy: TenantLocation = { id, server: '' }
  createDirectory(directory)
  try {
    await copies.create(copy)
    const from: CopyEndpoint = (read) => read(snapshot)
    await copyUnchanging(from, (write) => copies.write(copy, write), resources)
    return await copies.snapshot(copy, join(directory, 'snapshot.sqlite'), ({ file }) => callback(file!))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Returns a value that differs after every change to the tenant's data. If a record changes, the numbers of the
 *  history's first and last changes differ. Any other change affects a small table, such as the counters. Erasing a
 *  deleted person affects neither, so the value also includes `erasures`, the number of the last audit event about an
 *  erasure. */
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
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Returns the path where `TenantFiles` expects a tenant's file below a scratch directory. Creates the file's
 *  directory. */
export function scratchFile(scratch: string, id: string): string {
  const path = tenantFile(scratch, id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}
