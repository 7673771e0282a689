// The catalog in a file of its own, beside the tenants' files.

import { dirname, join } from 'node:path'
import type { Database } from '../database.ts'
import { type Connection, connect } from '../storage/sqlite/connection.ts'
import { makeDirectory, makePrivate } from '../storage/sqlite/files.ts'
import { builtIn, type Catalog, catalogSteps, type keepsKeys, oncePerTurn, requireKnown } from './catalog.ts'

/** Opens the catalog of a data directory, which is made at first use. Throws Unavailable. */
export async function openSqliteCatalog(directory: string): Promise<Catalog> {
  const path = join(directory, 'catalog.sqlite')
  makeDirectory(dirname(path))
  makePrivate(path)
  const connection = connect(path)
  await migrate(connection)
  let turn: Promise<unknown> = Promise.resolve()

  function alone<T>(work: (database: Database) => Promise<T>, effect: typeof keepsKeys | undefined): Promise<T> {
    return connection.transaction(async () => {
      if (!effect?.keepsKeys) connection.run('update catalog_version set changes = changes + 1')
      return work(connection)
    })
  }

  return {
    home: builtIn.files,
    database: connection,
    transaction: (work, effect) => {
      const result = turn.then(() => alone(work, effect))
      turn = result.catch(() => {})
      return result
    },
    version: oncePerTurn(() => connection.get('select changes from catalog_version')!.changes as number),
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
