// Tenant files on disk: their paths, and how a file is created atomically and removed.

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../../database/database.ts'
import { type Connection, connect, lockFile, sqliteDialect } from '../../database/sqlite/connection.ts'
import { fileStamp } from '../../database/sqlite/file-stamp.ts'
import type { Resources } from '../../resources/resource.ts'
import { schemaVersion } from '../../resources/schema/migrations.ts'
import { ownerTag, type TenantDatabases, type TenantLocation } from '../storage.ts'
import { migrate, requireInitialized } from './migrate.ts'

/** Path of a tenant's file, in a directory named after the first two characters of its id so that no directory grows
 *  large. Built from the id in the catalog, never from input. */
export function tenantFile(directory: string, id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return join(directory, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

export function sqliteDatabases(directory: string, resources: Resources): TenantDatabases {
  /** The first empty file this process created. Later ones are copies of it with another owner. */
  let empty: Buffer | undefined

  /** Opens a tenant's file for one piece of work; other processes and threads may have it open too. */
  async function withFile<T>(tenant: TenantLocation, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = connect(tenantFile(directory, tenant.id))
    try {
      requireInitialized(connection)
      await migrate(connection, resources, tenant.id)
      return await work(connection)
    } finally {
      connection.close()
    }
  }

  return {
    version: schemaVersion(resources),

    probe: async () => {}, // a write shows whether the directory is writable

    async create(tenant, state = 'open') {
      const path = tenantFile(directory, tenant.id)
      makeDirectory(dirname(path))
      const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.new`
      try {
        await createEmptyDatabase(temporaryPath, ownerTag(tenant.id, state))
        await withFilesLock(() => {
          if (exists(path)) throw new Unavailable(`there is a file ${path} already`)
          removeFile(path, temporaryPath) // left behind by an interrupted creation, or by an earlier database of this tenant
          linkSync(temporaryPath, path) // a rename would overwrite a file that another process has created
          unlinkSync(temporaryPath)
          syncPath(dirname(path))
        })
      } catch (error) {
        for (const end of ['', '-journal', '-wal', '-shm']) rmSync(temporaryPath + end, { force: true })
        throw error
      }
    },

    async remove(tenant, state) {
      const path = tenantFile(directory, tenant.id)
      if (!exists(dirname(path))) return
      if (!state) return withFilesLock(() => removeFile(path))
      try {
        // Removes the file while it is open here. If another process closed the last connection, SQLite would delete
        // the WAL by name, which might belong to another file by then.
        await withFile(tenant, async (connection) => {
          if (connection.get('select id from tenant')?.id !== ownerTag(tenant.id, state)) return
          await withFilesLock(() => {
            if (fileStamp(path)?.inode === connection.inode) removeFile(path)
          })
        })
      } catch (error) {
        if (exists(path)) throw error
        await withFilesLock(() => {
          if (!exists(path)) removeFile(path) // without the database, a leftover WAL or index belongs to no tenant
        })
      }
    },

    transition: (tenant, from, to) =>
      withFile(tenant, (connection) =>
        connection.transaction(async () => {
          const marks = [ownerTag(tenant.id, to), ownerTag(tenant.id, from), ownerTag(tenant.id, to)]
          return connection.run('update tenant set id = ? where id in (?, ?)', marks) === 1
        }),
      ),

    read: (tenant, work) =>
      withFile(tenant, (connection) =>
        connection.transaction(() => work({ database: connection, dialect: sqliteDialect }), 'read'),
      ),

    write: (tenant, work) =>
      withFile(tenant, (connection) =>
        connection.transaction(() => work({ database: connection, dialect: sqliteDialect })),
      ),
  }

  /** Creates an empty database under a temporary name and syncs it to disk. */
  async function createEmptyDatabase(temporaryPath: string, owner: string): Promise<void> {
    makePrivate(temporaryPath)
    if (empty) writeFileSync(temporaryPath, empty)
    const connection = connect(temporaryPath)
    try {
      connection.exec('pragma synchronous = off') // the file is not visible yet, and is synced as a whole below
      if (empty) connection.run('update tenant set id = ?', [owner])
      else await migrate(connection, resources, owner)
    } finally {
      connection.close() // closing the last connection checkpoints the WAL
    }
    empty ??= readFileSync(temporaryPath)
    syncPath(temporaryPath)
  }

  /** Runs work while no other process creates or removes tenant files. The operating system releases the lock when
   *  the process ends. */
  async function withFilesLock<T>(work: () => T): Promise<T> {
    const path = join(directory, 'files.lock')
    makePrivate(path)
    const end = performance.now() + lockWaitMs
    for (;;) {
      const lock = lockFile(path)
      try {
        if (lock) return work()
      } finally {
        lock?.close()
      }
      if (performance.now() > end) throw new Unavailable('another process is making or removing files of tenants')
      await wait(lockRetryMs)
    }
  }
}

/** Holding the lock takes a few milliseconds, so five seconds mean that something is stuck. */
const lockWaitMs = 5000
const lockRetryMs = 5

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Creates a directory and its parents, accessible to the owner only, and syncs them to disk. */
export function makeDirectory(path: string): void {
  const create = () => mkdirSync(path, { mode: 0o700 }) // not recursive: Node never returns when asked for a path below /proc
  try {
    create()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    makeDirectory(dirname(path))
    try {
      create()
    } catch (again) {
      if ((again as NodeJS.ErrnoException).code !== 'EEXIST') throw again // another process created it first
    }
  }
  syncPath(dirname(path))
}

/** Creates an empty file that only its owner may read; SQLite gives the WAL and the index the same mode. Does not
 *  open an existing file: closing it would release the locks that this process holds on it. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Syncs a file, or the entries of a directory, to disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes a tenant's file and everything beside it except `kept`: WAL, index, and leftovers of a crash. */
function removeFile(path: string, kept = ''): void {
  const directory = dirname(path)
  const names = namesIn(directory).filter((name) => name.startsWith(basename(path)) && name !== basename(kept))
  if (names.length === 0) return
  for (const name of names) rmSync(join(directory, name), { recursive: true, force: true })
  syncPath(directory)
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}
