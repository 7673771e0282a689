// What a run may read in a backup directory, and why it does not use a file there.

import type { Passphrase } from '../../lib/files/passphrase-encryption.ts'

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

/** The reason if a file was encrypted with another passphrase than the one given. */
export const otherPassphrase = 'this is not the passphrase of this backup'

/** The reason if a file is encrypted and no passphrase was given. */
export const needsPassphrase =
  'it is encrypted: give its passphrase with --passphrase-file FILE, or set BACKUP_PASSPHRASE'

/** Whether an error is about a single backup, so that other backups may still be usable. */
export function isAboutBackup(error: unknown): error is DamagedBackup | RefusedBackup {
  return error instanceof DamagedBackup || error instanceof RefusedBackup
}
