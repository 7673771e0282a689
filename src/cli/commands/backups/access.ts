// What the commands for backups share: the passphrase, and the directory for temporary files.

import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../../config.ts'
import { errorMessageOf } from '../../../lib/errors.ts'
import { createPassphrase, type Passphrase } from '../../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../../lib/user-error.ts'
import type { BackupAccess } from '../../../tenants/backup/access.ts'
import type { Terminal } from '../../command.ts'

export const backupDirectory = { dir: 'directory that contains the backups' } as const

export const readingOptions = {
  'passphrase-file': {
    value: 'FILE',
    help: 'file with the passphrase of an encrypted backup; by default, BACKUP_PASSPHRASE applies',
  },
  'accept-unencrypted': {
    help: 'also use backups that the passphrase does not authenticate: unencrypted ones, and those of version 1.0.0',
  },
} as const

export type AccessOptions = { 'passphrase-file': string | undefined; 'accept-unencrypted': true | undefined }

/** Prints each warning once. Throws UserError. */
export function readAccess(options: AccessOptions, config: Config, { stderr }: Pick<Terminal, 'stderr'>): BackupAccess {
  const printed = new Set<string>()
  const warn = (sentence: string) => {
    if (!printed.has(sentence)) stderr(sentence)
    printed.add(sentence)
  }
  const acceptUnencrypted = options['accept-unencrypted'] === true
  return { passphrase: readPassphrase(options, config, warn), acceptUnencrypted, warn }
}

/** Returns the passphrase in the file given with --passphrase-file, or else the one in BACKUP_PASSPHRASE; undefined if
 *  neither is set. There is no option for the passphrase itself, because other users of the machine can read command
 *  lines. */
function readPassphrase(options: AccessOptions, config: Config, warn: BackupAccess['warn']): Passphrase | undefined {
  const path = options['passphrase-file']
  const text = path === undefined ? config.BACKUP_PASSPHRASE : readLine(path, warn)
  return text === '' ? undefined : createPassphrase(text)
}

function readLine(path: string, warn: BackupAccess['warn']): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
    const { mode } = statSync(path)
    if (process.platform !== 'win32' && (mode & 0o004) !== 0)
      warn(`Other users of this machine can read the passphrase in ${path}. To prevent this: chmod 600 ${path}`)
  } catch (error) {
    throw new UserError(`The passphrase cannot be read: ${errorMessageOf(error)}.`)
  }
  if (text === '') throw new UserError(`There is no passphrase in ${path}.`)
  return text
}

/** Returns the directory for temporary files, on the same disk as the tenant files. */
export function scratchDirectory(config: Config): string {
  return join(resolve(config.DATA_DIR), 'scratch')
}
