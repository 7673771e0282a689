import { resources } from '../../domain/declarations/all.ts'
import { UserError } from '../../lib/user-error.ts'
import { type BackupResult, backUp } from '../../tenants/backup/back-up.ts'
import { recordBackup } from '../../tenants/backup/record-backup.ts'
import type { CommandArguments, CommandHandler } from '../command.ts'
import { withCatalog } from '../context.ts'
import { printResult, progressBar } from '../output.ts'
import { readAccess, scratchDirectory } from './backup-access.ts'

/** This command reads the databases directly, so it works whether or not servers are running. */
export const backUpCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const request = {
    directory: options.to as string,
    slugs: values.length > 0 ? values : null,
    sinceLast: options['since-last'] === true,
    keep: readKeep(options.keep),
    access: readAccess(options, config, terminal),
    scratchDirectory: scratchDirectory(config),
  }
  const bar = progressBar(terminal, 'backup', 'tenants')
  const onProgress = ({ done, total }: { done: number; total: number }) => bar.update(done, total)
  const result = await withCatalog(config, async (catalog, databases) => {
    const backup = await backUp({ catalog, databases, resources, now: () => new Date(), onProgress }, request)
    await recordBackup(catalog, backup, new Date())
    return backup
  }).finally(bar.end)
  printResult(terminal, { json: options.json, result, value: result.path })
  terminal.stderr(summaryOf(result))
  for (const { slug, file, reason } of result.lost)
    terminal.stderr(`The last backup of ${slug ?? 'the catalog'} was lost, ${file}: ${reason}.`)
  for (const { slug, reason } of result.failed) terminal.stderr(`Not backed up: ${slug}: ${reason}`)
  if (result.failed.length > 0)
    throw new UserError(
      `Tenants that could not be backed up: ${result.failed.length}. Their earlier backups, if any, remain.`,
    )
}

function summaryOf({ copied, unchanged, removed }: BackupResult): string {
  const unchangedText = unchanged.length > 0 ? `, ${unchanged.length} unchanged` : ''
  const removedText = removed > 0 ? `; older backups removed: ${removed}` : ''
  return `Tenants backed up and verified: ${copied.length}${unchangedText}${removedText}.`
}

function readKeep(given: CommandArguments['options'][string]): number | null {
  if (given === undefined) return null
  if (/^[1-9]\d{0,5}$/.test(given as string)) return Number(given)
  throw new UserError(`--keep must be a number of backups of at least 1, not ${JSON.stringify(given)}.`)
}
