// The catalog: who may use the service. Tenants and their keys; never a tenant's records.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from '../database.ts'
import { type Connection, connect } from '../storage/sqlite/connection.ts'
import { makeDirectory, makePrivate } from '../storage/sqlite/files.ts'

export type Catalog = {
  database: Database
  /** Runs work in one transaction, alone: it is there whole or not at all. */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** A number that differs once anyone, in this process or another, has changed the catalog. Looked up once for all who
   *  ask in a turn of the event loop, after they have asked: it covers what was committed before the question. */
  version(): Promise<number>
  close(): void
}

/** One step per schema version, in order; steps are added, never edited. */
const steps = [
  `create table tenants (
    id text primary key, slug text not null, name text not null, state text not null,
    trial_ends text, created_at text not null
  ) strict;
  create unique index tenants_slug on tenants (slug) where state not in ('creating', 'deleting');
  create table api_keys (
    id text primary key, tenant_id text not null references tenants (id), name text not null, display text not null,
    hash text not null, pepper integer not null, scopes text not null, created_at text not null,
    expires_at text, revoked_at text
  ) strict;
  create index api_keys_tenant on api_keys (tenant_id);`,
]

/** Opens the catalog of a data directory, which is made at first use. Throws Unavailable. */
export function openCatalog(directory: string): Catalog {
  const path = join(directory, 'catalog.sqlite')
  if (!existsSync(path)) {
    makeDirectory(dirname(path))
    makePrivate(path)
  }
  const connection = connect(path)
  migrate(connection)
  let ownChanges = 0
  let turn: Promise<unknown> = Promise.resolve()
  let asked: Promise<number> | undefined

  /** data_version counts the commits of other connections only; both numbers just grow. */
  function tell(resolve: (version: number) => void, reject: (error: unknown) => void): void {
    asked = undefined
    try {
      resolve((connection.get('pragma data_version')!.data_version as number) + ownChanges)
    } catch (error) {
      reject(error)
    }
  }

  async function alone<T>(work: (database: Database) => Promise<T>): Promise<T> {
    connection.exec('begin immediate')
    try {
      const result = await work(connection)
      connection.exec('commit')
      return result
    } catch (error) {
      connection.exec('rollback')
      throw error
    } finally {
      ownChanges++
    }
  }

  return {
    database: connection,
    transaction: (work) => {
      const result = turn.then(() => alone(work))
      turn = result.catch(() => {})
      return result
    },
    version: () => {
      asked ??= new Promise((resolve, reject) => setImmediate(tell, resolve, reject))
      return asked
    },
    close: () => connection.close(),
  }
}

function migrate(connection: Connection): void {
  const version = () => connection.get('pragma user_version')!.user_version as number
  if (version() === steps.length) return
  if (version() > steps.length) throw new Error('The catalog was made by a newer version of Tenantdesk.')
  connection.exec('begin immediate')
  try {
    for (const step of steps.slice(version())) connection.exec(step)
    connection.exec(`pragma user_version = ${steps.length}`)
    connection.exec('commit')
  } catch (error) {
    connection.exec('rollback')
    throw error
  }
}
