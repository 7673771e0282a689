import { findPepperMistake } from '../../catalog/pepper/pepper.ts'
import { resources } from '../../domain/declarations/all.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { type Restored, restoreTenant } from '../../tenants/backup/restore/restore.ts'
import { type RestoredInstallation, restoreAll } from '../../tenants/backup/restore/restore-all.ts'
import { type RestoredCatalog, restoreCatalog } from '../../tenants/backup/restore/restore-catalog.ts'
import { readUntil } from '../../tenants/backup/restore/undo-until.ts'
import { openDatabases } from '../../tenants/databases/open-databases.ts'
import type { CommandArguments, CommandHandler } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'
import { printResult, progressBar } from '../output.ts'
import { readAccess, scratchDirectory } from './backup-access.ts'

const stepNames = {
  reading: 'reading the file',
  checking: 'checking the database',
  undoing: 'undoing later changes',
  copying: 'copying the records',
}

export const restoreAllCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const request = {
    directory: values[0]!,
    backup: textOf(options, 'backup'),
    access: readAccess(options, config, terminal),
    scratchDirectory: scratchDirectory(config),
  }
  const bar = progressBar(terminal, 'restore', 'tenants')
  const opened = await openDatabases(config, resources, {}, 'restore')
  try {
    const deps = { ...opened, resources, onProgress: bar.update }
    const restored = await restoreAll(deps, request, cliActor())
    printResult(terminal, { json: options.json, result: restored })
    terminal.stderr(sentencesOfAll(restored, await findPepperMistake(opened.catalog, opened.pepper())))
  } finally {
    bar.end()
    await opened.close()
  }
}

/** `pepperMistake`: why the server cannot start with the pepper of this installation, if it cannot. */
function sentencesOfAll(
  { made_at, tenants, users, keys, missing, moved }: RestoredInstallation,
  pepperMistake: string | undefined,
): string {
  return [
    `Restored the installation from the backup of ${made_at}: ${tenants} tenants, ${users} users, ${keys} API keys.`,
    ...sentenceAbout('Tenants without a backup', missing),
    ...sentenceAbout('Tenants that are now on the default database server', moved),
    ...(pepperMistake ? [`The server cannot start yet: ${pepperMistake}`] : []),
    validAgain,
  ].join(' ')
}

const validAgain =
  'Everything that was revoked, deleted or suspended after the backup is valid again: review keys and users before you start the server.'

const maxNames = 5

/** Returns a sentence with the number of tenants and the first names, or nothing if there are none. --json prints all
 *  names. */
function sentenceAbout(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rest = names.length > maxNames ? ', …' : ''
  return [`${title}: ${names.length} (${names.slice(0, maxNames).join(', ')}${rest}).`]
}

export const restoreCatalogCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const request = {
    directory: values[0]!,
    backup: textOf(options, 'backup'),
    access: readAccess(options, config, terminal),
    scratchDirectory: scratchDirectory(config),
  }
  const opened = await openDatabases(config, resources, {}, 'restore')
  try {
    const restored = await restoreCatalog(opened, request, cliActor())
    printResult(terminal, { json: options.json, result: restored })
    terminal.stderr(sentencesOfCatalog(restored))
  } finally {
    await opened.close()
  }
}

function sentencesOfCatalog({ made_at, tenants, users, keys, missing, moved }: RestoredCatalog): string {
  return [
    `Restored the catalog from the backup of ${made_at}: ${tenants} tenants, ${users} users, ${keys} API keys. The tenants' databases are unchanged.`,
    ...sentenceAbout(
      'Tenants without a database',
      missing.map(({ slug, reason }) => `${slug}: ${reason}`),
    ),
    ...sentenceAbout('Tenants that were moved to another server after the backup', moved),
    validAgain,
  ].join(' ')
}

export const restoreCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const as = textOf(options, 'as')
  if (as !== null && options.replace) throw new UserError('--as and --replace cannot be used together.')
  const until = textOf(options, 'until')
  const request = {
    directory: values[0]!,
    slug: options.tenant as string,
    as,
    replace: options.replace === true,
    backup: textOf(options, 'backup'),
    server: textOf(options, 'server'),
    until: until === null ? null : readUntil(until),
    access: readAccess(options, config, terminal),
    scratchDirectory: scratchDirectory(config),
  }
  const onProgress = (step: keyof typeof stepNames) => terminal.progress?.(`${request.slug}  ${stepNames[step]}`)
  const restored = await withCatalog(config, (catalog, databases) =>
    restoreTenant({ catalog, databases, resources, onProgress }, request, cliActor()),
  ).finally(() => terminal.progress?.(''))
  printResult(terminal, { json: options.json, result: restored, value: restored.slug })
  terminal.stderr(sentencesOf(restored))
}

function textOf(options: CommandArguments['options'], name: string): string | null {
  return (options[name] as string | undefined) ?? null
}

function sentencesOf({ slug, made_at, seq, undone, aside, keys, server }: Restored): string {
  const undoneText = undone > 0 ? `, without the ${undone} changes after change ${seq}` : ''
  const replacedText = aside === null ? '' : ` The tenant it replaced has been suspended and kept as ${aside}.`
  const nextText =
    keys > 0
      ? ` Tenant ${slug} has kept its API keys and users.`
      : ` It has no API key. Next: ${programName} key create ${slug} --scope '*:read' --scope '*:write'`
  return `Restored tenant ${slug} on ${server} from the backup of ${made_at}${undoneText}.${replacedText}${nextText}`
}
