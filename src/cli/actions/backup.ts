import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { createPassphrase, type Passphrase } from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'
import { resources } from '../../resources/declarations/all.ts'
import { type BackupResult, backUp } from '../../tenants/backup/back-up.ts'
import { recordBackup } from '../../tenants/backup/record-backup.ts'
import type { CommandArguments, CommandHandler } from '../command.ts'
import { withCatalog } from '../context.ts'
import { printResult, progressBar } from '../output.ts'

/** This command reads the databases directly, so it works whether or not servers are running. */
export const backUpCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const request = {
    directory: options.to as string,
    slugs: values.length > 0 ? values : null,
    sinceLast: options['since-last'] === true,
    keep: readKeep(options.keep),
    passphrase: readPassphrase(options, config),
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
  for (const { slug, reason } of result.failed) terminal.stderr(`Not backed up: ${slug}: ${reason}`)
  if (result.failed.length > 0)
    throw new UserError(`Tenants that could not be backed up: ${result.failed.length}. Their earlier backups remain.`)
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

/** Returns the passphrase in the file given with --passphrase-file, or else the one in BACKUP_PASSPHRASE; undefined if
 *  neither is set. There is no option for the passphrase itself, because other users of the machine can read command
 *  lines. Throws UserError. */
export function readPassphrase(options: CommandArguments['options'], config: Config): Passphrase | undefined {
  const path = options['passphrase-file'] as string | undefined
  const text = path === undefined ? config.BACKUP_PASSPHRASE : readLine(path)
  return text === '' ? undefined : createPassphrase(text)
}

function readLine(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new UserError(`The passphrase cannot be read: ${(error as Error).message}.`)
  }
  if (text === '') throw new UserError(`There is no passphrase in ${path}.`)
  return text
}

/** Returns the directory for temporary files, on the same disk as the tenant files. */
export function scratchDirectory(config: Config): string {
  return join(resolve(config.DATA_DIR), 'scratch')
}
