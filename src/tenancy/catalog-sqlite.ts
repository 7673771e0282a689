// The catalog in a file of its own, beside the tenants' files.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from '../database.ts'
import { type Connection, connect } from '../storage/sqlite/connection.ts'
import { makeDirectory, makePrivate } from '../storage/sqlite/files.ts'
import { builtIn, type Catalog, catalogSteps, oncePerTurn, requireKnown } from './catalog.ts'

/** Opens the catalog of a data directory, which is made at first use. Throws Unavailable. */
export async function openSqliteCatalog(directory: string): Promise<Catalog> {
  const path = join(directory, 'catalog.sqlite')
  if (!existsSync(path)) {
    makeDirectory(dirname(path))
    makePrivate(path)
  }
  const connection = connect(path)
  await migrate(connection)
  let ownChanges = 0
  let turn: Promise<unknown> = Promise.resolve()

  async function alone<T>(work: (database: Database) => Promise<T>): Promise<T> {
    try {
      return await connection.transaction(() => work(connection))
    } finally {
      ownChanges++
    }
  }

  return {
    home: builtIn.files,
    database: connection,
    transaction: (work) => {
      const result = turn.then(() => alone(work))
      turn = result.catch(() => {})
      return result
    },
    // data_version counts the commits of other connections only; both numbers just grow
    version: oncePerTurn(() => (connection.get('pragma data_version')!.data_version as number) + ownChanges),
    close: async () => connection.close(),
  }
}

async function migrate(connection: Connection): Promise<void> {
  const version = () => connection.get('pragma user_version')!.user_version as number
  const steps = catalogSteps(builtIn.files)
  if (version() === steps.length) return
  requireKnown(version())
  await connection.transaction(async () => {
    for (const statement of steps.slice(version()).flat()) connection.exec(statement)
    connection.exec(`pragma user_version = ${steps.length}`)
  })
}
