// Commands that back up and restore.

import { backUpCommand } from '../actions/backup.ts'
import { listBackupsCommand } from '../actions/list-backups.ts'
import { restoreAllCommand, restoreCatalogCommand, restoreCommand } from '../actions/restore.ts'
import { verifyCommand } from '../actions/verify.ts'
import type { Command, Option } from '../usage.ts'
import { json, jsonArray } from './shared.ts'

const backupDirectory = { dir: 'directory that contains the backups' }
const passphraseFile: Option = {
  value: 'FILE',
  help: 'file with the passphrase of an encrypted backup; by default, BACKUP_PASSPHRASE applies',
}

const acceptUnencrypted: Option = {
  help: 'also use backups that the passphrase does not authenticate: unencrypted ones, and those of version 1.0.0',
}
const older: Option = { value: 'NAME', help: 'an older backup in the directory, by the name of its manifest' }

export const backupCommands: readonly Command[] = [
  {
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
    run: backUpCommand,
  },
  {
    words: 'backup list',
    help: 'Lists the backups in a directory, newest first: time, number of tenants, whether all files are there, and whether it is encrypted.',
    arguments: backupDirectory,
    options: { 'passphrase-file': passphraseFile, 'accept-unencrypted': acceptUnencrypted, json: jsonArray },
    examples: ['backup list /backup', 'backup list /backup --json'],
    run: listBackupsCommand,
  },
  {
    words: 'verify',
    help: 'Verifies that every backup in a directory can be restored: reads all files and checks the databases in them.',
    arguments: backupDirectory,
    options: { 'passphrase-file': passphraseFile, 'accept-unencrypted': acceptUnencrypted, json },
    examples: ['verify /backup', 'verify /backup --passphrase-file passphrase.txt'],
    run: verifyCommand,
  },
  {
    words: 'restore',
    help: 'Restores a whole installation where none exists: all tenants, users and API keys. Put the pepper back before the server starts.',
    arguments: backupDirectory,
    options: {
      all: { isRequired: true, help: 'restore the catalog and every tenant' },
      backup: older,
      'passphrase-file': passphraseFile,
      'accept-unencrypted': acceptUnencrypted,
      json,
    },
    onlyWith: '--all',
    examples: ['restore /backup --all'],
    run: restoreAllCommand,
  },
  {
    words: 'restore',
    help: "Restores only the catalog after its loss: tenants, users and API keys. The tenants' databases stay as they are. The server must be stopped.",
    arguments: backupDirectory,
    options: {
      catalog: { isRequired: true, help: 'restore the catalog' },
      backup: older,
      'passphrase-file': passphraseFile,
      'accept-unencrypted': acceptUnencrypted,
      json,
    },
    onlyWith: '--catalog',
    examples: ['restore /backup --catalog'],
    run: restoreCatalogCommand,
  },
  {
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
      backup: older,
      'passphrase-file': passphraseFile,
      'accept-unencrypted': acceptUnencrypted,
      json,
    },
    examples: [
      'restore /backup --tenant acme --as acme-copy',
      'restore /backup --tenant acme --replace --until 2026-01-31T09:30:00Z',
    ],
    run: restoreCommand,
  },
]
