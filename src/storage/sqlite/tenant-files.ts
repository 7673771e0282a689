// Tenant files on disk: where they are, how one is made so that it is there whole or not at all, how one is removed.

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
import { schemaVersion } from '../../resources/schema/schema.ts'
import { ownerTag, type TenantDatabases, type TenantLocation } from '../storage.ts'
import { migrate, requireInitialized } from './migration/migrate.ts'

/** The file of a tenant, in one of a few hundred directories so that none grows long. Built from the id of its row. */
export function tenantFile(directory: string, id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return join(directory, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

export function sqliteDatabases(directory: string, resources: Resources): TenantDatabases {
  /** The first file that this process has made: another one is a copy of it, but for whose it is. */
  let empty: Buffer | undefined

  /** Opens a tenant's file for one piece of work, beside whatever else has it open. */
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

    probe: async () => {}, // whether it can be written is known once it is

    async create(tenant, standing = 'open') {
      const path = tenantFile(directory, tenant.id)
      makeDirectory(dirname(path))
      const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`
      try {
        await fill(unfinished, ownerTag(tenant.id, standing))
        await alone(() => {
          if (isThere(path)) throw new Unavailable(`there is a file ${path} already`)
          removeFile(path, unfinished) // what an interrupted creation, or a former life of the tenant here, has left
          linkSync(unfinished, path) // a rename would replace a file that others have put there
          unlinkSync(unfinished)
          syncPath(dirname(path))
        })
      } catch (error) {
        for (const end of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + end, { force: true })
        throw error
      }
    },

    async remove(tenant, standing) {
      const path = tenantFile(directory, tenant.id)
      if (!isThere(dirname(path))) return
      if (!standing) return alone(() => removeFile(path))
      try {
        // Removed while it is open: nobody else's connection is its last, which would remove the log by its name.
        await withFile(tenant, async (connection) => {
          if (connection.get('select id from tenant')?.id !== ownerTag(tenant.id, standing)) return
          await alone(() => {
            if (fileStamp(path)?.inode === connection.inode) removeFile(path)
          })
        })
      } catch (error) {
        if (isThere(path)) throw error
        await alone(() => {
          if (!isThere(path)) removeFile(path) // what lies beside where it would be is nobody's
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

  /** Makes an empty database that has no name yet, whole on the disk. */
  async function fill(unfinished: string, owner: string): Promise<void> {
    makePrivate(unfinished)
    if (empty) writeFileSync(unfinished, empty)
    const connection = connect(unfinished)
    try {
      connection.exec('pragma synchronous = off') // until it has its name it is nothing, and is made durable as a whole
      if (empty) connection.run('update tenant set id = ?', [owner])
      else await migrate(connection, resources, owner)
    } finally {
      connection.close() // the last connection: moves the log into the file
    }
    empty ??= readFileSync(unfinished)
    syncPath(unfinished)
  }

  /** Runs work while no other process gives names to tenant files or takes them away. The lock ends with the process. */
  async function alone<T>(work: () => T): Promise<T> {
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

/** The lock is held for some milliseconds. */
const lockWaitMs = 5000
const lockRetryMs = 5

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Makes a directory and those above it, for the owner alone, and waits until they are on the disk. */
export function makeDirectory(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 }) // one by one: asked for all at once, Node never returns from below /proc
  try {
    make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    makeDirectory(dirname(path))
    try {
      make()
    } catch (again) {
      if ((again as NodeJS.ErrnoException).code !== 'EEXIST') throw again // another process was first
    }
  }
  syncPath(dirname(path))
}

/** Makes an empty file that only its owner may read; SQLite gives its log and index files the same mode. One that is there is not
 *  opened: closing it would end the locks that this process has on it. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Waits until a file, or the names in a directory, are on the disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes a tenant's file and all that lies beside it: log, index, what a crash has left unfinished; but not `kept`. */
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
