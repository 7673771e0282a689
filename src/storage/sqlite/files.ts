// Tenant files on disk: where they are, how one is made so that it is there whole or not at all, how one is removed.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Unavailable } from '../../database.ts'
import type { Resources } from '../../resources/resource.ts'
import { schemaVersion } from '../../resources/schema.ts'
import { type Databases, ownerMark, type Place, type Standing } from '../storage.ts'
import { type Connection, connect, sqliteDialect } from './connection.ts'
import { migrate, requireFilled } from './migrate.ts'

/** The file of a tenant, in one of a few hundred directories so that none grows long. Built from the id of its row. */
export function tenantFile(directory: string, id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return join(directory, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

export function sqliteDatabases(directory: string, resources: Resources): Databases {
  /** The first file that this process has made: another one is a copy of it, but for whose it is. */
  let empty: Buffer | undefined

  /** Opens a tenant's file for one piece of work, beside whatever else has it open. */
  async function withFile<T>(tenant: Place, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = connect(tenantFile(directory, tenant.id))
    try {
      requireFilled(connection)
      await migrate(connection, resources, tenant.id)
      return await work(connection)
    } finally {
      connection.close()
    }
  }

  return {
    version: schemaVersion(resources),

    async create(tenant, standing = 'open') {
      const path = tenantFile(directory, tenant.id)
      if (existsSync(path)) throw new Unavailable(`there is a file ${path} already`)
      makeDirectory(dirname(path))
      removeFile(path) // what an interrupted creation, or a former life of the tenant here, has left beside it
      const unfinished = `${path}.new`
      makePrivate(unfinished)
      if (empty) writeFileSync(unfinished, empty)
      const connection = connect(unfinished)
      try {
        connection.exec('pragma synchronous = off') // until it has its name it is nothing, and is made durable as a whole
        const owner = ownerMark(tenant.id, standing)
        if (empty) connection.run('update tenant set id = ?', [owner])
        else await migrate(connection, resources, owner)
      } finally {
        connection.close() // the last connection: moves the log into the file
      }
      empty ??= readFileSync(unfinished)
      syncPath(unfinished)
      renameSync(unfinished, path)
      syncPath(dirname(path))
    },

    async remove(tenant, standing) {
      const path = tenantFile(directory, tenant.id)
      if (standing && !(await standsAs(tenant, standing))) return
      removeFile(path)
    },

    restand: (tenant, from, to) =>
      withFile(tenant, (connection) =>
        connection.transaction(async () => {
          const marks = [ownerMark(tenant.id, to), ownerMark(tenant.id, from), ownerMark(tenant.id, to)]
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

  async function standsAs(tenant: Place, standing: Standing): Promise<boolean> {
    if (!existsSync(tenantFile(directory, tenant.id))) return false
    const find = async (connection: Connection) => connection.get('select id from tenant')?.id
    return (await withFile(tenant, find)) === ownerMark(tenant.id, standing)
  }
}

/** The log of a file that is no longer in its place waits beside it under the file's inode: SQLite would replay it into
 *  whatever file has come there instead. Its index is made anew from it. */
export function setLogAside(path: string, inode: string): void {
  if (existsSync(`${path}-shm`)) rmSync(`${path}-shm`)
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, asideLog(path, inode))
}

/** The file with this inode is in its place again, and so is its log. */
export function takeLogBack(path: string, inode: string): void {
  if (existsSync(asideLog(path, inode))) renameSync(asideLog(path, inode), `${path}-wal`)
}

function asideLog(path: string, inode: string): string {
  return `${path}-wal.${inode}`
}

/** Makes a directory and those above it, for the owner alone, and waits until they are on the disk. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 }) // one by one: asked for all at once, Node never returns from below /proc
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // another process was first
  }
  syncPath(dirname(path))
}

/** Makes an empty file that only its owner may read; SQLite gives its log and index files the same mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
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

/** Removes a tenant's file and all that lies beside it: logs, indexes, what a crash has left unfinished. */
function removeFile(path: string): void {
  const directory = dirname(path)
  if (!existsSync(directory)) return
  const names = readdirSync(directory).filter((name) => name.startsWith(basename(path)))
  for (const name of names) rmSync(join(directory, name), { recursive: true, force: true })
  syncPath(directory)
}
