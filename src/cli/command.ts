// The declaration of a command: its words, its arguments and options, and what it runs.

import type { Config, SettingError } from '../config.ts'
import type { LoadedSettings } from './setting-sources.ts'

/** `stdout` receives only the result of a command, for use in scripts; messages go to `stderr`. */
export type Terminal = {
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** Whether standard output is a terminal, in which case tables have headings. */
  isStdoutTerminal?: boolean
  /** Adds colour or weight to text for standard output, unless NO_COLOR is set or standard output is not a
   *  terminal. */
  style?: (format: 'bold' | 'red' | 'yellow' | 'green', text: string) => string
  /** Replaces the progress line on the terminal; empty text removes the line. Undefined if there is no terminal. */
  progress?: ((text: string) => void) | undefined
  /** Reads the first line of standard input. */
  readLine: () => Promise<string>
}

/** The parts that the caller passes in, because this folder must not import the server or the API. */
export type Application = {
  serve: (context: CommandContext) => Promise<void>
  /** Every scope that an API key can have. */
  scopes: () => Promise<readonly string[]>
}

export type CommandContext = {
  config: Config
  settings: LoadedSettings
  terminal: Terminal
  application: Application
}

/** What a command prints once it has succeeded: with --json the `result`, otherwise the `value`, if there is one; and
 *  the `message` for people. */
export type CommandOutput = { result: object; value?: string | undefined; message: string }

/** An option without `value` is a flag. `isShownAsRequired`: for a flag, such as --yes, that the parser does not
 *  require but the command does. */
export type CommandOption = {
  value?: string
  help: string
  isRequired?: true
  isRepeatable?: true
  isShownAsRequired?: true
  /** The option is explained in the help, but omitted from the usage, to keep the usage short. */
  isOmittedFromUsage?: true
}

/** A string is the help text of an argument that must be given exactly once. Only the last argument can be optional or
 *  repeatable. Shells complete `choices`; the command itself rejects other values. */
export type Argument = string | { help: string; choices?: readonly string[]; isOptional?: true; isRepeatable?: true }

type Arguments = Record<string, Argument>
type Options = Record<string, CommandOption>

type ValueOfArgument<T extends Argument> = T extends { isRepeatable: true }
  ? string[]
  : string | (T extends { isOptional: true } ? undefined : never)

type ValueOfOption<T extends CommandOption> =
  | (T extends { value: string } ? (T extends { isRepeatable: true } ? string[] : string) : true)
  | (T extends { isRequired: true } ? never : undefined)

/** What a command line says, under the names of the command's arguments and options. */
type Input<A extends Arguments, O extends Options> = { [Name in keyof A]: ValueOfArgument<A[Name]> } & {
  [Name in keyof O]: ValueOfOption<O[Name]>
}

/** `words`: the words that select the command. If two commands have the same words, the table lists the one with
 *  `onlyWith` first. */
export type Command<A extends Arguments = Arguments, O extends Options = Options> = {
  words: string
  help: string
  /** The positional arguments by name, in order. */
  arguments?: A
  options?: O
  /** Complete command lines, without the program's name. A test parses each of these lines. */
  examples: readonly string[]
  /** The command is selected only if the line has this option. */
  onlyWith?: string
  /** Throws UserError, which ends the command with exit code 1. */
  run?(input: Input<A, O>, context: CommandContext): Promise<CommandOutput | undefined>
  /** Prints a result for scripts if a setting is invalid. The message is printed to stderr in any case. */
  printSettingError?(input: Input<A, O>, error: SettingError, terminal: Terminal): void
  /** Instead of `run`: returns the text to print, without reading settings. Throws UserError. */
  print?(input: Input<A, O>): string
}

/** Declares a command. The type of the input that it receives follows from its arguments and options. */
export function command<const A extends Arguments, const O extends Options>(declaration: Command<A, O>): Command {
  return declaration
}

/** Arguments and options that several commands share. */
export const slug = { slug: 'short name of the tenant' } as const
export const json = { help: 'print the result as a JSON object', isOmittedFromUsage: true } as const
export const jsonArray = { help: 'print a JSON array' } as const
