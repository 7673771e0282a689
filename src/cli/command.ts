// What a command is given.

import type { Config } from '../config.ts'

/** The value of a command goes to `out` alone, the sentence about it to `say`. */
export type Terminal = {
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** The first line of standard input. */
  readLine: () => Promise<string>
}

export type CommandArguments = {
  /** What stands in the places of `<…>`. */
  values: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

/** Throws UserError (exit 1). */
export type CommandHandler = (words: CommandArguments, config: Config, terminal: Terminal) => Promise<void>
