// What a run may read in a backup directory, and what went wrong: why a file there is not used, and why nothing more
// can be written.

import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { DamagedEncryption, type Passphrase, WrongPassphrase } from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'

export type BackupAccess = {
  passphrase: Passphrase | undefined
  /** With a passphrase: whether to use files that the passphrase does not authenticate. Without: whether to use a
   *  directory that also contains encrypted backups. */
  acceptUnencrypted: boolean
  /** Receives a sentence about each manifest that is used although it may have been forged. */
  warn: (sentence: string) => void
}

/** A backup file is missing or damaged. The message states the problem. */
export class DamagedBackup extends Error {}

/** A backup file is whole, but must not or cannot be used with this passphrase. The message states the reason. */
export class RefusedBackup extends Error {}

/** The reason if a file is encrypted and no passphrase was given. */
export const needsPassphrase =
  'it is encrypted: give its passphrase with --passphrase-file FILE, or set BACKUP_PASSPHRASE'

/** Whether an error is about a single backup, so that other backups may still be usable. */
export function isAboutBackup(error: unknown): error is DamagedBackup | RefusedBackup {
  return error instanceof DamagedBackup || error instanceof RefusedBackup
}

/** Converts an error of reading a file of a backup: what its passphrase or its content causes is about that backup. */
export function asBackupError(error: unknown): unknown {
  if (error instanceof WrongPassphrase) return new RefusedBackup('this is not the passphrase of this backup')
  const isDamage = error instanceof DamagedEncryption || errorCodeOf(error)?.startsWith('ZSTD')
  return isDamage ? new DamagedBackup(errorMessageOf(error)) : error
}

const diskFailures = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO']

/** Whether the error means that nothing more can be written, so the backup must stop instead of trying the next
 *  tenant. */
export function isDiskFailure(error: unknown): boolean {
  const [code, message] = [errorCodeOf(error), errorMessageOf(error)]
  return (code !== undefined && diskFailures.includes(code)) || message.includes('disk is full')
}

/** Returns a function that turns a failure to write into a UserError, and rethrows other errors. */
export function explainFailure(directory: string) {
  return (error: unknown): never => {
    if (!isDiskFailure(error) && !(error instanceof Error && 'syscall' in error)) throw error
    const reason = errorMessageOf(error).replace(/\.$/, '')
    throw new UserError(`The backup to ${directory} failed: ${reason}. Earlier backups are unchanged.`)
  }
}
