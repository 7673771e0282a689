// Types of the commands.

import type { Config } from '../config.ts'
import type { LoadedSettings } from '../setting-sources.ts'

/** `stdout` receives only the result of a command, for use in scripts; messages go to `stderr`. */
export type Terminal = {
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** Whether standard output is a terminal, where a table gets headings. */
  forPerson?: boolean
  /** Adds colour or weight to a text for standard output, unless NO_COLOR or the lack of a terminal forbids it. */
  style?: (format: 'bold' | 'red' | 'yellow' | 'green', text: string) => string
  /** Replaces the last line of progress on a terminal; an empty text removes it. Undefined without a terminal. */
  progress?: ((text: string) => void) | undefined
  /** The first line of standard input. */
  readLine: () => Promise<string>
}

export type CommandArguments = {
  /** The positional arguments, in the order of the usage. */
  values: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

/** What the caller passes in, because this folder does not import the server and the API. */
export type Application = {
  serve: CommandHandler
  /** Every scope that an API key can have. */
  scopes: () => Promise<readonly string[]>
}

/** Throws UserError, which ends the command with exit code 1. */
export type CommandHandler = (
  input: CommandArguments & { settings: LoadedSettings },
  config: Config,
  terminal: Terminal,
  application: Application,
) => Promise<void>
