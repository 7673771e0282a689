// The table of commands.

import { builtInServers } from '../catalog/catalog.ts'
import { readConfig, SettingError } from '../config.ts'
import { Unavailable } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { CopyError } from '../storage/copy.ts'
import { ServerUnavailable } from '../storage/storage-router.ts'
import {
  createKeyCommand,
  deleteKeyCommand,
  listKeysCommand,
  revokeAllKeysCommand,
  revokeKeyCommand,
} from './api-keys.ts'
import type { Application, CommandArguments, Terminal } from './command.ts'
import { exportTenantCommand } from './export.ts'
import { importCommand } from './import.ts'
import { addServerCommand, listServersCommand, removeServerCommand, setServerCommand } from './servers.ts'
import {
  activateTenantCommand,
  createTenantCommand,
  deleteTenantCommand,
  listTenantsCommand,
  moveTenantCommand,
  suspendTenantCommand,
} from './tenants.ts'
import { type Command, helpOf, type Option, parseArguments, usageOf } from './usage.ts'
import { createUserCommand, deleteUserCommand, listUsersCommand, resetUserCommand } from './users.ts'

const slug = { slug: 'short name of the tenant' }
const keyId = { 'key id': 'id of the API key, as `tenantdesk key list` shows it' }
const email = { email: 'email address of the user' }
const serverName = { name: 'name of the database server' }
const serverUrl = { 'url|-': 'postgres://user@host/database, or - to read it from standard input' }

const json: Option = { help: 'print a JSON array' }
const offline: Option = { help: 'do not connect to the server to check the URL' }

const commands: Command[] = [
  { words: 'serve', help: 'Starts the server. Settings are environment variables.' },
  {
    words: 'tenant create',
    help: 'Creates a tenant with an empty database.',
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'last day of a trial (UTC); without it, the tenant has no end' },
      server: { value: '<name>', help: 'database server of the tenant' },
    },
    run: createTenantCommand,
  },
  { words: 'tenant list', help: 'Lists all tenants.', options: { json }, run: listTenantsCommand },
  {
    words: 'tenant suspend',
    help: 'Rejects all requests of a tenant until it is activated.',
    arguments: slug,
    options: { reason: { value: 'TEXT', help: 'for administrators; the tenant does not see it' } },
    run: suspendTenantCommand,
  },
  {
    words: 'tenant activate',
    help: 'Ends the suspension or the trial of a tenant.',
    arguments: slug,
    run: activateTenantCommand,
  },
  {
    words: 'tenant move',
    help: 'Moves a tenant to another database server. It stays available, except for a moment at the end.',
    arguments: slug,
    options: { to: { value: '<server>', isRequired: true, help: 'name of the database server' } },
    run: moveTenantCommand,
  },
  {
    words: 'tenant delete',
    help: 'Deletes a tenant with all its records, API keys and managers.',
    arguments: slug,
    options: { yes: { isShownAsRequired: true, help: 'confirms the deletion' } },
    run: deleteTenantCommand,
  },
  {
    words: 'export',
    help: 'Writes all records and the history of a tenant to a zip file, as NDJSON and CSV, with SQLite also its database.',
    arguments: slug,
    options: {
      to: { value: 'FILE.zip', isRequired: true, help: 'an existing file is replaced when the export is complete' },
      json: { help: 'print the manifest: each file with its rows, bytes and SHA-256' },
    },
    run: exportTenantCommand,
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
    },
    run: createKeyCommand,
  },
  {
    words: 'key list',
    help: 'Lists the API keys of a tenant.',
    arguments: slug,
    options: { json },
    run: listKeysCommand,
  },
  {
    words: 'key revoke',
    help: 'Revokes every API key and discards all values that the lost pepper has encrypted.',
    options: {
      all: { isRequired: true, help: 'confirms that all keys of all tenants are revoked' },
      'lost-pepper': { isRequired: true, help: 'the pepper cannot be recovered' },
    },
    onlyWith: '--lost-pepper',
    run: revokeAllKeysCommand,
  },
  { words: 'key revoke', help: 'Revokes an API key.', arguments: keyId, run: revokeKeyCommand },
  { words: 'key delete', help: 'Deletes an API key.', arguments: keyId, run: deleteKeyCommand },
  {
    words: 'user create',
    help: 'Invites a user to the panel and prints the link at which they choose a password.',
    arguments: email,
    options: {
      role: { value: 'administrator|manager', isRequired: true, help: 'of the whole installation, or of one tenant' },
      tenant: { value: '<slug>', help: 'the tenant of a manager' },
    },
    run: createUserCommand,
  },
  { words: 'user list', help: 'Lists all users.', options: { json }, run: listUsersCommand },
  {
    words: 'user reset',
    help: 'Ends the sessions of a user and prints a link at which they choose a new password.',
    arguments: email,
    options: { 'second-factor': { help: 'also turn off two-factor authentication' } },
    run: resetUserCommand,
  },
  { words: 'user delete', help: 'Deletes a user.', arguments: email, run: deleteUserCommand },
  {
    words: 'import',
    help: 'Checks a CSV file, and with --run imports it. The reference of the API describes files and columns.',
    arguments: { resource: 'customers, employees or hardware', file: 'path of the CSV file' },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: 'tenant whose records are imported' },
      run: { help: 'import the file if all of its rows are valid' },
      'valid-rows': { help: 'with --run: leave invalid rows out' },
      match: { value: 'FIELD', help: 'column that identifies existing records; external_id unless given' },
      map: { value: '"TITLE=FIELD"', isRepeatable: true, help: 'field of a column whose title is not recognized' },
      'map-file': { value: 'FILE', help: 'file with a TITLE=FIELD on each line; # begins a comment' },
      json: { help: 'print the import as JSON' },
    },
    run: importCommand,
  },
  {
    words: 'server add',
    help: 'Adds a PostgreSQL server for tenants.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline },
    run: addServerCommand,
  },
  {
    words: 'server set',
    help: 'Changes the URL of a database server. No data is moved.',
    arguments: { ...serverName, ...serverUrl },
    options: { offline },
    run: setServerCommand,
  },
  {
    words: 'server list',
    help: 'Lists the database servers and their number of tenants.',
    options: { json },
    run: listServersCommand,
  },
  {
    words: 'server remove',
    help: 'Removes a database server without tenants. Nothing on it is changed.',
    arguments: serverName,
    run: removeServerCommand,
  },
]

/** The usage of all commands. */
export function usage(shown: readonly Command[] = commands): string {
  return ['Usage:', ...shown.map((command) => `  tenantdesk ${usageOf(command)}`)].join('\n')
}

/** Runs a command line. Returns the exit code: 0 success, 1 failure, 2 wrong usage (contract §3). */
export async function runCommand(
  line: string[],
  terminal: Terminal,
  application: Application,
  environment?: Record<string, string | undefined>,
): Promise<0 | 1 | 2> {
  const help = findHelp(line)
  if (help !== undefined) {
    terminal.stdout(help)
    return 0
  }
  const parsed = parseCommand(line)
  if (typeof parsed === 'string') {
    terminal.stderr(`${parsed}\n${usage()}`)
    return 2
  }
  try {
    const { run = application.serve } = parsed.command
    await run(parsed, readConfig(environment), terminal, application)
    return 0
  } catch (error) {
    terminal.stderr(errorMessage(error))
    return 1
  }
}

const builtInNames: string[] = Object.values(builtInServers)

/** The message for an expected error. Rethrows everything else as a bug. */
function errorMessage(error: unknown): string {
  if (error instanceof UserError || error instanceof SettingError) return error.message
  if (error instanceof CopyError) return `The tenant was not moved: ${error.message}.`
  if (error instanceof ServerUnavailable && !builtInNames.includes(error.server))
    return `Server ${error.server} cannot be used: ${error.message}.`
  if (error instanceof Unavailable)
    return `The data directory or database (DATA_DIR, DATABASE_URL) cannot be used: ${error.message}.`
  if (error instanceof Error && 'syscall' in error) return `DATA_DIR cannot be used: ${error.message}.`
  throw error
}

/** The help that the line asks for with --help: of one command, of all that begin with these words, or of all. */
function findHelp(line: string[]): string | undefined {
  const at = line[0] === 'help' ? 0 : line.findIndex((word) => word === '--help' || word === '-h')
  if (at === -1) return undefined
  const words = line.slice(0, at).join(' ')
  const named = commands.filter((command) => `${words} `.startsWith(`${command.words} `))
  if (named.length > 0) return named.map(helpOf).join('\n\n')
  const group = commands.filter((command) => command.words.startsWith(`${words} `))
  return `${group.length > 0 ? usage(group) : usage()}\n\nHelp for one command: tenantdesk <command> --help`
}

/** The command and its arguments, or a usage error as text. */
function parseCommand(line: string[]): (CommandArguments & { command: Command }) | string {
  const command = commands.find(
    ({ words, onlyWith }) =>
      words.split(' ').every((word, at) => line[at] === word) && (!onlyWith || line.includes(onlyWith)),
  )
  if (!command) return line.length === 0 ? 'No command given.' : `Unknown command ${line.slice(0, 2).join(' ')}.`
  const parsed = parseArguments(command, line.slice(command.words.split(' ').length))
  return typeof parsed === 'string' ? parsed : { ...parsed, command }
}
