// The table of commands.

import { resources } from '../resources/declarations/all.ts'
import {
  createKeyCommand,
  deleteKeyCommand,
  listKeysCommand,
  revokeAllKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
} from './api-keys.ts'
import { backUpCommand } from './backup.ts'
import { copyCatalogCommand } from './catalog.ts'
import { completionScript, shells } from './completion/completion.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { erasePersonCommand, eraseTenantCommand } from './erase.ts'
import { exportTenantCommand } from './export.ts'
import { importCommand } from './import.ts'
import { moveAllTenantsCommand } from './move-all.ts'
import { restoreAllCommand, restoreCommand } from './restore.ts'
import { addServerCommand, listServersCommand, removeServerCommand, setServerCommand } from './servers.ts'
import { tenantStatsCommand } from './tenant-stats.ts'
import {
  activateTenantCommand,
  compactTenantCommand,
  createTenantCommand,
  deleteTenantCommand,
  listTenantsCommand,
  moveTenantCommand,
  setTenantCommand,
  suspendTenantCommand,
} from './tenants.ts'
import type { Command, Option } from './usage.ts'
import { createUserCommand, deleteUserCommand, listUsersCommand, resetUserCommand, setUserCommand } from './users.ts'
import { verifyCommand } from './verify.ts'

const slug = { slug: 'short name of the tenant' }
const keyId = { 'key id': 'id of the API key, as `tenantdesk key list` shows it' }
const email = { email: 'email address of the user' }
const serverName = { name: 'name of the database server' }
const serverUrl = { 'url|-': 'postgres://user@host/database, or - to read it from standard input' }

const backupDirectory = { dir: 'directory of the backups' }
const passphraseFile: Option = {
  value: 'FILE',
  help: 'file with the passphrase of an encrypted backup; without it, BACKUP_PASSPHRASE applies',
}

const resourceNames = resources.map(({ name }) => name)

const jsonArray: Option = { help: 'print a JSON array' }
const json: Option = { help: 'print the result as a JSON object', isOmittedFromUsage: true }
const offline: Option = { help: 'do not connect to the server to check the URL' }

/** In the order in which the usage lists them. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    help: 'Starts the server. Settings are environment variables, or lines of a file .env in DATA_DIR or the working directory.',
    examples: ['serve'],
  },
  {
    words: 'config',
    help: 'Prints every setting with its value and where that comes from. Secrets are masked.',
    options: { json: jsonArray },
    examples: ['config', 'config --json'],
    run: configCommand,
  },
  {
    words: 'tenant create',
    help: 'Creates a tenant with an empty database.',
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'last day of a trial (UTC); without it, the tenant has no end' },
      server: { value: '<name>', help: 'database server of the tenant' },
      json,
    },
    examples: ["tenant create acme --name 'Acme Corp'", 'tenant create globex --trial-ends 2027-01-31'],
    run: createTenantCommand,
  },
  {
    words: 'tenant list',
    help: 'Lists all tenants.',
    options: { json: jsonArray },
    examples: ['tenant list', 'tenant list --json'],
    run: listTenantsCommand,
  },
  {
    words: 'tenant suspend',
    help: 'Rejects all requests of a tenant until it is activated.',
    arguments: slug,
    options: { reason: { value: 'TEXT', help: 'for administrators; the tenant does not see it' }, json },
    examples: ["tenant suspend acme --reason 'Invoice 7 is open'"],
    run: suspendTenantCommand,
  },
  {
    words: 'tenant activate',
    help: 'Ends the suspension or the trial of a tenant.',
    arguments: slug,
    options: { json },
    examples: ['tenant activate acme'],
    run: activateTenantCommand,
  },
  {
    words: 'tenant move',
    help: 'Moves all tenants to a database server, a few at a time. If it is interrupted, repeat the command.',
    options: {
      all: { isRequired: true, help: 'every tenant that is not on the server yet' },
      to: { value: '<server>', isRequired: true, help: 'name of the database server' },
      from: { value: '<server>', help: 'only tenants on this server' },
      'at-once': { value: 'N', help: 'how many tenants are moved at the same time; 2 unless given' },
      json: { help: 'print an array with the outcome of each tenant' },
    },
    onlyWith: '--all',
    examples: ['tenant move --all --to main', 'tenant move --all --from sqlite --to main --at-once 4'],
    run: moveAllTenantsCommand,
  },
  {
    words: 'tenant move',
    help: 'Moves a tenant to another database server. It stays available, except for a moment at the end.',
    arguments: slug,
    options: { to: { value: '<server>', isRequired: true, help: 'name of the database server' }, json },
    examples: ['tenant move acme --to big'],
    run: moveTenantCommand,
  },
  {
    words: 'tenant delete',
    help: 'Deletes a tenant with all its records and API keys, and the users who have no other tenant.',
    arguments: slug,
    options: { yes: { isShownAsRequired: true, help: 'confirms the deletion' }, json },
    examples: ['tenant delete acme --yes'],
    run: deleteTenantCommand,
  },
  {
    words: 'tenant set',
    help: 'Changes the name of a tenant, the end of its trial, or how long its history is kept.',
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'last day of the trial (UTC), of a tenant that is on trial' },
      'history-days': {
        value: 'N|default',
        help: 'days that its history is kept; 0 = for ever; default: HISTORY_RETENTION_DAYS',
      },
      json,
    },
    examples: [
      'tenant set acme --history-days 730',
      'tenant set acme --history-days default',
      'tenant set globex --name Globex --trial-ends 2027-03-31',
    ],
    run: setTenantCommand,
  },
  {
    words: 'tenant stats',
    help: 'Shows how many rows a tenant has, how much space it takes, and how fast its history grows; without a slug, all tenants.',
    arguments: { slug: { help: 'short name of the tenant', isOptional: true } },
    options: { json: jsonArray },
    examples: ['tenant stats', 'tenant stats acme --json'],
    run: tenantStatsCommand,
  },
  {
    words: 'tenant compact',
    help: 'Returns unused space of a tenant to the disk, and removes what deleted values have left there. The tenant can be read meanwhile; its writes wait. On PostgreSQL, autovacuum does this.',
    arguments: slug,
    options: { json },
    examples: ['tenant compact acme'],
    run: compactTenantCommand,
  },
  {
    words: 'export',
    help: 'Writes all records and the history of a tenant to a zip file, as NDJSON and CSV, with SQLite also its database.',
    arguments: slug,
    options: {
      to: { value: 'FILE.zip', isRequired: true, help: 'an existing file is replaced when the export is complete' },
      json: { help: 'print the manifest: each file with its rows, bytes and SHA-256' },
    },
    examples: ['export acme --to acme.zip'],
    run: exportTenantCommand,
  },
  {
    words: 'erase',
    help: 'Deletes a tenant like `tenant delete`, and everything else about it: its entries in the security log, too. One entry remains, without personal data: how much was erased, when, and by whom.',
    arguments: slug,
    options: {
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print what was erased as JSON' },
    },
    examples: ['erase acme --yes', 'erase acme --yes --json'],
    run: eraseTenantCommand,
  },
  {
    words: 'erase-person',
    help: 'Removes the personal data of an employee from the record, the history, stored responses and imported files. A marker takes its place; assignments stay. The security log keeps that it was done.',
    arguments: { 'employee id': 'id of the employee, also of a deleted one' },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'tenant of the employee' },
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print how much was erased as JSON' },
    },
    examples: ['erase-person 7 --tenant acme --yes'],
    run: erasePersonCommand,
  },
  {
    words: 'backup',
    help: 'Makes a verified backup of all tenants, or of these, while they are in use.',
    arguments: {
      slug: { help: 'short name of a tenant; without one, all are included', isOptional: true, isRepeatable: true },
    },
    options: {
      to: { value: 'DIR', isRequired: true, help: 'directory of the backups; it is created, and earlier ones stay' },
      'since-last': { help: 'do not copy tenants again that are unchanged since their last backup in this directory' },
      keep: { value: 'N', help: 'remove all but the newest N backups of this directory' },
      'passphrase-file': {
        value: 'FILE',
        help: 'encrypt with the passphrase in this file; without it, with BACKUP_PASSPHRASE',
      },
      json,
    },
    examples: ['backup --to /backup', 'backup acme --to /backup', 'backup --to /backup --since-last --keep 14'],
    run: backUpCommand,
  },
  {
    words: 'verify',
    help: 'Proves that every backup of a directory can be restored: reads all files back and checks the databases in them.',
    arguments: backupDirectory,
    options: { 'passphrase-file': passphraseFile, json },
    examples: ['verify /backup', 'verify /backup --passphrase-file passphrase.txt'],
    run: verifyCommand,
  },
  {
    words: 'restore',
    help: 'Restores a whole installation where there is none: all tenants, users and API keys. Put the pepper back before the server starts.',
    arguments: backupDirectory,
    options: {
      all: { isRequired: true, help: 'restore the catalog and every tenant' },
      backup: { value: 'NAME', help: 'an older backup of the directory, by the name of its manifest' },
      'passphrase-file': passphraseFile,
      json,
    },
    onlyWith: '--all',
    examples: ['restore /backup --all'],
    run: restoreAllCommand,
  },
  {
    words: 'restore',
    help: 'Restores a tenant from a backup. Other tenants, and a tenant that it replaces, are served meanwhile.',
    arguments: backupDirectory,
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'the tenant in the backup' },
      as: { value: '<new-slug>', help: 'restore it as another tenant, which has no API keys and users yet' },
      replace: { help: 'take the place of the present tenant, which is suspended and kept under another slug' },
      until: { value: 'SEQ|TIME', help: 'undo what came after this change, or after this time' },
      server: { value: '<name>', help: 'database server; without it, that of the present tenant, or the default' },
      backup: { value: 'NAME', help: 'an older backup of the directory, by the name of its manifest' },
      'passphrase-file': passphraseFile,
      json,
    },
    examples: [
      'restore /backup --tenant acme --as acme-copy',
      'restore /backup --tenant acme --replace --until 2026-01-31T09:30:00Z',
    ],
    run: restoreCommand,
  },
  {
    words: 'key create',
    help: 'Creates an API key and prints it. It cannot be shown again.',
    arguments: slug,
    options: {
      scope: {
        value: '<scope>',
        isRequired: true,
        isRepeatable: true,
        help: 'what the key permits, such as customers:read or *:write',
      },
      name: { value: 'TEXT', help: 'display name' },
      expires: { value: 'YYYY-MM-DD', help: 'last day on which the key works (UTC)' },
      'rate-limit': {
        value: 'N',
        help: 'requests per minute; 0 = no limit; without it, the limits of the installation apply',
      },
      json,
    },
    examples: [
      "key create acme --scope '*:read' --scope hardware:write --name 'Power BI'",
      'key create acme --scope customers:read --expires 2027-12-31 --rate-limit 1000',
    ],
    run: createKeyCommand,
  },
  {
    words: 'key list',
    help: 'Lists the API keys of a tenant.',
    arguments: slug,
    options: { json: jsonArray },
    examples: ['key list acme'],
    run: listKeysCommand,
  },
  {
    words: 'key rotate',
    help: 'Creates an API key with the name, scopes, rate limit and expiry of another one, and prints it. The old key stops working after the overlap.',
    arguments: keyId,
    options: {
      overlap: {
        value: '24h',
        help: 'how long the old key works: 0, or a time such as 30m, 24h or 7d; 24h unless given',
      },
      expires: { value: 'YYYY-MM-DD', help: 'last day of the new key (UTC), in place of that of the old one' },
      json,
    },
    examples: ['key rotate Jx81cBv2Qm', 'key rotate Jx81cBv2Qm --overlap 0'],
    run: rotateKeyCommand,
  },
  {
    words: 'key revoke',
    help: 'Revokes every API key and discards all values that the lost pepper has encrypted.',
    options: {
      all: { isRequired: true, help: 'confirms that all keys of all tenants are revoked' },
      'lost-pepper': { isRequired: true, help: 'the pepper cannot be recovered' },
      json,
    },
    onlyWith: '--lost-pepper',
    examples: ['key revoke --all --lost-pepper'],
    run: revokeAllKeysCommand,
  },
  {
    words: 'key revoke',
    help: 'Revokes an API key.',
    arguments: keyId,
    options: { json },
    examples: ['key revoke Jx81cBv2Qm'],
    run: revokeKeyCommand,
  },
  {
    words: 'key delete',
    help: 'Deletes an API key.',
    arguments: keyId,
    options: { json },
    examples: ['key delete Jx81cBv2Qm'],
    run: deleteKeyCommand,
  },
  {
    words: 'user create',
    help: 'Invites a user to the panel and prints the link at which they choose a password.',
    arguments: email,
    options: {
      role: {
        value: 'administrator|manager|viewer',
        isRequired: true,
        help: 'administrator of the whole installation, or manager or viewer of tenants: a viewer changes nothing and sees no API keys',
      },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant of a manager or viewer; repeat it for several' },
      name: { value: 'TEXT', help: 'display name' },
      json,
    },
    examples: [
      'user create ada@example.com --role administrator',
      'user create grace@example.com --role manager --tenant acme',
      "user create alan@example.com --name 'Alan Turing' --role viewer --tenant acme --tenant beta",
    ],
    run: createUserCommand,
  },
  {
    words: 'user set',
    help: 'Changes the name of a user and their roles in tenants.',
    arguments: email,
    options: {
      name: { value: 'TEXT', help: 'display name; an empty one removes it' },
      role: { value: 'manager|viewer', help: 'the role in each --tenant, in place of an earlier one' },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant in which the user gets the role' },
      'remove-tenant': { value: '<slug>', isRepeatable: true, help: 'tenant that the user loses access to' },
      json,
    },
    examples: [
      "user set alan@example.com --name 'Alan Turing'",
      'user set alan@example.com --role manager --tenant acme --remove-tenant beta',
    ],
    run: setUserCommand,
  },
  {
    words: 'user list',
    help: 'Lists all users.',
    options: { json: jsonArray },
    examples: ['user list'],
    run: listUsersCommand,
  },
  {
    words: 'user reset',
    help: 'Ends the sessions of a user and prints a link at which they choose a new password.',
    arguments: email,
    options: { 'second-factor': { help: 'also turn off two-factor authentication' }, json },
    examples: ['user reset ada@example.com', 'user reset ada@example.com --second-factor'],
    run: resetUserCommand,
  },
  {
    words: 'user delete',
    help: 'Deletes a user.',
    arguments: email,
    options: { json },
    examples: ['user delete ada@example.com'],
    run: deleteUserCommand,
  },
  {
    words: 'import',
    help: 'Checks a CSV file, and with --run imports it. The reference of the API describes files and columns.',
    arguments: {
      resource: { help: 'customers, employees or hardware', choices: resourceNames },
      file: 'path of the CSV file',
    },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'tenant whose records are imported' },
      run: { help: 'import the file if all of its rows are valid' },
      'valid-rows': { help: 'with --run: leave invalid rows out' },
      match: { value: 'FIELD', help: 'column that identifies existing records; external_id unless given' },
      map: { value: '"TITLE=FIELD"', isRepeatable: true, help: 'field of a column whose title is not recognized' },
      'map-file': { value: 'FILE', help: 'file with a TITLE=FIELD on each line; # begins a comment' },
      json: { help: 'print the import as JSON' },
    },
    examples: [
      'import employees employees.csv --tenant acme',
      'import employees employees.csv --tenant acme --run --match email',
      "import hardware list.csv --tenant acme --map 'Inventory number=asset_tag'",
    ],
    run: importCommand,
  },
  {
    words: 'catalog copy',
    help: 'Copies keys, users, settings and the security log from SQLite to PostgreSQL, so that other nodes can share them. Tenants stay in DATA_DIR until they are moved. Servers answer 503 from then on, until they are restarted with DATABASE_URL.',
    options: {
      to: {
        value: 'URL',
        isRequired: true,
        help: 'an empty database, or - to read the URL from standard input: other users can see arguments, and it may contain a password',
      },
      cancel: { help: 'remove the copy again, if nothing was changed there' },
      json: { help: 'print the number of rows of each table' },
    },
    examples: ['catalog copy --to - < address.txt', 'catalog copy --to - --cancel < address.txt'],
    run: copyCatalogCommand,
  },
  {
    words: 'server add',
    help: 'Adds a PostgreSQL server for tenants.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server add big - < address.txt'],
    run: addServerCommand,
  },
  {
    words: 'server set',
    help: 'Changes the URL of a database server. No data is moved.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline, json },
    examples: ['server set big - < address.txt'],
    run: setServerCommand,
  },
  {
    words: 'server list',
    help: 'Lists the database servers and their number of tenants.',
    options: { json: jsonArray },
    examples: ['server list'],
    run: listServersCommand,
  },
  {
    words: 'server remove',
    help: 'Removes a database server without tenants. Nothing on it is changed.',
    arguments: serverName,
    options: { json },
    examples: ['server remove big'],
    run: removeServerCommand,
  },
  {
    words: 'doctor',
    help: 'Examines the installation and the server that runs, and says what to do. Changes nothing.',
    options: { json: { help: 'print the findings as a JSON array' } },
    examples: ['doctor', 'doctor --json'],
    run: doctorCommand,
  },
  {
    words: 'completion',
    help: 'Prints a script with which a shell completes commands and options.',
    arguments: { shell: { help: shells.join(', '), choices: shells } },
    examples: [
      'completion bash > /etc/bash_completion.d/tenantdesk',
      'completion zsh > /usr/local/share/zsh/site-functions/_tenantdesk',
      'completion fish > ~/.config/fish/completions/tenantdesk.fish',
    ],
    print: ({ values }) => completionScript(commands, values[0]!),
  },
]
