// Parses a command line and runs its command.

import { builtInServers } from '../catalog/catalog.ts'
import { processEnvironment, SettingError } from '../config.ts'
import { CopyError } from '../domain/schema/copy.ts'
import { Unavailable } from '../engine/database/database.ts'
import { ServerUnavailable } from '../engine/engine.ts'
import { UserError } from '../lib/user-error.ts'
import type { Application, Command, Terminal } from './command.ts'
import { commands } from './commands/all.ts'
import { printResult } from './output.ts'
import { parseLine } from './parse-line.ts'
import { loadSettings } from './setting-sources.ts'
import { usage } from './usage.ts'

/** Returns the exit code: 0 for success, 1 for failure, 2 for wrong usage (contract §3). */
export async function runCommand(
  line: string[],
  terminal: Terminal,
  application: Application,
  environment = processEnvironment,
): Promise<0 | 1 | 2> {
  const parsed = parseLine(commands, line)
  if ('text' in parsed) {
    terminal.stdout(parsed.text)
    return 0
  }
  if ('mistake' in parsed) {
    terminal.stderr(`${parsed.mistake}\n${usage(commandsOf(parsed.meant))}`)
    return 2
  }
  const { command, input } = parsed
  try {
    if (command.print) {
      terminal.stdout(command.print(input).trimEnd())
      return 0
    }
    const settings = loadSettings(environment, process.cwd())
    const output = await command.run?.(input, { config: settings.config, settings, terminal, application })
    if (output) {
      printResult(terminal, { json: input.json, ...output })
      terminal.stderr(output.message)
    }
    return 0
  } catch (error) {
    if (error instanceof SettingError) command.printSettingError?.(input, error, terminal)
    terminal.stderr(errorMessage(error))
    return 1
  }
}

/** Returns the commands whose words begin like the line, for as many of its words as possible. Returns all commands if
 *  not even the first word is known. */
function commandsOf(line: readonly string[]): readonly Command[] {
  const firstOption = line.findIndex((word) => word.startsWith('-'))
  for (let count = firstOption > 0 ? firstOption : line.length; count > 0; count--) {
    const start = line.slice(0, count).join(' ')
    const matches = commands.filter((command) => `${command.words} `.startsWith(`${start} `))
    if (matches.length > 0) return matches
  }
  return commands
}

const builtInNames: string[] = Object.values(builtInServers)

/** Returns the message for an expected error. Rethrows any other error, which is a bug. */
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
