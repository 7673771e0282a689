// Tenant files on disk: their paths, and how they are created atomically, read, written and removed.

import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessageOf } from '../../lib/errors.ts'
import { createDirectory, createPrivateFile, syncPath } from '../../lib/files/files.ts'
import { UserError } from '../../lib/user-error.ts'
import { Unavailable } from '../database/database.ts'
import { type Connection, connect, lockFile, sqliteDialect } from '../database/sqlite/connection.ts'
import { fileStamp } from '../database/sqlite/files.ts'
import type { Product } from '../product.ts'
import type {
  DatabaseOwner,
  TenantDatabaseState,
  TenantDatabases,
  TenantInspection,
  TenantLocation,
  TenantSnapshot,
  TenantWork,
} from '../tenant-databases.ts'
import { compact, databaseOwner, inspectFile, migrate, requireInitialized } from './whole-file.ts'

/** Returns the path of a tenant's file, built from the id in the catalog and never from input. The directory is named
 *  after the id's first two characters, so that no directory grows large. */
export function tenantFile(directory: string, id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not a tenant id')
  return join(directory, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

export class TenantFiles implements TenantDatabases {
  readonly version: number
  readonly #directory: string
  readonly #product: Product

  constructor(directory: string, product: Product) {
    this.version = product.schema.version
    this.#directory = directory
    this.#product = product
  }

  /** Does nothing: a write shows whether the directory is writable. */
  async probe(): Promise<void> {}

  async inspect(tenant: TenantLocation, deadline: number): Promise<TenantInspection> {
    return inspectFile(this.#pathOf(tenant), deadline, this.#product)
  }

  async create(tenant: TenantLocation, state: TenantDatabaseState = 'open'): Promise<void> {
    const path = this.#pathOf(tenant)
    const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.new`
    createDirectory(dirname(path))
    try {
      createPrivateFile(temporaryPath)
      await this.#install(temporaryPath, { id: tenant.id, state })
    } catch (error) {
      removeTemporary(temporaryPath)
      throw error
    }
  }

  async adopt(tenant: TenantLocation, file: string): Promise<boolean> {
    createDirectory(dirname(this.#pathOf(tenant)))
    await this.#install(file, { id: tenant.id, state: 'open' })
    return true
  }

  async remove(tenant: TenantLocation, state?: TenantDatabaseState): Promise<void> {
    const path = this.#pathOf(tenant)
    if (!exists(dirname(path))) return
    try {
      if (state) await this.#removeOwned(tenant, state)
    } catch (error) {
      if (exists(path)) throw error
    }
    await withFilesLock(this.#directory, () => {
      if (!state || !exists(path)) removeFile(path) // without the database, a leftover WAL or index is useless
    })
  }

  transition(tenant: TenantLocation, from: TenantDatabaseState, to: TenantDatabaseState): Promise<boolean> {
    const sql = 'update tenant set state = ? where id = ? and state in (?, ?)'
    return this.write(tenant, async ({ database }) => (await database.run(sql, [to, tenant.id, from, to])) === 1)
  }

  read<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T> {
    return this.#inTransaction(tenant, work, 'read')
  }

  async snapshot<T>(tenant: TenantLocation, file: string, work: TenantWork<T, TenantSnapshot>): Promise<T> {
    try {
      await this.#withFile(tenant, async (connection) => copyFile(connection, file))
      using database = connect(file, 0, 'read')
      return await work({ database, dialect: sqliteDialect, file })
    } finally {
      removeTemporary(file)
    }
  }

  compact(tenant: TenantLocation): Promise<void> {
    return this.#withFile(tenant, (connection) => compact(connection, this.#product))
  }

  write<T>(tenant: TenantLocation, work: TenantWork<T>): Promise<T> {
    return this.#inTransaction(tenant, work, 'write')
  }

  #pathOf({ id }: TenantLocation): string {
    return tenantFile(this.#directory, id)
  }

  /** Prepares a file that nobody else has open, and makes it the tenant's file. An empty file becomes a database
   *  without records. */
  async #install(file: string, owner: DatabaseOwner): Promise<void> {
    await prepareFile(file, this.#product, owner)
    await withFilesLock(this.#directory, () => putInPlace(file, tenantFile(this.#directory, owner.id)))
  }

  /** Opens and migrates a tenant's file, and runs `work`. Other processes and threads may have it open too. */
  async #withFile<T>(tenant: TenantLocation, work: (connection: Connection) => Promise<T>): Promise<T> {
    using connection = connect(this.#pathOf(tenant))
    requireInitialized(connection)
    await migrate(connection, this.#product, { id: tenant.id, state: 'open' })
    return await work(connection)
  }

  /** Removes the file while this connection is open. Otherwise, another process might close the last connection after
   *  the removal, and SQLite would delete the WAL by its name, which might already belong to another file. */
  #removeOwned(tenant: TenantLocation, state: TenantDatabaseState): Promise<void> {
    const path = this.#pathOf(tenant)
    return this.#withFile(tenant, async (connection) => {
      const owner = databaseOwner(connection)
      if (owner?.id !== tenant.id || owner.state !== state) return
      await withFilesLock(this.#directory, () => {
        if (fileStamp(path)?.inode === connection.inode) removeFile(path)
      })
    })
  }

  #inTransaction<T>(tenant: TenantLocation, work: TenantWork<T>, kind: 'read' | 'write'): Promise<T> {
    return this.#withFile(tenant, (connection) =>
      connection.transaction(() => work({ database: connection, dialect: sqliteDialect }), kind),
    )
  }
}

/** Writes a consistent copy, even while the file is in use. The copy does not need a write-ahead log. Throws
 *  UserError. */
function copyFile(connection: Connection, path: string): void {
  try {
    createPrivateFile(path)
    connection.run('vacuum into ?', [path])
  } catch (error) {
    throw new UserError(`A copy of the database at ${path} cannot be written: ${errorMessageOf(error)}.`)
  }
}

/** Migrates the file, stores its owner, and syncs it to disk. */
async function prepareFile(path: string, product: Product, owner: DatabaseOwner): Promise<void> {
  {
    using connection = connect(path) // closing the last connection checkpoints the WAL
    connection.exec('pragma synchronous = off') // nobody else sees the file yet, and it is synced as a whole below
    await migrate(connection, product, owner)
    connection.run('update tenant set id = ?, state = ?', [owner.id, owner.state])
  }
  syncPath(path)
}

function putInPlace(temporaryPath: string, path: string): void {
  if (exists(path)) throw new Unavailable(`the file ${path} already exists`)
  removeFile(path, temporaryPath) // left over from an interrupted creation, or from this tenant's earlier database
  linkSync(temporaryPath, path) // a rename would overwrite a file that another process has created
  unlinkSync(temporaryPath)
  syncPath(dirname(path))
}

/** The lock is held for a few milliseconds, so a wait of 5 s means that something is stuck. */
const lockWaitMs = 5000
const lockRetryMs = 5

/** Runs `work` while no other process creates or removes tenant files. The operating system releases the lock when the
 *  process exits. */
async function withFilesLock<T>(directory: string, work: () => T): Promise<T> {
  const path = join(directory, 'files.lock')
  createPrivateFile(path)
  const end = performance.now() + lockWaitMs
  for (;;) {
    using lock = lockFile(path)
    if (lock) return work()
    if (performance.now() > end) throw new Unavailable('another process is creating or removing tenant files')
    await wait(lockRetryMs)
  }
}

function removeTemporary(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Removes a tenant's file with its WAL, its WAL index and anything left over from a crash, but keeps the `except`
 *  file. */
function removeFile(path: string, except = ''): void {
  const directory = dirname(path)
  const names = readdirSync(directory).filter((name) => name.startsWith(basename(path)) && name !== basename(except))
  if (names.length === 0) return
  for (const name of names) rmSync(join(directory, name), { recursive: true, force: true })
  syncPath(directory)
}
