// Copies the catalog to PostgreSQL.

import { resolve } from 'node:path'
import { type CopiedCatalog, cancelCopy, copyCatalog, isCatalogCopied } from '../../catalog/copy/catalog-copy.ts'
import type { Config } from '../../config.ts'
import { Unavailable } from '../../engine/database/database.ts'
import { encodingProblem, utf8Advice } from '../../engine/database/postgres/encoding.ts'
import { inspectServer } from '../../engine/postgres/inspect-server.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireInstallation } from '../../tenants/databases/installation.ts'
import { finishMoves } from '../../tenants/move/move.ts'
import { type Command, command } from '../command.ts'
import { cliActor, openInstallationPepper, withCatalog } from '../context.ts'
import { readUrl } from './servers.ts'

export const catalogCommands: readonly Command[] = [
  command({
    words: 'catalog copy',
    help: 'Copies keys, users, settings and the security log from SQLite to PostgreSQL, so that other nodes can share them. Tenants stay in DATA_DIR until they are moved. From the start of the copy, servers respond with 503 until they are restarted with DATABASE_URL.',
    options: {
      to: {
        value: 'URL',
        isRequired: true,
        help: 'URL of an empty database, or - to read it from standard input: other users can see arguments, and the URL may contain a password',
      },
      cancel: { help: 'remove the copy, unless it has changed' },
      json: { help: 'print the number of rows in each table' },
    },
    examples: ['catalog copy --to - < address.txt', 'catalog copy --to - --cancel < address.txt'],
    async run({ to, cancel }, { config, terminal }) {
      if (config.DATABASE_URL !== '')
        throw new UserError(
          'DATABASE_URL is set, so the catalog is already on PostgreSQL: unset it to copy the catalog in DATA_DIR.',
        )
      const directory = resolve(config.DATA_DIR)
      await requireInstallation(config, 'examine', undefined)
      const url = await readUrl(to, terminal)
      await requireUsable(url)
      if (cancel) {
        const { target } = await cancelCopy(directory, url)
        const message = `The copy in ${target} was removed. Servers use the catalog in ${directory} again.`
        return { result: { target, cancelled: true }, message }
      }
      if (!(await isCatalogCopied(directory))) await prepare(config)
      const copied = await copyCatalog(directory, url, cliActor())
      return { result: copied, message: summaryOf(copied, directory) }
    },
  }),
]

/** Checks the pepper and finishes abandoned moves, before the copy closes the catalog. Throws UserError. */
async function prepare(config: Config): Promise<void> {
  await withCatalog(config, async (catalog, databases) => {
    await openInstallationPepper(catalog, config)
    await finishMoves(catalog, databases)
  })
}

async function requireUsable(url: string): Promise<void> {
  const { host, pathname } = new URL(url)
  const { canCreate, encoding } = await inspectServer(url, []).catch((error: Error) => {
    if (!(error instanceof Unavailable)) throw error
    throw new UserError(`${host}${pathname} cannot be reached: ${error.message}.`)
  })
  if (!canCreate) throw new UserError(`The role in the URL may not create schemas in ${host}${pathname}.`)
  const problem = encodingProblem(encoding)
  if (problem) throw new UserError(`The database ${host}${pathname} ${problem} ${utf8Advice}`)
}

function summaryOf({ target, rows, closedMs }: CopiedCatalog, directory: string): string {
  const { tenants, api_keys: keys, users, audit_events: events } = rows
  return `The catalog was copied to ${target} in ${(closedMs / 1000).toFixed(1)} s (tenants: ${tenants}, API keys: ${keys}, users: ${users}, events: ${events}).
Restart the server with DATABASE_URL and the same DATA_DIR (${directory}); until then, it responds with 503.
Then move the tenants: ${programName} tenant move --all --to main`
}
