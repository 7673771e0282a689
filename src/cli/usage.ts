// The declaration of a command with its arguments and options, and the texts derived from it: usage and help.

import { styleText } from 'node:util'
import type { Help } from 'commander'
import type { CommandArguments, CommandHandler } from './command.ts'

/** An option without `value` is a flag. `isShownAsRequired`: for a flag, such as --yes, that the parser does not
 *  require but the command does. */
export type Option = {
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

/** `words`: the words that select the command. If two commands have the same words, the table lists the one with
 *  `onlyWith` first. */
export type Command = {
  words: string
  help: string
  /** The positional arguments by name, in order. */
  arguments?: Record<string, Argument>
  options?: Record<string, Option>
  /** Complete command lines, without the program's name. A test parses each of these lines. */
  examples: readonly string[]
  /** The command is selected only if the line has this option. */
  onlyWith?: string
  /** Undefined for a command with `print`, and for `serve`: the caller of runCommand passes the handler of `serve`. */
  run?: CommandHandler
  /** Instead of `run`: returns the text to print, without reading settings. Throws UserError. */
  print?: (input: CommandArguments) => string
}

/** Returns the usage of these commands, one line per command. */
export function usage(commands: readonly Command[]): string {
  return ['Usage:', ...commands.map((command) => `  tenantdesk ${usageOf(command)}`)].join('\n')
}

/** Returns a line such as `tenant create <slug> [--name TEXT]`. */
export function usageOf(command: Command): string {
  const positionals = Object.entries(command.arguments ?? {}).map(([name, argument]) => wordsOfArgument(name, argument))
  const shown = Object.entries(command.options ?? {}).filter(([, option]) => !option.isOmittedFromUsage)
  const options = shown.map(([name, option]) => {
    const words = wordsOf(name, option)
    if (!option.isRequired && !option.isShownAsRequired) return `[${words}${option.isRepeatable ? ' …' : ''}]`
    return option.isRepeatable ? `${words} [--${name} …]` : words
  })
  return [command.words, ...positionals, ...options].join(' ')
}

function wordsOfArgument(name: string, argument: Argument): string {
  const { isOptional, isRepeatable } = typeof argument === 'string' ? {} : argument
  const words = `<${name}>${isRepeatable ? ' …' : ''}`
  return isOptional ? `[${words}]` : words
}

/** Returns the help for the command or group of commands that these words select. If there are no words, returns the
 *  help for all commands. */
export function helpFor(commands: readonly Command[], words: string, layout: Help): string {
  const exactMatches = commands.filter((command) => command.words === words)
  const group = commands.filter((command) => command.words.startsWith(words === '' ? '' : `${words} `))
  const hint = 'Help for one command: tenantdesk <command> --help'
  const parts = exactMatches.map((command) => helpOf(command, layout))
  if (exactMatches.length === 0 || group.length > 0) parts.push(usage(group), hint)
  return `${parts.join('\n\n')}\n`
}

/** Returns what the command does, what each of its arguments and options means, and examples. */
function helpOf(command: Command, layout: Help): string {
  const details: [string, string][] = [
    ...Object.entries(command.arguments ?? {}).map(([name, argument]): [string, string] => [
      `<${name}>`,
      typeof argument === 'string' ? argument : argument.help,
    ]),
    ...Object.entries(command.options ?? {}).map(([name, option]): [string, string] => [
      wordsOf(name, option),
      option.help,
    ]),
  ]
  const width = Math.max(0, ...details.map(([words]) => words.length))
  const lines = details.map(([words, help]) => layout.formatItem(words, width, help, layout))
  const examples = command.examples.map((example) => `  tenantdesk ${example}`)
  return [
    `${title('Usage:')} tenantdesk ${usageOf(command)}`,
    command.help,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    [title(examples.length > 1 ? 'Examples:' : 'Example:'), ...examples].join('\n'),
  ].join('\n\n')
}

/** commander removes the style if there is no terminal or NO_COLOR is set. */
function title(text: string): string {
  return styleText('bold', text, { validateStream: false })
}

function wordsOf(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`
}
