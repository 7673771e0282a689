// Tenant files on disk: where they are, how one is made so that it is there whole or not at all, how one is removed.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Resources } from '../../resources/resource.ts'
import type { Databases, Place } from '../storage.ts'
import { connect } from './connection.ts'
import { migrate } from './migrate.ts'

/** The file of a tenant, in one of a few hundred directories so that none grows long. Built from the id of its row. */
export function tenantFile(directory: string, id: string): string {
  if (!/^[a-z0-9]{20}$/.test(id)) throw new Error('not the id of a tenant')
  return join(directory, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

export function sqliteDatabases(directory: string, resources: Resources): Databases {
  return {
    async create(tenant: Place) {
      const path = tenantFile(directory, tenant.id)
      makeDirectory(dirname(path))
      const unfinished = `${path}.new`
      removeFile(unfinished)
      makePrivate(unfinished)
      const connection = connect(unfinished)
      migrate(connection, resources, tenant.id)
      connection.close() // the last connection: moves the log into the file
      syncPath(unfinished)
      renameSync(unfinished, path)
      syncPath(dirname(path))
    },
    async remove(tenant: Place) {
      const path = tenantFile(directory, tenant.id)
      removeFile(`${path}.new`)
      removeFile(path)
      if (existsSync(dirname(path))) syncPath(dirname(path))
    },
  }
}

/** Makes a directory and those above it, for the owner alone, and waits until they are on the disk. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { recursive: true, mode: 0o700 })
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

function removeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
