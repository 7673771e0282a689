// The types of command handlers.

import type { Config } from '../config.ts'
import type { LoadedSettings } from './setting-sources.ts'

/** `stdout` receives only the result of a command, for use in scripts; messages go to `stderr`. */
export type Terminal = {
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** Whether standard output is a terminal, in which case tables have headings. */
  forPerson?: boolean
  /** Adds colour or weight to text for standard output, unless NO_COLOR is set or standard output is not a
   *  terminal. */
  style?: (format: 'bold' | 'red' | 'yellow' | 'green', text: string) => string
  /** Replaces the progress line on the terminal; empty text removes the line. Undefined if there is no terminal. */
  progress?: ((text: string) => void) | undefined
  /** Reads the first line of standard input. */
  readLine: () => Promise<string>
}

export type CommandArguments = {
  /** The positional arguments, in usage order. */
  values: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

/** The parts that the caller passes in, because this folder must not import the server or the API. */
export type Application = {
  serve: CommandHandler
  /** Every scope that an API key can have. */
  scopes: () => Promise<readonly string[]>
}

/** Runs a command. Throws UserError, which ends the command with exit code 1. */
export type CommandHandler = (
  input: CommandArguments & { settings: LoadedSettings },
  config: Config,
  terminal: Terminal,
  application: Application,
) => Promise<void>
