// Commands that create and examine backups.

import { resources } from '../../../domain/declarations/all.ts'
import { UserError } from '../../../lib/user-error.ts'
import { type BackupResult, backUp, recordBackup } from '../../../tenants/backup/back-up.ts'
import { type ListedBackup, listBackups } from '../../../tenants/backup/list-backups.ts'
import { type UnverifiedFile, verifyBackups } from '../../../tenants/backup/verify.ts'
import { type Command, command, json, jsonArray } from '../../command.ts'
import { withCatalog } from '../../context.ts'
import { createProgressBar, printList, printResult, type TableColumns } from '../../output.ts'
import { backupDirectory, readAccess, readingOptions, scratchDirectory } from './access.ts'

export const backupCommands: readonly Command[] = [
  /** This command reads the databases directly, so it works whether or not servers are running. */
  command({
    words: 'backup',
    help: 'Creates a verified backup of all tenants, or only of the given ones, while they are in use.',
    arguments: {
      slug: { help: 'short name of a tenant; without one, all are included', isOptional: true, isRepeatable: true },
    },
    options: {
      to: {
        value: 'DIR',
        isRequired: true,
        help: 'directory for the backups, created if necessary; earlier backups are kept',
      },
      'since-last': { help: 'skip tenants that have not changed since their last backup in this directory' },
      keep: { value: 'N', help: 'remove all but the newest N backups in this directory' },
      'passphrase-file': {
        value: 'FILE',
        help: 'encrypt with the passphrase in this file; by default, with BACKUP_PASSPHRASE',
      },
      'accept-unencrypted': { help: 'add an unencrypted backup to a directory with encrypted ones' },
      json,
    },
    examples: ['backup --to /backup', 'backup acme --to /backup', 'backup --to /backup --since-last --keep 14'],
    async run({ slug: slugs, to, 'since-last': sinceLast, keep, json, ...access }, { config, terminal }) {
      const request = {
        directory: to,
        slugs: slugs.length > 0 ? slugs : null,
        sinceLast: sinceLast === true,
        keep: readKeep(keep),
        access: readAccess(access, config, terminal),
        scratchDirectory: scratchDirectory(config),
      }
      const bar = createProgressBar(terminal, 'backup', 'tenants')
      const result = await withCatalog(config, async (catalog, databases) => {
        const backup = await backUp(
          { catalog, databases, resources, now: () => new Date(), onProgress: bar.update },
          request,
        )
        await recordBackup(catalog, backup, new Date())
        return backup
      }).finally(bar.end)
      printResult(terminal, { json, result, value: result.path })
      terminal.stderr(summaryOf(result))
      for (const { slug, file, reason } of result.lost)
        terminal.stderr(`The last backup of ${slug ?? 'the catalog'} was lost, ${file}: ${reason}.`)
      for (const { slug, reason } of result.failed) terminal.stderr(`Not backed up: ${slug}: ${reason}`)
      if (result.failed.length > 0)
        throw new UserError(
          `Tenants that could not be backed up: ${result.failed.length}. Their earlier backups, if any, remain.`,
        )
    },
  }),
  /** Does not require an installation. */
  command({
    words: 'backup list',
    help: 'Lists the backups in a directory, newest first: time, number of tenants, whether all files are there, and whether it is encrypted.',
    arguments: backupDirectory,
    options: { ...readingOptions, json: jsonArray },
    examples: ['backup list /backup', 'backup list /backup --json'],
    async run({ dir, json, ...access }, { config, terminal }) {
      const rows = await listBackups(dir, readAccess(access, config, terminal))
      printList(terminal, { json, rows, columns })
    },
  }),
  /** Does not require an installation, so a backup can be verified on any machine. */
  command({
    words: 'verify',
    help: 'Verifies that every backup in a directory can be restored: reads all files and checks the databases in them.',
    arguments: backupDirectory,
    options: { ...readingOptions, json },
    examples: ['verify /backup', 'verify /backup --passphrase-file passphrase.txt'],
    async run({ dir, json, ...access }, { config, terminal }) {
      const bar = createProgressBar(terminal, 'verify', 'files')
      const result = await verifyBackups(dir, readAccess(access, config, terminal), bar.update).finally(bar.end)
      printResult(terminal, { json, result })
      const problems = [
        ...describe(`Damaged files in ${dir}`, result.damaged),
        ...describe(`Files in ${dir} that were not verified`, result.refused),
      ]
      if (problems.length > 0) throw new UserError(problems.join(' '))
      terminal.stderr(`Backups in ${dir}: ${result.backups}, all complete; files verified: ${result.files}.`)
    },
  }),
]

function summaryOf({ copied, unchanged, removed }: BackupResult): string {
  const unchangedText = unchanged.length > 0 ? `, ${unchanged.length} unchanged` : ''
  const removedText = removed > 0 ? `; older backups removed: ${removed}` : ''
  return `Tenants backed up and verified: ${copied.length}${unchangedText}${removedText}.`
}

function readKeep(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UserError(`--keep must be a number of backups of at least 1, not ${JSON.stringify(text)}.`)
}

const yesOrNo = (value: boolean | null) => (value === null ? 'unknown' : value ? 'yes' : 'no')

const columns: TableColumns<ListedBackup> = {
  NAME: ({ name }) => name,
  TIME: ({ time }) => time,
  TENANTS: ({ tenants }) => tenants ?? 'unknown',
  COMPLETE: ({ complete }) => yesOrNo(complete),
  ENCRYPTED: ({ encrypted }) => yesOrNo(encrypted),
  PROBLEM: ({ problem }) => problem,
}

function describe(title: string, [first, ...others]: readonly UnverifiedFile[]): string[] {
  return first ? [`${title}: ${others.length + 1}, such as ${first.file}: ${first.reason}.`] : []
}
