// The table of commands, from which the usage text and the dispatch are derived.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
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
import type { Application, CommandArguments, CommandHandler, Terminal } from './command.ts'
import { addServerCommand, listServersCommand, removeServerCommand, setServerCommand } from './servers.ts'
import {
  activateTenantCommand,
  createTenantCommand,
  deleteTenantCommand,
  listTenantsCommand,
  moveTenantCommand,
  suspendTenantCommand,
} from './tenants.ts'
import { createUserCommand, deleteUserCommand, listUsersCommand, resetUserCommand } from './users.ts'

/** `onlyWith`: the option that distinguishes two commands with the same words. `serve` has no `run`: the caller passes it. */
type Command = {
  words: string
  usage: string
  options: ParseArgsOptionsConfig
  onlyWith?: string
  run?: CommandHandler
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

const commands: Command[] = [
  { words: 'serve', usage: '', options: {} },
  {
    words: 'tenant create',
    usage: '<slug> [--name TEXT] [--trial-ends YYYY-MM-DD] [--server <name>]',
    options: { name: text, 'trial-ends': text, server: text },
    run: createTenantCommand,
  },
  { words: 'tenant list', usage: '[--json]', options: { json: flag }, run: listTenantsCommand },
  { words: 'tenant suspend', usage: '<slug> [--reason TEXT]', options: { reason: text }, run: suspendTenantCommand },
  { words: 'tenant activate', usage: '<slug>', options: {}, run: activateTenantCommand },
  { words: 'tenant move', usage: '<slug> --to <server>', options: { to: text }, run: moveTenantCommand },
  { words: 'tenant delete', usage: '<slug> --yes', options: { yes: flag }, run: deleteTenantCommand },
  {
    words: 'key create',
    usage: '<slug> --scope <scope> [--scope …] [--name TEXT] [--expires YYYY-MM-DD]',
    options: { scope: { ...text, multiple: true }, name: text, expires: text },
    run: createKeyCommand,
  },
  { words: 'key list', usage: '<slug> [--json]', options: { json: flag }, run: listKeysCommand },
  {
    words: 'key revoke',
    usage: '--all --lost-pepper',
    options: { all: flag, 'lost-pepper': flag },
    onlyWith: '--lost-pepper',
    run: revokeAllKeysCommand,
  },
  { words: 'key revoke', usage: '<key id>', options: {}, run: revokeKeyCommand },
  { words: 'key delete', usage: '<key id>', options: {}, run: deleteKeyCommand },
  {
    words: 'user create',
    usage: '<email> --role administrator|manager [--tenant <slug>]',
    options: { role: text, tenant: text },
    run: createUserCommand,
  },
  { words: 'user list', usage: '[--json]', options: { json: flag }, run: listUsersCommand },
  {
    words: 'user reset',
    usage: '<email> [--second-factor]',
    options: { 'second-factor': flag },
    run: resetUserCommand,
  },
  { words: 'user delete', usage: '<email>', options: {}, run: deleteUserCommand },
  { words: 'server add', usage: '<name> <url|-> [--offline]', options: { offline: flag }, run: addServerCommand },
  { words: 'server set', usage: '<name> <url|-> [--offline]', options: { offline: flag }, run: setServerCommand },
  { words: 'server list', usage: '[--json]', options: { json: flag }, run: listServersCommand },
  { words: 'server remove', usage: '<name>', options: {}, run: removeServerCommand },
]

export function usage(): string {
  return ['Usage:', ...commands.map((command) => `  tenantdesk ${command.words} ${command.usage}`.trimEnd())].join('\n')
}

/** Runs a command line. Returns the exit code: 0 success, 1 failure, 2 wrong usage (contract §3). */
export async function runCommand(
  line: string[],
  terminal: Terminal,
  application: Application,
  environment?: Record<string, string | undefined>,
): Promise<0 | 1 | 2> {
  if (['--help', '-h', 'help'].includes(line[0] ?? '')) {
    terminal.stdout(usage())
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
  if (error instanceof Unavailable) return `The data (DATA_DIR, DATABASE_URL) cannot be used: ${error.message}.`
  if (error instanceof Error && 'syscall' in error) return `DATA_DIR cannot be used: ${error.message}.`
  throw error
}

/** The command and its arguments, or a usage error as text. */
function parseCommand(line: string[]): (CommandArguments & { command: Command }) | string {
  const command = commands.find(
    ({ words, onlyWith }) =>
      words.split(' ').every((word, at) => line[at] === word) && (!onlyWith || line.includes(onlyWith)),
  )
  if (!command)
    return line.length === 0 ? 'No command was given.' : `There is no command ${line.slice(0, 2).join(' ')}.`
  try {
    const { values, positionals } = parseArgs({
      args: line.slice(command.words.split(' ').length),
      options: command.options,
      allowPositionals: true,
    })
    const expected = [.../^(?:<[^>]+> ?)*/.exec(command.usage)![0].matchAll(/<[^>]+>/g)]
    const missing = expected[positionals.length]
    if (missing) return `tenantdesk ${command.words} needs a ${missing}.`
    if (positionals.length > expected.length) return `There is no place for ${JSON.stringify(positionals.at(-1))}.`
    const required = (['scope', 'to', 'role', 'all'] as const).find((name) => command.options[name] && !values[name])
    if (required) return `tenantdesk ${command.words} needs --${required}.`
    return { command, values: positionals, options: values as CommandArguments['options'] }
  } catch (error) {
    return (error as Error).message
  }
}
