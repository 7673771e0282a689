// Commands that restore backups.

import { findPepperMistake } from '../../../catalog/pepper/pepper.ts'
import { resources } from '../../../domain/declarations/all.ts'
import { programName } from '../../../lib/program-name.ts'
import { UserError } from '../../../lib/user-error.ts'
import { type Restored, restoreTenant } from '../../../tenants/backup/restore/restore.ts'
import { type RestoredInstallation, restoreAll } from '../../../tenants/backup/restore/restore-all.ts'
import { type RestoredCatalog, restoreCatalog } from '../../../tenants/backup/restore/restore-catalog.ts'
import { readUntil } from '../../../tenants/backup/restore/undo-until.ts'
import { type Command, type CommandContext, command, json } from '../../command.ts'
import { cliActor, withCatalog } from '../../context.ts'
import { createProgressBar } from '../../output.ts'
import { type AccessOptions, backupDirectory, readAccess, readingOptions, scratchDirectory } from './access.ts'

/** Options of all three commands. */
const restoreOptions = {
  backup: { value: 'NAME', help: 'an older backup in the directory, by the name of its manifest' },
  ...readingOptions,
  json,
} as const

export const restoreCommands: readonly Command[] = [
  command({
    words: 'restore',
    help: 'Restores a whole installation where none exists: all tenants, users and API keys. Put the pepper back before the server starts.',
    arguments: backupDirectory,
    options: { all: { isRequired: true, help: 'restore the catalog and every tenant' }, ...restoreOptions },
    onlyWith: '--all',
    examples: ['restore /backup --all'],
    async run(input, context) {
      const { config, terminal } = context
      const request = requestOf(input, context)
      const bar = createProgressBar(terminal, 'restore', 'tenants')
      const { restored, mistake } = await withCatalog(
        config,
        async (catalog, _databases, opened) => {
          const restored = await restoreAll({ ...opened, resources, onProgress: bar.update }, request, cliActor())
          return { restored, mistake: await findPepperMistake(catalog, opened.pepper()) }
        },
        'restore',
      ).finally(bar.end)
      return { result: restored, message: sentencesOfAll(restored, mistake) }
    },
  }),
  command({
    words: 'restore',
    help: "Restores only the catalog after its loss: tenants, users and API keys. The tenants' databases stay as they are. The server must be stopped.",
    arguments: backupDirectory,
    options: { catalog: { isRequired: true, help: 'restore the catalog' }, ...restoreOptions },
    onlyWith: '--catalog',
    examples: ['restore /backup --catalog'],
    async run(input, context) {
      const request = requestOf(input, context)
      const restored = await withCatalog(
        context.config,
        (_catalog, _databases, opened) => restoreCatalog(opened, request, cliActor()),
        'restore',
      )
      return { result: restored, message: sentencesOfCatalog(restored) }
    },
  }),
  command({
    words: 'restore',
    help: 'Restores a tenant from a backup. Other tenants, and the tenant to be replaced, stay available during the restore.',
    arguments: backupDirectory,
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'the tenant in the backup' },
      as: { value: '<new-slug>', help: 'restore it as another tenant, which has no API keys or users yet' },
      replace: { help: 'replace the current tenant, which is suspended and kept under another slug' },
      until: { value: 'SEQ|TIME', help: 'undo the changes after this change or time' },
      server: {
        value: '<name>',
        help: 'database server; by default, the one of the current tenant, or the default server if there is no current tenant',
      },
      ...restoreOptions,
    },
    examples: [
      'restore /backup --tenant acme --as acme-copy',
      'restore /backup --tenant acme --replace --until 2026-01-31T09:30:00Z',
    ],
    async run({ tenant: slug, as = null, replace, until, server = null, ...input }, context) {
      const { config, terminal } = context
      if (as !== null && replace) throw new UserError('--as and --replace cannot be used together.')
      const moment = until === undefined ? null : readUntil(until)
      const request = { ...requestOf(input, context), slug, as, replace: replace === true, server, until: moment }
      const onProgress = (step: keyof typeof stepNames) => terminal.progress?.(`${request.slug}  ${stepNames[step]}`)
      const restored = await withCatalog(config, (catalog, databases) =>
        restoreTenant({ catalog, databases, resources, onProgress }, request, cliActor()),
      ).finally(() => terminal.progress?.(''))
      return { result: restored, value: restored.slug, message: sentencesOf(restored) }
    },
  }),
]

const stepNames = {
  reading: 'reading the file',
  checking: 'checking the database',
  undoing: 'undoing later changes',
  copying: 'copying the records',
}

/** Throws UserError. */
function requestOf(
  { dir, backup, ...options }: { dir: string; backup: string | undefined } & AccessOptions,
  { config, terminal }: CommandContext,
) {
  const access = readAccess(options, config, terminal)
  return { directory: dir, backup: backup ?? null, access, scratchDirectory: scratchDirectory(config) }
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

function sentencesOf({ slug, made_at, seq, undone, aside, keys, server }: Restored): string {
  const undoneText = undone > 0 ? `, without the ${undone} changes after change ${seq}` : ''
  const replacedText = aside === null ? '' : ` The tenant it replaced has been suspended and kept as ${aside}.`
  const nextText =
    keys > 0
      ? ` Tenant ${slug} has kept its API keys and users.`
      : ` It has no API key. Next: ${programName} key create ${slug} --scope '*:read' --scope '*:write'`
  return `Restored tenant ${slug} on ${server} from the backup of ${made_at}${undoneText}.${replacedText}${nextText}`
}
